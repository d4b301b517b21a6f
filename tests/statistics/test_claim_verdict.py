"""Claims of several parts: reproduced, contradicted, or in between, and to which degree."""

import math

import numpy as np
import pytest

from tests.statistics.constructed import ALTERNATING, measured, once
from wirelab.statistics import (
    Basis,
    ClaimAssessment,
    ClaimVerdict,
    EffectSize,
    Interval,
    Method,
    Part,
    Settled,
    assess_claims,
    compare,
)

REPRODUCED, CONTRADICTED = ClaimVerdict.REPRODUCED, ClaimVerdict.CONTRADICTED
CANNOT_TELL = ClaimVerdict.CANNOT_TELL


def assess(*parts: Part | Settled) -> ClaimAssessment:
    return assess_claims({"claim": parts})["claim"]


SAME, SIDE = ClaimVerdict.SAME_WITHIN_MARGIN, ClaimVerdict.DIRECTION_ONLY


@pytest.mark.parametrize(
    ("ratio", "spread", "expected"),
    [
        (0.80, 0.02, REPRODUCED),
        (1.20, 0.02, CONTRADICTED),
        (1.00, 0.02, SAME),
        (0.98, 0.02, SAME),
        *((ratio, 0.9, CANNOT_TELL) for ratio in (0.80, 1.20, 1.00)),
    ],
)
def test_a_direction(ratio: float, spread: float, expected: ClaimVerdict) -> None:
    assert assess(Part.lower(measured(ratio, spread))).verdict is expected


@pytest.mark.parametrize(
    ("ratio", "spread", "published", "expected"),
    [
        (0.50, 0.02, once(0.50), REPRODUCED),
        (0.50, 0.02, once(0.51), REPRODUCED),
        (0.50, 0.02, once(0.60), REPRODUCED),
        (0.50, 0.02, once(0.80), SIDE),
        (0.50, 0.02, once(0.625), CANNOT_TELL),  # on the limit
        (0.50, 0.02, once(1.50), CONTRADICTED),
        (2.00, 0.02, once(0.90), CONTRADICTED),
        (1.00, 0.02, once(1.02), REPRODUCED),
        (1.00, 0.02, once(1.30), SAME),
        (3.00, 0.02, once(1.00), CONTRADICTED),
        (1.15, 0.02, once(1.00), REPRODUCED),
        (3.00, 0.02, once(1.02), SIDE),
        (0.90, 0.02, once(1.02), CONTRADICTED),
        # 1.02 [0.97, 1.08] is farther than a factor of 1.25 from 1.6, but not from 1.3.
        (1.02, 0.07, Interval(1.6, 2.5), CONTRADICTED),
        (1.02, 0.07, Interval(1.3, 2.5), CANNOT_TELL),
    ],
)
def test_a_size(ratio: float, spread: float, published: Interval, expected: ClaimVerdict) -> None:
    assert assess(Part.size(measured(ratio, spread), published)).verdict is expected


@pytest.mark.parametrize(
    ("centre", "limits", "expected"),
    [
        (0.02, (-0.1, 0.1), REPRODUCED),
        (0.10, (-0.1, 0.1), CANNOT_TELL),
        (0.50, (-0.1, 0.1), CONTRADICTED),
        (0.03, (0.0, math.inf), REPRODUCED),
        (0.00, (0.0, math.inf), CANNOT_TELL),
        (-0.07, (0.0, math.inf), CONTRADICTED),
    ],
)
def test_a_slope_or_a_threshold_has_limits(
    centre: float, limits: tuple[float, float], expected: ClaimVerdict
) -> None:
    blocks = compare([*(centre + 0.03 * ALTERNATING), math.nan])

    assert assess(Part.within(blocks, *limits)).verdict is expected


def test_a_claim_is_as_sure_as_its_weakest_part() -> None:
    """Twelve parts need no correction: each p value is that of its own test."""
    parts = [Part.lower(measured(0.97 - 0.01 * n, spread=0.04)) for n in range(12)]

    claim = assess(*parts)

    assert claim.verdict is REPRODUCED
    assert claim.p_value == max(part.p_holds for part in parts)
    assert claim.p_holm == claim.p_value
    assert 12 * claim.p_value > 0.025
    assert (claim.holding, claim.tested) == (12, 12)


def test_claims_are_corrected_for_each_other() -> None:
    part = Part.lower(measured(0.97, spread=0.04))
    assert 0.0125 < part.p_holds < 0.025

    one = assess_claims({"a": [part]})
    two = assess_claims({"a": [part], "b": [part]})
    beside_untested = assess_claims({"a": [part], "b": [Settled(ClaimVerdict.NOT_TESTABLE)]})

    assert one["a"].verdict is beside_untested["a"].verdict is REPRODUCED
    for claim in two.values():
        assert claim.verdict is CANNOT_TELL
        assert claim.cause is Basis.FAMILY_CORRECTION
        assert claim.p_holm == pytest.approx(2 * part.p_holds)
        assert (claim.holding, claim.tested) == (1, 1)
        assert claim.parts[0].cause is Basis.FAMILY_CORRECTION
        assert claim.parts[0].further_blocks is not None


