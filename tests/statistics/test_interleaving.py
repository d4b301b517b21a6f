"""Does the whole chain keep its promises on a noisy machine? Seeded simulations.

Permutations, trimmed block values, t over blocks, Holm over the family, verdicts: four contenders,
six blocks of thirty permutations, on the machine of `noisy_machine`.
"""

import itertools
import math
from dataclasses import dataclass, field

import numpy as np
import pytest

from tests.statistics.constructed import known
from tests.statistics.noisy_machine import Block, measure_block
from wirelab.statistics import (
    Comparison,
    Estimate,
    Outcome,
    block_value,
    compare,
    decide,
    holm,
    trimmed_mean,
    variance_of_one,
)

CONTENDERS = 4
PAIRS = tuple(itertools.combinations(range(CONTENDERS), 2))
EQUAL = np.zeros(CONTENDERS)
BLOCKS, PERMUTATIONS = 6, 30
LOOKS = (6, 10, 15)
DISTINGUISHED = {Outcome.FASTER, Outcome.SLOWER}


@dataclass
class Tally:
    """What became of many studies."""

    studies: int = 0
    alarmed: int = 0
    covered: list[bool] = field(default_factory=list)
    half_widths: list[float] = field(default_factory=list)
    deviations: list[float] = field(default_factory=list)
    first_pair: list[Outcome] = field(default_factory=list)

    @property
    def alarms(self) -> float:
        """The share of studies in which any pair is distinguished."""
        return self.alarmed / self.studies


def measure(
    rng: np.random.Generator, effects: np.ndarray = EQUAL, blocks: int = BLOCKS
) -> list[Block]:
    return [measure_block(rng, PERMUTATIONS, effects) for _ in range(blocks)]


def compare_all(blocks: list[Block]) -> list[Comparison]:
    return [compare([block_value(block.log_ratios(a, b)) for block in blocks]) for a, b in PAIRS]


def outcomes_of(comparisons: list[Comparison]) -> list[Outcome]:
    adjusted = holm([comparison.p_value for comparison in comparisons])
    return [
        decide(comparison, p_holm=float(p)).outcome
        for comparison, p in zip(comparisons, adjusted, strict=True)
    ]


def simulate(seed: int, studies: int, effects: np.ndarray = EQUAL) -> Tally:
    rng, tally = np.random.default_rng(seed), Tally()
    for _ in range(studies):
        comparisons = compare_all(measure(rng, effects))
        outcomes = outcomes_of(comparisons)
        tally.studies += 1
        tally.alarmed += bool(set(outcomes) & DISTINGUISHED)
        tally.first_pair.append(outcomes[0])
        for comparison, (a, b) in zip(comparisons, PAIRS, strict=True):
            interval = known(comparison.interval95)
            assert comparison.half_width_ratio is not None
            assert comparison.standard_deviation is not None
            tally.covered.append(interval.contains(math.exp(effects[a] - effects[b])))
            tally.half_widths.append(comparison.half_width_ratio)
            tally.deviations.append(comparison.standard_deviation)
    return tally


def permutations_as_replicates(rng: np.random.Generator) -> bool:
    """Tell whether any equal contenders differ if each permutation counts as an observation."""
    blocks, p_values = measure(rng), []
    for a, b in PAIRS:
        values = np.concatenate([block.log_ratios(a, b) for block in blocks])
        error = math.sqrt(variance_of_one(values) / values.size)
        p_values.append(Estimate(trimmed_mean(values), error, 0.6 * values.size - 1.0).p_value())
    return bool(holm(p_values).min() < 0.05)


def stopped_by_precision(rng: np.random.Generator) -> bool:
    """Look at 6, 10 and 15 blocks, stop at ±3 %, and return whether any pair was distinguished."""
    blocks = measure(rng, blocks=LOOKS[-1])
    for look in LOOKS:
        comparisons = compare_all(blocks[:look])
        if max(each.half_width_ratio or math.inf for each in comparisons) <= 0.03:
            break
    return bool(set(outcomes_of(comparisons)) & DISTINGUISHED)


def test_equal_contenders_in_brief() -> None:
    tally = simulate(50, 100)

    assert tally.alarms <= 0.05
    assert np.mean(tally.covered) >= 0.92
    # As measured on a real machine: sd 0.03 to 0.04, resolves ±3.0 to 3.6 %.
    assert 0.025 <= np.median(tally.deviations) <= 0.04
    assert 0.025 <= np.median(tally.half_widths) <= 0.04


def test_a_difference_of_10_percent_is_found_in_brief() -> None:
    tally = simulate(51, 40, np.array([math.log(1.10), 0.0, 0.0, 0.0]))

    assert np.mean([outcome is Outcome.SLOWER for outcome in tally.first_pair]) >= 0.8
    assert Outcome.SAME not in tally.first_pair


def test_permutations_are_no_replicates() -> None:
    rng = np.random.default_rng(52)

    assert np.mean([permutations_as_replicates(rng) for _ in range(100)]) >= 0.3


def test_a_slice_that_ends_by_time_is_a_little_too_slow() -> None:
    """Of 20 exponential times (cv = 1): 1/20 too high, and half of that on the log scale."""
    rng = np.random.default_rng(53)
    times = rng.exponential(1.0, (10_000, 80))
    began = np.cumsum(times, axis=1) - times
    means = np.array([t[b < 20.0].mean() for t, b in zip(times, began, strict=True)])
    by_count = times[:, :20].mean(axis=1)

    assert means.mean() - 1.0 == pytest.approx(1 / 20, abs=0.01)
    assert np.log(means).mean() == pytest.approx(1 / 40, abs=0.01)
    assert np.log(by_count).mean() == pytest.approx(-1 / 40, abs=0.01)


@pytest.mark.thorough(reason="2,000 studies: a minute")
def test_equal_contenders() -> None:
    tally = simulate(60, 2000)

    assert tally.alarms <= 0.035
    assert 0.935 <= np.mean(tally.covered) <= 0.965


@pytest.mark.thorough(reason="1,000 studies: 30 seconds")
@pytest.mark.parametrize(("ratio", "least"), [(1.10, 0.87), (1.20, 0.99)])
def test_differences_are_found(ratio: float, least: float) -> None:
    tally = simulate(61, 500, np.array([math.log(ratio), 0.0, 0.0, 0.0]))

    assert np.mean([outcome is Outcome.SLOWER for outcome in tally.first_pair]) >= least
    assert np.mean(tally.covered) >= 0.93


@pytest.mark.thorough(reason="1,000 studies: 30 seconds")
def test_a_difference_as_large_as_the_margin_is_rarely_called_the_same() -> None:
    tally = simulate(62, 1000, np.array([math.log(1.05), 0.0, 0.0, 0.0]))

    assert np.mean([outcome is Outcome.SAME for outcome in tally.first_pair]) <= 0.07


@pytest.mark.thorough(reason="15,000 blocks: a minute")
def test_stopping_by_precision_raises_no_more_alarms() -> None:
    rng = np.random.default_rng(63)

    assert np.mean([stopped_by_precision(rng) for _ in range(1000)]) <= 0.05
