"""Whether a ratio depends on the machine: blocks of several machines held against each other."""

import math

import numpy as np
import pytest
import scipy

from wirelab.statistics import compare, machine_effect

GROUPS = {"a": [0.10, 0.12, 0.09], "b": [0.11, 0.13], "c": [0.02, 0.05, 0.03, 0.04]}


def test_the_test_is_that_of_scipy() -> None:
    found = machine_effect(GROUPS)

    assert found is not None
    assert found.p_value == pytest.approx(scipy.stats.f_oneway(*GROUPS.values()).pvalue)


def test_each_machine_has_the_ratio_of_its_blocks() -> None:
    found = machine_effect(GROUPS)

    assert found is not None
    for name, values in GROUPS.items():
        alone = compare(values)
        assert found.machines[name].blocks == len(values)
        assert found.machines[name].ratio == pytest.approx(alone.ratio)
        assert found.machines[name].interval == pytest.approx(alone.interval95)


def test_machines_like_these_are_estimated_with_machines_as_units() -> None:
    found = machine_effect(GROUPS)
    means = [float(np.mean(values)) for values in GROUPS.values()]

    assert found is not None
    assert found.interval is not None
    assert found.ratio == pytest.approx(math.exp(np.mean(means)))
    low, high = scipy.stats.t.interval(0.95, 2, np.mean(means), scipy.stats.sem(means))
    assert found.interval == pytest.approx((math.exp(low), math.exp(high)))


def test_the_spread_between_machines_is_recovered() -> None:
    random = np.random.default_rng(5)
    found = machine_effect(
        {
            str(machine): 0.2 + shift + random.normal(0, 0.02, 12)
            for machine, shift in enumerate(random.normal(0, 0.05, 60))
        }
    )

    assert found is not None
    assert found.p_value is not None
    assert found.p_value < 1e-6
    assert found.spread_ratio == pytest.approx(math.expm1(0.05), rel=0.25)


def test_equal_machines_are_rarely_called_different() -> None:
    random = np.random.default_rng(6)
    alarms = 0
    for _ in range(1000):
        found = machine_effect({name: random.normal(0.1, 0.03, 4) for name in "abc"})
        assert found is not None
        assert found.p_value is not None
        alarms += found.p_value < 0.05

    assert 30 <= alarms <= 70


@pytest.mark.parametrize("groups", [{"a": [0.1, 0.2]}, {"a": [0.1], "b": [0.2]}])
def test_one_machine_or_one_block_on_each_gives_no_result(groups: dict[str, list[float]]) -> None:
    found = machine_effect(groups)

    assert found is not None
    assert found.p_value is None
    assert found.spread_ratio is None


def test_blocks_without_a_value_are_dropped() -> None:
    found = machine_effect({"a": [0.1, math.nan, 0.2], "b": [math.nan]})

    assert found is not None
    assert list(found.machines) == ["a"]
    assert found.machines["a"].blocks == 2
    assert machine_effect({"a": [math.nan]}) is None


def test_blocks_that_never_vary_differ_for_certain_or_not_at_all() -> None:
    same, other = (machine_effect({"a": [0.1, 0.1], "b": [x, x]}) for x in (0.1, 0.2))

    assert same is not None
    assert other is not None
    assert (same.p_value, other.p_value) == (1.0, 0.0)
