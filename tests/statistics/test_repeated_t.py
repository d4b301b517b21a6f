"""The repeated t test: its vectors, its table, and what it promises whenever a study ends."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirelab.statistics import (
    BlockValue,
    Comparison,
    Method,
    Nuance,
    Outcome,
    RepeatedT,
    compare,
    decide,
    family_p_values,
)
from wirelab.statistics.repeated_t import (
    CALIBRATION,
    blocks_until,
    calibrated,
    half_width_factor,
    looks,
    smallest_at,
)

A = (0.081, 0.102, 0.064, 0.095, 0.110, 0.073)
B = (0.012, -0.008, 0.021, 0.004, -0.015, 0.010)
C = (0.09, -0.02, 0.14, 0.03, math.nan, 0.11, 0.05, 0.08, 0.06)
"""The fifth block is missing."""
D = (0.0310, 0.0305, 0.0312, 0.0308)
D_VARIANCE = 0.0004
"""What the permutations of D explain; the others were not measured in permutations."""

block_values = st.lists(st.floats(min_value=-1.0, max_value=1.0), min_size=4, max_size=15)


def repeated(values: tuple[float, ...], blocks: int, variance: float = math.nan) -> Comparison:
    """Compare the first valid blocks of a sequence, the gaps before the last one included."""
    ends = np.flatnonzero(np.isfinite(values))
    taken = values[: int(ends[blocks - 1]) + 1]
    return compare([BlockValue(d, variance) for d in taken], method=Method.REPEATED_T)


@pytest.mark.parametrize(
    ("taken", "p_value", "interval95", "interval90"),
    [
        ((A, 4, math.nan), 0.00924681, (1.042968, 1.137610), (1.055275, 1.124342)),
        ((A, 6, math.nan), 6.13957e-4, (1.059452, 1.124398), (1.065696, 1.117810)),
        ((B, 4, math.nan), 0.617311, (0.975690, 1.039885), (0.984124, 1.030974)),
        ((B, 6, math.nan), 0.617311, (0.981774, 1.026746), (0.986127, 1.022214)),
        ((C, 7, math.nan), 0.0815712, (0.989996, 1.158582), (1.004013, 1.142408)),
        ((C, 8, math.nan), 0.0452811, (1.001559, 1.142755), (1.012529, 1.130375)),
        ((D, 4, D_VARIANCE), 0.0327855, (1.005010, 1.058394), (1.012060, 1.051021)),
    ],
)
def test_vectors(
    taken: tuple[tuple[float, ...], int, float],
    p_value: float,
    interval95: tuple[float, float],
    interval90: tuple[float, float],
) -> None:
    comparison = repeated(*taken)

    assert comparison.blocks == taken[1]
    assert comparison.p_value == pytest.approx(p_value, rel=1e-5)
    assert comparison.interval95 == pytest.approx(interval95, abs=5e-7)
    assert comparison.interval90 == pytest.approx(interval90, abs=5e-7)


@pytest.mark.parametrize(
    ("taken", "t_statistic", "p_value", "smallest"),
    [
        ((A, 4, math.nan), 10.18893, 0.00201478, 0.00201478),
        ((A, 6, math.nan), 12.06657, 6.90153e-5, 1.03523e-4),
        ((B, 4, math.nan), 1.177721, 0.323830, 0.323830),
        ((B, 6, math.nan), 0.732743, 0.496606, 0.323830),
        ((C, 7, math.nan), 3.399784, 0.0144998, 0.0253746),
        ((C, 8, math.nan), 3.857143, 0.00623451, 0.0124690),
        ((D, 4, D_VARIANCE), 6.175000, 0.00855076, 0.00855076),
    ],
)
def test_vectors_of_each_look(
    taken: tuple[tuple[float, ...], int, float], t_statistic: float, p_value: float, smallest: float
) -> None:
    values, blocks, variance = taken
    valid = [value for value in values if math.isfinite(value)][:blocks]
    after = looks(valid, variance)
    tails = after.scaled_tails(0.0)  # all means are above 0

    assert after.means[-1] * math.sqrt(blocks) / after.deviations[-1] == pytest.approx(
        t_statistic, rel=1e-6
    )
    assert tails[-1] * 4 / blocks == pytest.approx(p_value, rel=1e-5)
    assert tails.min() == pytest.approx(smallest, rel=1e-5)


def test_vector_of_the_family() -> None:
    family = [repeated(A, 6), repeated(B, 6), repeated(C, 8), repeated(D, 4, D_VARIANCE)]

    corrected = family_p_values(family)
    verdicts = [decide(*pair) for pair in zip(family, corrected, strict=True)]

    expected = [0.00245583, 0.617311, 0.0983565, 0.0983565]
    assert [each.equality for each in corrected] == pytest.approx(expected, rel=1e-5)
    assert [each.factor for each in corrected] == [4.0, 1.0, 2.0, 3.0]
    assert [verdict.outcome for verdict in verdicts] == [
        Outcome.SLOWER,
        Outcome.SAME,
        Outcome.CANNOT_TELL,
        Outcome.CANNOT_TELL,
    ]


def test_the_table_is_read_by_the_logarithms_of_its_points() -> None:
    for smallest, probability in CALIBRATION:
        assert float(calibrated(smallest)) == pytest.approx(probability)
        assert smallest_at(probability) == pytest.approx(smallest)
    between = math.sqrt(CALIBRATION[0][0] * CALIBRATION[1][0])
    assert float(calibrated(between)) == pytest.approx(math.sqrt(2e-8))
    assert float(calibrated(1e-6)) == pytest.approx(1e-5)
    assert float(calibrated(0.0)) == 0.0
    assert float(calibrated(0.25)) == pytest.approx(0.2 * (0.25 / 0.078) ** 0.792, rel=1e-3)


@given(st.floats(min_value=1e-9, max_value=0.9))
def test_the_table_is_read_both_ways(probability: float) -> None:
    assert float(calibrated(smallest_at(probability))) == pytest.approx(probability, rel=1e-9)


@pytest.mark.parametrize(
    ("blocks", "critical"), [(4, 5.18), (6, 4.10), (10, 3.62), (20, 3.43), (40, 3.44)]
)
def test_critical_values(blocks: int, critical: float) -> None:
    assert half_width_factor(blocks, 0.05) * math.sqrt(blocks) == pytest.approx(critical, abs=0.006)


@given(block_values)
def test_the_p_value_only_falls(values: list[float]) -> None:
    tests = [RepeatedT.from_blocks(values[:count]) for count in range(1, len(values) + 1)]

    for null in (0.0, 0.3):
        p_values = [test.p_value(null) for test in tests]
        assert all(later <= earlier for later, earlier in zip(p_values[1:], p_values, strict=False))
        assert p_values[:3] == [1.0] * min(3, len(p_values))


@given(block_values)
def test_intervals_and_p_values_agree(values: list[float]) -> None:
    test = RepeatedT.from_blocks(values)
    for confidence in (0.95, 0.90):
        interval, common = test.interval(confidence), test.running_interval(confidence)
        if interval is None or common is None:
            continue
        for limit in (common.low, common.high):
            assert test.p_value(limit) == pytest.approx(1.0 - confidence, rel=1e-6)
        assert test.p_value(interval.low) <= 1.0 - confidence + 1e-9
        assert common.low >= interval.low - 1e-12
        assert common.high <= interval.high + 1e-12


@given(block_values)
def test_swapping_the_sides_inverts_all(values: list[float]) -> None:
    forth, back = RepeatedT.from_blocks(values), RepeatedT.from_blocks([-d for d in values])

    assert forth.p_value() == pytest.approx(back.p_value(), abs=1e-9)
    assert forth.p_above(0.1) == pytest.approx(back.p_below(-0.1), abs=1e-9)


def test_sameness_is_the_common_interval_within_the_margin() -> None:
    four = repeated(B, 4)

    assert four.interval90 is not None
    assert four.interval90.lies_within(1 / 1.05, 1.05)
    assert four.p_within_margin < 0.05
    assert repeated(D, 4, D_VARIANCE).p_within_margin > 0.05


@pytest.mark.parametrize("blocks", [1, 2, 3])
def test_fewer_than_four_blocks_give_no_verdict_yet(blocks: int) -> None:
    comparison = repeated(A, blocks)

    verdict = decide(comparison)

    assert (comparison.p_value, comparison.interval95, comparison.interval90) == (1.0, None, None)
    assert not verdict.is_decided
    assert verdict.further_blocks == 4 - blocks


def test_a_blocks_loss_is_counted_and_changes_nothing_else() -> None:
    whole = tuple(value for value in C if math.isfinite(value))

    with_gap, without = repeated(C, 8), repeated(whole, 8)

    assert (with_gap.blocks, with_gap.dropped_blocks) == (8, 1)
    assert with_gap.p_value == without.p_value


def test_no_variation_and_no_permutations_give_no_verdict() -> None:
    constant = repeated((0.3,) * 6, 6)

    verdict = decide(constant)

    assert not constant.has_spread
    assert (constant.p_value, constant.interval95) == (1.0, None)
    assert (verdict.is_decided, verdict.further_blocks) == (False, None)


def test_permutations_bound_the_spread_of_equal_blocks() -> None:
    comparison = repeated((0.3,) * 4, 4, 0.0004)

    assert comparison.has_spread
    assert decide(comparison).outcome is Outcome.SLOWER
    assert compare([0.3] * 4, method=Method.REPEATED_T).p_value == 1.0


def test_blocks_without_a_variance_are_left_out_of_its_mean() -> None:
    known = [BlockValue(d, D_VARIANCE) for d in D]
    partly = [*known[:2], BlockValue(D[2]), known[3]]

    one, other = (compare(blocks, method=Method.REPEATED_T) for blocks in (known, partly))

    assert one.p_value == other.p_value


def test_a_decided_pair_stays_decided_when_later_blocks_scatter() -> None:
    decided = repeated(A, 6)
    later = compare([*A, -0.3, 0.4], method=Method.REPEATED_T)

    assert later.p_value == decided.p_value
    assert later.interval95 is not None
    assert later.interval95.contains(1.0)
    assert decide(later).outcome is decide(decided).outcome is Outcome.SLOWER


@pytest.mark.parametrize(
    ("values", "alone", "among_thirty"),
    [
        ((0.016, 0.010, 0.005, 0.012, 0.009, 0.013), Nuance.NEGLIGIBLY, Nuance.PLAIN),
        (A, Nuance.CLEARLY, Nuance.PLAIN),
    ],
)
def test_clearly_and_negligibly_are_corrected_for_the_family(
    values: tuple[float, ...], alone: Nuance, among_thirty: Nuance
) -> None:
    one, others = repeated(values, 6), [repeated(B, 6)] * 29

    verdicts = [decide(one, family_p_values(family)[0]) for family in ([one], [one, *others])]

    assert [verdict.nuance for verdict in verdicts] == [alone, among_thirty]
    assert verdicts[0].outcome is verdicts[1].outcome


@pytest.mark.parametrize(("deviation", "distance"), [(0.02, 0.05), (0.05, 0.03), (0.01, 0.2)])
def test_the_first_block_that_reaches_a_limit(deviation: float, distance: float) -> None:
    needed = blocks_until(deviation, distance, 0.025)

    assert deviation * half_width_factor(int(needed), 0.05) <= distance
    if needed > 4:
        assert deviation * half_width_factor(int(needed) - 1, 0.05) > distance
    assert blocks_until(deviation, 0.0, 0.025) == math.inf
