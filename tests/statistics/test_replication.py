"""Published claims against what was measured."""

import math
from collections.abc import Mapping

import numpy as np
import pytest

from wirelab.statistics import (
    ClaimResult,
    ClaimVerdict,
    Comparison,
    Nuance,
    Outcome,
    Side,
    Summary,
    Verdict,
    all_of,
    compare,
    decide,
    direction,
    log_log_slope,
    log_ratio_error,
    magnitude,
    not_testable,
    order,
    shape,
    threshold,
)

ALTERNATING = np.array([1.0, -1.0] * 5)
FASTER, SLOWER = Outcome.FASTER, Outcome.SLOWER
SAME, CANNOT_TELL = Outcome.SAME, Outcome.CANNOT_TELL


def verdict(outcome: Outcome, nuance: Nuance = Nuance.PLAIN) -> Verdict:
    return Verdict(outcome, nuance, f"{nuance} {outcome}".strip(), "because")


def measured(ratio: float, spread: float = 0.02) -> tuple[Comparison, Verdict]:
    comparison = compare(ratio * np.exp(spread * ALTERNATING), np.ones(10))
    return comparison, decide(comparison, p_holm=comparison.p_value)


@pytest.mark.parametrize(
    ("found", "claimed", "expected"),
    [
        (verdict(FASTER), FASTER, ClaimVerdict.REPRODUCED),
        (verdict(SLOWER), FASTER, ClaimVerdict.CONTRADICTED),
        (verdict(SLOWER), SLOWER, ClaimVerdict.REPRODUCED),
        (verdict(SAME), FASTER, ClaimVerdict.SAME_WITHIN_MARGIN),
        (verdict(SAME, Nuance.NEGLIGIBLY), FASTER, ClaimVerdict.SAME_WITHIN_MARGIN),
        (verdict(CANNOT_TELL), FASTER, ClaimVerdict.CANNOT_TELL),
        (verdict(SAME), SAME, ClaimVerdict.REPRODUCED),
        (verdict(CANNOT_TELL), SAME, ClaimVerdict.CANNOT_TELL),
        (verdict(FASTER), SAME, ClaimVerdict.CANNOT_TELL),
        (verdict(FASTER, Nuance.CLEARLY), SAME, ClaimVerdict.CONTRADICTED),
    ],
)
def test_directions(found: Verdict, claimed: Outcome, expected: ClaimVerdict) -> None:
    assert direction(found, claimed).verdict is expected


def test_a_claim_must_claim_something() -> None:
    with pytest.raises(ValueError, match="must say faster, slower or practically the same"):
        direction(verdict(FASTER), CANNOT_TELL)


@pytest.mark.parametrize(
    ("ratio", "published", "expected"),
    [
        (0.50, 0.50, ClaimVerdict.REPRODUCED),
        (0.50, 0.61, ClaimVerdict.REPRODUCED),  # factor 1.22
        (0.50, 0.64, ClaimVerdict.DIRECTION_ONLY),  # factor 1.28
        (0.50, 1.50, ClaimVerdict.CONTRADICTED),
        (2.00, 0.90, ClaimVerdict.CONTRADICTED),
        (1.00, 1.02, ClaimVerdict.REPRODUCED),
        (1.00, 1.30, ClaimVerdict.SAME_WITHIN_MARGIN),
    ],
)
def test_magnitudes(ratio: float, published: float, expected: ClaimVerdict) -> None:
    assert magnitude(*measured(ratio), published).verdict is expected


def test_a_ratio_inside_the_prediction_interval_is_reproduced_whatever_the_tolerance() -> None:
    comparison, found = measured(0.5, spread=0.2)

    # s = 0.2·√(10/9); the interval for one more block is ±2.262·s·√1.1 = ±0.500 on the log scale.
    assert (
        magnitude(comparison, found, 0.5 * math.exp(0.49), tolerance=1.0).verdict
        is ClaimVerdict.REPRODUCED
    )
    assert (
        magnitude(comparison, found, 0.5 * math.exp(-0.51), tolerance=1.0).verdict
        is ClaimVerdict.DIRECTION_ONLY
    )


def test_a_known_published_error_decides_by_z() -> None:
    comparison, found = measured(0.5, spread=0.0)

    near = magnitude(comparison, found, 0.5 * math.exp(0.19), published_log_error=0.1)
    far = magnitude(comparison, found, 0.5 * math.exp(0.20), published_log_error=0.1)

    assert (near.verdict, far.verdict) == (ClaimVerdict.REPRODUCED, ClaimVerdict.DIRECTION_ONLY)


def test_an_undecided_direction_has_no_magnitude() -> None:
    assert magnitude(*measured(1.0, spread=0.3), 1.0).verdict is ClaimVerdict.CANNOT_TELL


@pytest.mark.parametrize("arguments", [(0.0, 1.25), (1.5, 0.9)])
def test_senseless_published_ratios_are_refused(arguments: tuple[float, float]) -> None:
    comparison, found = measured(0.5)

    with pytest.raises(ValueError, match="must be above 0"):
        magnitude(comparison, found, arguments[0], tolerance=arguments[1])


