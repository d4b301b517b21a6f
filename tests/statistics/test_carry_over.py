"""Whether the time of a slice depends on whose slice came before."""

import math

import numpy as np
import pytest

from tests.statistics.constructed import known
from tests.statistics.noisy_machine import measure_block
from wirelab.statistics import CarryOver, Turns, busy_when_idle, carry_over


def study(
    rng: np.random.Generator, effects: list[float], permutations: int = 30, **noise: float
) -> CarryOver | None:
    """Measure six blocks of equal contenders that leave such effects behind."""
    blocks = [
        measure_block(
            rng, permutations, np.zeros(len(effects)), carry_over=np.array(effects), **noise
        )
        for _ in range(6)
    ]
    return carry_over([Turns(block.log_times, block.order) for block in blocks])


def test_an_effect_is_recovered() -> None:
    found = known(study(np.random.default_rng(40), [0.10, 0.0, 0.0, -0.02], bursts_per_s=0.0))

    # Effects add up to zero: each is less the mean of 2 %.
    expected = [0.08, -0.02, -0.02, -0.04]
    assert [each.value for each in found.after] == pytest.approx(expected, abs=0.01)
    assert found.p_value < 0.001
    assert found.bias_ratio == pytest.approx(math.expm1(0.12 / 4), abs=0.005)
    assert found.blocks == 6


@pytest.mark.parametrize("contenders", [2, 3, 5])
def test_the_bias_is_what_the_effects_do_to_a_ratio(contenders: int) -> None:
    """Contender 0 leaves 30 % behind, and escapes it more often than the others do."""
    effects = np.zeros(contenders)
    effects[0] = 0.30
    block = measure_block(
        np.random.default_rng(41), 4000, np.zeros(contenders), start_sd=0.0, bursts_per_s=0.0,
        carry_over=effects,
    )  # fmt: skip

    bias = float(np.mean(block.log_times[:, 1] - block.log_times[:, 0]))

    assert bias == pytest.approx(0.30 / contenders, abs=0.01)


def test_with_two_contenders_the_first_one_determines_the_order() -> None:
    found = known(study(np.random.default_rng(42), [0.2, 0.0], permutations=60))

    assert found.after[0].value == pytest.approx(0.1, abs=0.03)
    assert found.after[0].value == pytest.approx(-found.after[1].value)
    assert found.p_value == found.after[0].p_value()


def test_slices_without_a_time_are_left_out() -> None:
    rng = np.random.default_rng(43)
    blocks = [measure_block(rng, 30, np.zeros(3)) for _ in range(6)]
    for block in blocks:
        block.log_times[3, 1] = math.nan
        block.log_times[7] = math.nan

    found = known(carry_over([Turns(block.log_times, block.order) for block in blocks]))

    assert found.blocks == 6
    assert all(math.isfinite(each.value) for each in found.after)


def test_a_constant_order_gives_no_result() -> None:
    order = np.tile([0, 1, 2], (30, 1))
    times = np.random.default_rng(44).normal(0.0, 0.1, (30, 3))

    assert carry_over([Turns(times, order)] * 6) is None
    assert carry_over([Turns(times[:, :1], order[:, :1])] * 6) is None
    assert carry_over([Turns(np.full((30, 3), math.nan), order)] * 6) is None
    assert carry_over([]) is None


def shares_found(contenders: int, effect: float, studies: int) -> float:
    """Simulate studies; return the share of those that find the effect of one contender."""
    rng = np.random.default_rng(46)
    effects = [effect] + [0.0] * (contenders - 1)
    found = [study(rng, effects) for _ in range(studies)]
    return float(np.mean([each is not None and each.p_value < 0.05 for each in found]))


def test_power_and_false_alarms_in_brief() -> None:
    assert shares_found(4, 0.0, 60) <= 0.15
    assert shares_found(4, 0.05, 30) >= 0.9


@pytest.mark.thorough(reason="4,000 studies: a minute")
@pytest.mark.parametrize("contenders", [2, 3, 5])
def test_power_and_false_alarms(contenders: int) -> None:
    assert shares_found(contenders, 0.0, 600) <= 0.07
    assert shares_found(contenders, 0.03, 300) >= (0.3 if contenders == 2 else 0.7)
    assert shares_found(contenders, 0.05, 300) >= (0.75 if contenders == 2 else 0.95)


def test_a_contender_that_works_out_of_turn_is_named() -> None:
    shares = {"flask": 0.004, "spring": 0.03, "node": 0.01, "go": None, "netty": 0.2}

    assert busy_when_idle(shares) == {"netty": 0.2, "spring": 0.03}
    assert list(busy_when_idle(shares)) == ["netty", "spring"]