@pytest.mark.parametrize("kind", ["at_most", "gain", "threshold"])
def test_contradictions_are_corrected_within_the_claim(kind: str) -> None:
    at_limit = 0.05 if kind == "at_most" else 0.0
    comparison = compare(math.log1p(at_limit) + 0.05 + 0.06 * ALTERNATING)
    part = {
        "at_most": Part.at_most(comparison),
        "gain": Part.lower(comparison),
        "threshold": Part.within(comparison, -math.inf, 0.0),
    }[kind]
    assert 0.0125 < part.p_fails < 0.025

    assert assess(part).verdict is CONTRADICTED
    assert assess(part, part).verdict is CANNOT_TELL


def test_the_degree_counts_the_parts_that_hold() -> None:
    holding, open_, failing = (Part.lower(measured(ratio, 0.1)) for ratio in (0.6, 0.985, 1.6))

    undecided, contradicted = assess(*[holding] * 4, open_, open_), assess(*[holding] * 5, failing)

    assert (undecided.verdict, undecided.holding, undecided.tested) == (CANNOT_TELL, 4, 6)
    assert [part.cause for part in undecided.parts] == [None] * 4 + [Basis.NOISE] * 2
    assert (contradicted.verdict, contradicted.holding) == (CONTRADICTED, 5)
    assert [part.further_blocks for part in contradicted.parts] == [None] * 6


def test_a_direction_may_be_reproduced_with_another_size() -> None:
    """0.90 where 0.59 was published: beyond the margin, and much smaller."""
    comparison = measured(0.90)

    direction = assess(Part.lower(comparison, once(0.59)))
    size = assess(Part.size(comparison, once(0.59)))

    assert direction.verdict is REPRODUCED
    assert size.verdict is ClaimVerdict.DIRECTION_ONLY
    assert direction.parts[0].effect is size.parts[0].effect is EffectSize.MUCH_SMALLER


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ("REPRODUCED REPRODUCED", "REPRODUCED"),
        ("REPRODUCED CONTRADICTED", "CONTRADICTED"),
        ("NOT_TESTABLE CONTRADICTED", "CONTRADICTED"),
        ("NOT_TESTABLE REPRODUCED", "NOT_TESTABLE"),
        ("CANNOT_TELL SAME_WITHIN_MARGIN", "CANNOT_TELL"),
        ("NOT_MEASURED NOT_MEASURED", "NOT_MEASURED"),
        ("NOT_MEASURED REPRODUCED", "PARTLY_MEASURED"),
        ("NOT_MEASURED CANNOT_TELL", "CANNOT_TELL"),
        ("DIRECTION_ONLY DIRECTION_ONLY", "DIRECTION_ONLY"),
    ],
)
def test_the_worst_part_speaks_for_the_whole(verdicts: str, expected: str) -> None:
    claim = assess(*(Settled(ClaimVerdict[verdict]) for verdict in verdicts.split()))

    assert claim.verdict is ClaimVerdict[expected]
    assert claim.is_decided is (expected != "CANNOT_TELL")


def test_counts_are_parts_that_chance_does_not_touch() -> None:
    counted = Settled(REPRODUCED)

    assert assess(counted, Part.lower(measured(0.8))).verdict is REPRODUCED
    assert assess(Settled(CONTRADICTED), Part.lower(measured(0.8))).verdict is CONTRADICTED


def test_no_claims_need_no_verdicts() -> None:
    assert assess_claims({}) == {}


def test_a_claim_is_judged_after_any_block() -> None:
    values = [-0.30, -0.28, -0.31, -0.27, -0.29]
    verdicts = [
        assess(Part.lower(compare(values[:n], method=Method.REPEATED_T))) for n in range(1, 6)
    ]

    assert [each.verdict for each in verdicts] == [*[CANNOT_TELL] * 3, REPRODUCED, REPRODUCED]
    assert [each.parts[0].further_blocks for each in verdicts] == [3, 2, 1, None, None]
    assert verdicts[0].cause is Basis.TOO_FEW_BLOCKS


@pytest.mark.slow
@pytest.mark.parametrize("method", Method)
def test_true_claims_of_many_parts_are_reproduced(method: Method) -> None:
    """Twelve differences of 10 %, noise of 3 %, six blocks: with Holm over the parts, 34 %."""
    rng = np.random.default_rng(40)
    reproduced = [
        assess(*(Part.higher(compare(d, method=method)) for d in rng.normal(0.0953, 0.03, (12, 6))))
        for _ in range(100)
    ]

    assert np.mean([claim.verdict is REPRODUCED for claim in reproduced]) >= 0.85


@pytest.mark.slow
@pytest.mark.parametrize("method", Method)
def test_claims_at_their_limit_are_hardly_contradicted(method: Method) -> None:
    """Twelve parts at the limit: uncorrected, a quarter of such claims would be contradicted."""
    rng = np.random.default_rng(41)
    claims = [
        assess(*(Part.higher(compare(d, method=method)) for d in rng.normal(0.0, 0.03, (12, 8))))
        for _ in range(600)
    ]

    assert np.mean([claim.verdict is CONTRADICTED for claim in claims]) <= 0.04
