"""What differences are due to: the machine, or the factors that contenders combine."""

import math

import numpy as np
import pytest
import scipy

from tests.statistics.constructed import known
from wirelab.statistics import compare, machine_effect, two_way

GROUPS = {"a": [0.10, 0.12, 0.09], "b": [0.11, 0.13], "c": [0.02, 0.05, 0.03, 0.04]}


def test_the_test_is_that_of_scipy() -> None:
    found = known(machine_effect(GROUPS))

    assert found.p_value == pytest.approx(scipy.stats.f_oneway(*GROUPS.values()).pvalue)


def test_each_machine_has_the_ratio_of_its_blocks() -> None:
    found = known(machine_effect(GROUPS))

    for name, values in GROUPS.items():
        alone = compare(values)
        assert found.machines[name].blocks == len(values)
        assert found.machines[name].ratio == pytest.approx(alone.ratio)
        assert found.machines[name].interval == pytest.approx(alone.interval95)


def test_machines_like_these_are_estimated_with_machines_as_units() -> None:
    found = known(machine_effect(GROUPS))
    means = [float(np.mean(values)) for values in GROUPS.values()]

    assert found.interval is not None
    assert found.ratio == pytest.approx(math.exp(np.mean(means)))
    low, high = scipy.stats.t.interval(0.95, 2, np.mean(means), scipy.stats.sem(means))
    assert found.interval == pytest.approx((math.exp(low), math.exp(high)))


def test_the_spread_between_machines_is_recovered() -> None:
    random = np.random.default_rng(5)
    found = known(
        machine_effect(
            {
                str(machine): 0.2 + shift + random.normal(0, 0.02, 12)
                for machine, shift in enumerate(random.normal(0, 0.05, 60))
            }
        )
    )

    assert found.p_value is not None
    assert found.p_value < 1e-6
    assert found.spread_ratio == pytest.approx(math.expm1(0.05), rel=0.25)


def test_equal_machines_are_rarely_called_different() -> None:
    random = np.random.default_rng(6)
    alarms = 0
    for _ in range(1000):
        found = known(machine_effect({name: random.normal(0.1, 0.03, 4) for name in "abc"}))
        assert found.p_value is not None
        alarms += found.p_value < 0.05

    assert 30 <= alarms <= 70


@pytest.mark.parametrize("groups", [{"a": [0.1, 0.2]}, {"a": [0.1], "b": [0.2]}])
def test_one_machine_or_one_block_on_each_gives_no_result(groups: dict[str, list[float]]) -> None:
    found = known(machine_effect(groups))

    assert found.p_value is None
    assert found.spread_ratio is None


def test_blocks_without_a_value_are_dropped() -> None:
    found = known(machine_effect({"a": [0.1, math.nan, 0.2], "b": [math.nan]}))

    assert list(found.machines) == ["a"]
    assert found.machines["a"].blocks == 2
    assert machine_effect({"a": [math.nan]}) is None


def test_blocks_that_never_vary_differ_for_certain_or_not_at_all() -> None:
    same, other = (machine_effect({"a": [0.1, 0.1], "b": [x, x]}) for x in (0.1, 0.2))

    assert same is not None
    assert other is not None
    assert (same.p_value, other.p_value) == (1.0, 0.0)


ROWS = np.array([0.5, 2.0])
COLUMNS = np.array([1.0, 2.0, 0.5])


def test_factors_that_multiply_are_found_with_their_shares() -> None:
    table = 100.0 * np.outer(ROWS, COLUMNS)

    found = two_way([table, table * 1.5])  # a slower block changes nothing

    assert found is not None
    assert [each.value for each in found.rows] == pytest.approx([0.5, 2.0])
    assert [each.value for each in found.columns] == pytest.approx([1.0, 2.0, 0.5])
    # Sums of squares: rows 3 * 2 * ln(2)², columns 2 * 2 * ln(2)².
    assert found.row_share == pytest.approx(0.6)
    assert found.column_share == pytest.approx(0.4)
    assert found.combination_share == pytest.approx(0.0, abs=1e-9)
    assert found.blocks == 2


def test_the_effect_of_a_combination_belongs_to_neither_factor() -> None:
    table = np.array([[2.0, 0.5], [0.5, 2.0]])

    found = known(two_way([table, table]))

    assert (found.row_share, found.column_share, found.combination_share) == (0.0, 0.0, 1.0)


def test_noise_is_in_no_share() -> None:
    """By hand: sums of squares 0.36, 0.0016 and 0.0016; the rest, 0.0064 with 3 degrees."""
    logs = np.array([[[0.31, 0.25], [-0.31, -0.25]], [[0.29, 0.35], [-0.33, -0.31]]])
    centred = logs - logs.mean(axis=(1, 2), keepdims=True)
    table = centred.mean(axis=0)
    rest = float(((centred - table) ** 2).sum()) / 3
    row = 2 * 2 * float((table.mean(axis=1) ** 2).sum()) - rest
    column = 2 * 2 * float((table.mean(axis=0) ** 2).sum()) - rest
    interaction = (table[0, 0] - table[0, 1] - table[1, 0] + table[1, 1]) ** 2 / 4
    combination = 2 * float(interaction) - rest
    expected = np.maximum([row, column, combination], 0.0)

    found = known(two_way(np.exp(logs)))

    assert [
        found.row_share,
        found.column_share,
        found.combination_share,
    ] == pytest.approx(expected / expected.sum())


def test_a_factor_that_noise_hides_has_no_share_on_average() -> None:
    """Rows differ by ±1.5 % and noise is 3 %; the sum of squares of noise would give 40 %."""
    generator = np.random.Generator(np.random.PCG64(2))
    effects = np.exp(np.array([[0.015], [-0.015]]) * np.ones(3))
    shares = [
        (found.row_share, found.column_share, found.combination_share)
        for _ in range(300)
        if (found := two_way(effects * np.exp(generator.normal(0.0, 0.03, (6, 2, 3)))))
    ]
    row, column, combination = np.median(shares, axis=0)

    assert row >= 0.75
    assert (column, combination) == (0.0, 0.0)


def test_intervals_cover_the_effect_as_often_as_stated() -> None:
    generator = np.random.Generator(np.random.PCG64(1))
    true, covered, tries = np.outer(ROWS, COLUMNS), 0, 400
    for _ in range(tries):
        noise = np.exp(generator.normal(0.0, 0.1, (6, 2, 3)))
        found = known(two_way(true * noise))
        interval = found.rows[1].interval
        assert interval is not None
        covered += interval.low <= 2.0 <= interval.high

    assert 0.92 <= covered / tries <= 0.98


def test_blocks_that_lack_a_value_are_left_out() -> None:
    whole = np.outer(ROWS, COLUMNS)
    holed = whole.copy()
    holed[0, 0] = math.nan

    found = known(two_way([whole, holed, whole]))

    assert found.blocks == 2
    assert two_way([holed]) is None
    assert two_way([]) is None
    assert two_way([whole]) is None  # one block does not tell noise from a combination
    assert two_way([np.ones((2, 2))] * 2) is None  # nothing differs