def test_the_error_of_a_published_ratio_matches_simulation() -> None:
    rng = np.random.default_rng(8)
    first = rng.normal(10.0, 1.0, (20_000, 25)).mean(axis=1)
    second = rng.normal(20.0, 3.0, (20_000, 16)).mean(axis=1)

    error = log_ratio_error(Summary(10.0, 1.0, 25), Summary(20.0, 3.0, 16))

    assert error == pytest.approx(np.log(first / second).std(), rel=0.02)


def test_an_order_holds_when_every_step_does() -> None:
    verdicts = {("grpc", "graphql"): verdict(FASTER), ("rest", "graphql"): verdict(SLOWER)}
    costs = {"grpc": 1.0, "graphql": 2.0, "rest": 3.0}

    result = order(["grpc", "graphql", "rest"], costs, verdicts)

    assert result.result.verdict is ClaimVerdict.REPRODUCED
    assert result.kendall_tau == 1.0
    assert [(left, right) for left, right, _ in result.steps] == [
        ("grpc", "graphql"),
        ("graphql", "rest"),
    ]


def test_one_contradicted_step_contradicts_the_order() -> None:
    verdicts = {("grpc", "graphql"): verdict(FASTER), ("graphql", "rest"): verdict(SLOWER)}
    costs = {"grpc": 1.0, "graphql": 3.0, "rest": 2.0}

    result = order(["grpc", "graphql", "rest"], costs, verdicts)

    assert result.result.verdict is ClaimVerdict.CONTRADICTED
    assert result.result.reason.startswith("graphql before rest (claimed faster, measured slower")
    assert result.kendall_tau == pytest.approx(1 / 3)


@pytest.mark.parametrize("claimed", [["grpc"], ["grpc", "rest"]])
def test_an_order_needs_contenders_and_verdicts(claimed: list[str]) -> None:
    with pytest.raises(ValueError, match=r"at least two contenders|no verdict on the neighbours"):
        order(claimed, {"grpc": 1.0, "rest": 2.0}, {})


@pytest.mark.parametrize(
    ("values", "claimed", "expected"),
    [
        (310.0, Side.ABOVE, ClaimVerdict.REPRODUCED),
        (310.0, Side.BELOW, ClaimVerdict.CONTRADICTED),
        (280.0, Side.BELOW, ClaimVerdict.REPRODUCED),
        (301.0, Side.ABOVE, ClaimVerdict.CANNOT_TELL),
    ],
)
def test_thresholds(values: float, claimed: Side, expected: ClaimVerdict) -> None:
    blocks = values * np.exp(0.02 * ALTERNATING)

    assert threshold(blocks, 300.0, claimed).verdict is expected
    assert threshold(blocks[:5], 300.0, claimed).verdict is ClaimVerdict.CANNOT_TELL


def test_a_threshold_must_be_positive() -> None:
    with pytest.raises(ValueError, match="limit is 0"):
        threshold([1.0], 0.0, Side.ABOVE)


@pytest.mark.parametrize(
    ("centre", "expected"),
    [
        (0.02, ClaimVerdict.REPRODUCED),
        (0.10, ClaimVerdict.CANNOT_TELL),
        (0.50, ClaimVerdict.CONTRADICTED),
    ],
)
def test_shapes(centre: float, expected: ClaimVerdict) -> None:
    contrasts = [*(centre + 0.03 * ALTERNATING), math.nan]

    assert shape(contrasts, -0.1, 0.1).verdict is expected
    assert shape(contrasts[:5], -0.1, 0.1).verdict is ClaimVerdict.CANNOT_TELL


def test_limits_of_a_shape_must_be_in_order() -> None:
    with pytest.raises(ValueError, match="not in order"):
        shape([0.0], 0.1, -0.1)


def test_the_exponent_of_a_power_law_is_recovered() -> None:
    levels = np.array([3, 4, 5, 10, 20])

    assert log_log_slope(levels, 7.0 * levels**0.5) == pytest.approx(0.5)
    assert log_log_slope(levels, np.full(5, 40.0)) == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("parts", "expected", "reason"),
    [
        ({"a": "reproduced", "b": "reproduced"}, "reproduced", "all of: a; b"),
        ({"a": "reproduced", "b": "contradicted"}, "contradicted", "b (r)"),
        ({"a": "not testable", "b": "contradicted"}, "contradicted", "b (r)"),
        ({"a": "not testable", "b": "reproduced"}, "not testable", "a (r)"),
        ({"a": "cannot tell", "b": "same within the margin"}, "cannot tell", "a (r)"),
        ({"a": "direction only", "b": "direction only"}, "direction only", "a (r); b (r)"),
    ],
)
def test_the_worst_part_speaks_for_the_whole(
    parts: Mapping[str, str], expected: str, reason: str
) -> None:
    results = {name: ClaimResult(ClaimVerdict(value), "r") for name, value in parts.items()}

    assert all_of(results) == ClaimResult(ClaimVerdict(expected), reason)


def test_a_claim_needs_parts() -> None:
    with pytest.raises(ValueError, match="without parts"):
        all_of({})


def test_what_cannot_be_tested_says_why() -> None:
    result = not_testable("no container engine here")

    assert result == ClaimResult(ClaimVerdict.NOT_TESTABLE, "no container engine here")
