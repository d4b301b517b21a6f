"""Published claims against what was measured."""

import math
from collections.abc import Mapping

import numpy as np
import pytest

from wirelab.statistics import (
    ClaimResult,
    ClaimVerdict,
    Comparison,
    Interval,
    Nuance,
    Outcome,
    Side,
    Verdict,
    all_of,
    compare,
    decide,
    direction,
    log_log_slope,
    magnitude,
    no_higher,
    not_testable,
    shape,
    threshold,
)

ALTERNATING = np.array([1.0, -1.0] * 5)
FASTER, SLOWER = Outcome.FASTER, Outcome.SLOWER
SAME, CANNOT_TELL = Outcome.SAME, Outcome.CANNOT_TELL


def verdict(outcome: Outcome, nuance: Nuance = Nuance.PLAIN) -> Verdict:
    return Verdict(outcome, nuance, f"{nuance} {outcome}".strip(), "because")


def measured(ratio: float, spread: float = 0.02) -> tuple[Comparison, Verdict]:
    comparison = compare(math.log(ratio) + spread * ALTERNATING)
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


def once(ratio: float) -> Interval:
    return Interval(ratio, ratio)


@pytest.mark.parametrize(
    ("ratio", "published", "expected"),
    [
        (0.50, 0.50, ClaimVerdict.REPRODUCED),
        (0.50, 0.507, ClaimVerdict.REPRODUCED),
        (0.50, 0.51, ClaimVerdict.DIRECTION_ONLY),  # beyond the interval of ±1.5 %
        (0.50, 1.50, ClaimVerdict.CONTRADICTED),
        (2.00, 0.90, ClaimVerdict.CONTRADICTED),
        (1.00, 1.02, ClaimVerdict.REPRODUCED),
        (1.00, 1.30, ClaimVerdict.SAME_WITHIN_MARGIN),
    ],
)
def test_magnitudes(ratio: float, published: float, expected: ClaimVerdict) -> None:
    assert magnitude(*measured(ratio), once(published)).verdict is expected


@pytest.mark.parametrize(
    ("ratio", "published", "expected"),
    [
        (3.00, (1.0, 1.0), ClaimVerdict.CONTRADICTED),
        (3.00, (0.9, 1.1), ClaimVerdict.CONTRADICTED),
        (1.15, (1.0, 1.0), ClaimVerdict.CANNOT_TELL),  # within a factor of 1.25, beyond ±1.5 %
        (1.15, (0.9, 1.1), ClaimVerdict.CANNOT_TELL),
        (1.09, (0.9, 1.1), ClaimVerdict.REPRODUCED),
        (0.33, (1.0, 1.5), ClaimVerdict.CONTRADICTED),
        (0.33, (1.0, 4.0), ClaimVerdict.CONTRADICTED),
        (3.00, (0.5, 1.0), ClaimVerdict.CONTRADICTED),
        (2.00, (1.0, 1.5), ClaimVerdict.DIRECTION_ONLY),
    ],
)
def test_a_published_size_of_about_one_can_be_contradicted(
    ratio: float, published: tuple[float, float], expected: ClaimVerdict
) -> None:
    assert magnitude(*measured(ratio), Interval(*published)).verdict is expected


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [
        (1.50, ClaimVerdict.DIRECTION_ONLY),
        (1.98, ClaimVerdict.REPRODUCED),
        (3.00, ClaimVerdict.REPRODUCED),
        (4.50, ClaimVerdict.DIRECTION_ONLY),
        (1.00, ClaimVerdict.SAME_WITHIN_MARGIN),
        (0.50, ClaimVerdict.CONTRADICTED),
    ],
)
def test_a_published_range_counts_at_its_closest_point(
    ratio: float, expected: ClaimVerdict
) -> None:
    assert magnitude(*measured(ratio), Interval(2.0, 4.0)).verdict is expected


def test_noise_does_not_reproduce_a_size() -> None:
    """2.00 [1.37, 2.92] holds 2.4 and 2.6; only the first is within a factor of 1.25."""
    comparison, found = measured(2.0, spread=0.5)
    assert comparison.interval95 is not None
    assert comparison.interval95.contains(2.6)

    assert magnitude(comparison, found, once(2.4)).verdict is ClaimVerdict.REPRODUCED
    assert magnitude(comparison, found, once(2.6)).verdict is ClaimVerdict.DIRECTION_ONLY
    assert magnitude(comparison, found, once(4.0)).verdict is ClaimVerdict.DIRECTION_ONLY


def test_an_undecided_direction_has_no_magnitude() -> None:
    assert magnitude(*measured(1.0, spread=0.3), once(1.0)).verdict is ClaimVerdict.CANNOT_TELL


@pytest.mark.parametrize(
    ("published", "expected"),
    [
        (Interval(1.6, 2.5), ClaimVerdict.CONTRADICTED),
        (Interval(0.4, 0.6), ClaimVerdict.CONTRADICTED),
        (Interval(1.3, 2.5), ClaimVerdict.CANNOT_TELL),
        (Interval(0.9, 1.1), ClaimVerdict.CANNOT_TELL),
    ],
)
def test_an_undecided_direction_contradicts_a_size_that_the_interval_excludes(
    published: Interval, expected: ClaimVerdict
) -> None:
    """1.02 [0.97, 1.08] is farther than a factor of 1.25 from 1.6, but not from 1.3."""
    comparison, found = measured(1.02, spread=0.07)
    assert found.outcome is CANNOT_TELL

    result = magnitude(comparison, found, published)

    assert result.verdict is expected
    excluded = expected is ClaimVerdict.CONTRADICTED
    assert ("from the published size" in result.reason) is excluded
    few = compare(comparison.log_ratios[:5])
    undecided = decide(few, p_holm=few.p_value)
    assert magnitude(few, undecided, published).verdict is ClaimVerdict.CANNOT_TELL


@pytest.mark.parametrize(("ratio", "blocks"), [(1.0, 31), (1.04, 752), (1.10, 43)])
def test_an_undecided_bound_has_the_number_of_blocks_that_would_decide(
    ratio: float, blocks: int
) -> None:
    """By hand, for 1.1: (2.8016 * 0.10541 / ln(1.1 / 1.05))² + 1.96² / 2 = 42.2."""
    comparison = compare(math.log(ratio) + 0.1 * ALTERNATING)

    result = no_higher(comparison)

    assert result.verdict is ClaimVerdict.CANNOT_TELL
    assert f"measured {ratio:.2f}× of it" in result.reason
    assert result.reason.endswith(f"; about {blocks} blocks of this length would probably suffice")


@pytest.mark.parametrize("published", [Interval(0.0, 1.0), Interval(2.0, 1.0)])
def test_invalid_published_ratios_are_refused(published: Interval) -> None:
    with pytest.raises(ValueError, match="above 0 and in order"):
        magnitude(*measured(0.5), published)


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
    with pytest.raises(ValueError, match="at least one part"):
        all_of({})


def test_an_untestable_claim_has_a_reason() -> None:
    result = not_testable("no container engine here")

    assert result == ClaimResult(ClaimVerdict.NOT_TESTABLE, "no container engine here")
