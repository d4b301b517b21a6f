"""Do separate runs keep the promises of the method where the truth is known? Seeded simulations.

Contenders run one after the other, as a design may ask for. The log cost of a run is a linear drift
over the session's slots, a normal run-to-run error of 3 % and a heavy tail of 1 % · t with three
degrees of freedom. Within a block the order is random.
"""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from wirelab.statistics import Comparison, Outcome, compare, decide, holm

pytestmark = pytest.mark.slow


def session(
    rng: np.random.Generator, blocks: int, *, effect: float, drift: float
) -> NDArray[np.float64]:
    """Log-ratios A/B over the blocks of one session; A is `effect` dearer on the log scale."""
    slots = drift * np.arange(2 * blocks).reshape(blocks, 2) / (2 * blocks - 1)
    drifts = rng.permuted(slots, axis=1)
    errors = rng.normal(0.0, 0.03, (blocks, 2)) + 0.01 * rng.standard_t(3, (blocks, 2))
    logs = drifts + errors + np.array([effect, 0.0])
    difference: NDArray[np.float64] = logs[:, 0] - logs[:, 1]
    return difference


def comparisons(
    seed: int, replications: int, blocks: int, *, effect: float, drift: float
) -> list[Comparison]:
    rng = np.random.default_rng(seed)
    return [compare(session(rng, blocks, effect=effect, drift=drift)) for _ in range(replications)]


@pytest.mark.parametrize("blocks", [6, 10, 20])
@pytest.mark.parametrize("drift", [0.0, 0.10])
def test_equal_contenders_are_distinguished_in_at_most_7_percent(blocks: int, drift: float) -> None:
    results = comparisons(100 + blocks, 2000, blocks, effect=0.0, drift=drift)

    assert np.mean([result.p_value < 0.05 for result in results]) <= 0.07


@pytest.mark.parametrize("blocks", [6, 10, 20])
def test_the_interval_covers_the_truth_in_93_percent_at_least(blocks: int) -> None:
    truth = math.exp(0.05)
    results = comparisons(200 + blocks, 2000, blocks, effect=0.05, drift=0.05)

    covered = [
        result.interval95 is not None and result.interval95.contains(truth) for result in results
    ]
    covered_by_ranks = [
        result.rank_interval is not None and result.rank_interval.contains(truth)
        for result in results
    ]

    assert np.mean(covered) >= 0.93
    assert np.mean(covered_by_ranks) >= 0.93


def test_an_effect_of_two_standard_deviations_is_found_in_80_percent_of_studies() -> None:
    noise = comparisons(300, 500, 10, effect=0.0, drift=0.0)
    deviation = math.sqrt(np.mean([np.var(result.log_ratios, ddof=1) for result in noise]))

    results = comparisons(301, 1000, 10, effect=2 * deviation, drift=0.0)
    outcomes = [decide(result, p_holm=result.p_value).outcome for result in results]

    assert outcomes.count(Outcome.SLOWER) >= 800


def test_a_difference_as_large_as_the_margin_is_rarely_called_the_same() -> None:
    results = comparisons(400, 2000, 10, effect=math.log(1.05), drift=0.05)

    same = [decide(result, p_holm=1.0).outcome is Outcome.SAME for result in results]

    assert np.mean(same) <= 0.07


def test_a_family_of_equal_contenders_raises_a_false_alarm_in_7_percent_at_most() -> None:
    """Ten pairs a study: at 5 % each and unadjusted, some 40 % of studies would raise one."""
    rng = np.random.default_rng(500)
    alarms = 0
    for _ in range(400):
        results = [compare(session(rng, 10, effect=0.0, drift=0.1)) for _ in range(10)]
        adjusted = holm([result.p_value for result in results])
        outcomes = {
            decide(result, p_holm=float(p)).outcome
            for result, p in zip(results, adjusted, strict=True)
        }
        alarms += bool(outcomes & {Outcome.FASTER, Outcome.SLOWER})

    assert alarms / 400 <= 0.07
