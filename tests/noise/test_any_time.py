"""The table of the repeated t test is what follows from its definition, and studies keep to it."""

import numpy as np
import pytest

from benches.noise.any_time.calibration import reach, simulate_reach, smallest_reached_with
from benches.noise.any_time.studies import (
    actual_over_expected,
    blocks_to_verdict,
    correlated,
    false_sameness,
    false_verdicts,
    heavy_tails,
    naive_difference,
    normal,
    slow_mode,
)
from wirelab.statistics.repeated_t import CALIBRATION


@pytest.mark.parametrize(("smallest", "probability"), CALIBRATION[::2])
def test_the_table_is_a_few_percent_on_the_safe_side(smallest: float, probability: float) -> None:
    assert 0.95 * probability <= reach(smallest, 256, nodes=80) <= 0.99 * probability


def test_the_recursion_agrees_with_simulated_blocks() -> None:
    values = [x for x, probability in CALIBRATION if probability >= 0.05]

    simulated = simulate_reach(values, 20_000, last=24)

    assert simulated == pytest.approx([reach(x, 24, nodes=60) for x in values], rel=0.08)


def test_at_the_first_look_the_p_value_is_that_of_one_test() -> None:
    assert reach(0.03, 5, nodes=60) == pytest.approx(
        simulate_reach([0.03], 200_000, 5)[0], rel=0.05
    )
    assert reach(0.03, 5, nodes=60) > 0.03


def test_the_table_is_inverted() -> None:
    found = smallest_reached_with(0.05, last=16)

    assert reach(found, 16) == pytest.approx(0.05, rel=1e-3)


def test_thirty_pairs_of_equal_servers_looked_at_after_every_block() -> None:
    wrong = false_verdicts(1000, 0.04, seed=2)

    assert wrong["differs"] <= 0.05
    assert wrong["covers at every block"] >= 0.95


def test_one_pair_of_equal_servers_and_of_servers_at_the_margin() -> None:
    assert 0.02 <= false_verdicts(3000, 0.04, seed=3, pairs=1)["differs"] <= 0.055
    assert 0.02 <= false_sameness(3000, 0.04, seed=4) <= 0.055
    assert naive_difference(2000, seed=5) > 0.2


def test_what_breaks_the_method() -> None:
    """Heavy tails do not; starts that are sometimes slow, and blocks that are correlated, do."""
    rates = {
        noise: false_verdicts(2000, 0.04, seed=6, pairs=1, noise=noise)["differs"]
        for noise in (heavy_tails, slow_mode, correlated)
    }

    assert rates[heavy_tails] <= 0.05
    assert 0.08 <= rates[slow_mode] <= 0.16
    assert 0.10 <= rates[correlated] <= 0.20


@pytest.mark.parametrize("noise", [normal, heavy_tails, slow_mode, correlated])
def test_noise_has_a_mean_of_0_and_a_deviation_of_1(noise: object) -> None:
    values = noise(np.random.default_rng(7), (20_000, 10))  # type: ignore[operator]

    assert values.mean() == pytest.approx(0.0, abs=0.02)
    assert values.std() == pytest.approx(1.0, abs=0.03)


def test_blocks_to_the_first_verdict() -> None:
    """The mean number for the first of thirty pairs, at sd 2 % and 4 %."""
    rows = blocks_to_verdict(1500, (1.0, 1.05, 1.5), (0.02, 0.04), seed=8)

    blocks = [row["blocks"] for row in rows]
    assert blocks == pytest.approx([4.5, 8.5, 4.0, 9.3, 17.4, 4.4], rel=0.06)


@pytest.mark.parametrize(("ratio", "deviation"), [(1.0, 0.04), (1.05, 0.04), (1.1, 0.08)])
def test_undecided_pairs_take_about_as_many_blocks_as_expected(
    ratio: float, deviation: float
) -> None:
    found = actual_over_expected(150, ratio, deviation, seed=9)

    assert len(found) > 50
    assert 0.4 <= np.median(found) <= 1.1
