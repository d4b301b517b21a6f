"""Simulated studies: what is said of equal servers, how often intervals miss, how long it takes.

A block value is normal around the true log-ratio unless a `Noise` says otherwise; permutations
explain half of its variance, as in real bundles (48 to 89 %), and each block estimates that part
from its own. The functions of the product test them; here they get many comparisons at once.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from wirelab.statistics import SIGNIFICANCE, BlockValue, Method, blocks_needed, compare
from wirelab.statistics.repeated_t import FIRST_LOOK, calibrated, half_width_factor, looks

Floats = NDArray[np.float64]
Noise = Callable[[np.random.Generator, tuple[int, ...]], Floats]
"""Draws the noise of blocks, in standard deviations; the blocks of a comparison are one row."""

MARGIN = math.log(1.05)
MOST_BLOCKS = 40
LONG = 300
"""Blocks after which almost every comparison is decided."""
PAIRS = 30
EXPLAINED, PERMUTATIONS = 0.5, 20
BATCH = 500


@dataclass(frozen=True, slots=True)
class AfterEachBlock:
    """P values after 4, 5, ... blocks, and whether the interval missed, along the last axis."""

    differs: Floats
    same: Floats
    missed: NDArray[np.bool_]


def normal(random: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Blocks as the method assumes them."""
    return random.standard_normal(shape)


def heavy_tails(random: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Student's t with three degrees of freedom, scaled to a standard deviation of 1."""
    return random.standard_t(3, shape) / math.sqrt(3.0)


def slow_mode(random: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """One start in five is slower by five standard deviations of the others."""
    slow = 5.0 * (random.random(shape) < 0.2)
    noise: Floats = random.standard_normal(shape) + slow - 1.0
    return noise / math.sqrt(1.0 + 25.0 * 0.16)


def correlated(random: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Each block resembles the one before it: a correlation of 0.3."""
    noise = random.standard_normal(shape)
    for block in range(1, shape[-1]):
        noise[..., block] = 0.3 * noise[..., block - 1] + math.sqrt(0.91) * noise[..., block]
    return noise


NOISES: dict[str, Noise] = {
    "normal": normal,
    "heavy tails": heavy_tails,
    "a slow mode in 20 % of blocks": slow_mode,
    "correlated by 0.3": correlated,
}


def measure(
    random: np.random.Generator,
    shape: tuple[int, ...],
    log_ratio: float,
    deviation: float,
    noise: Noise = normal,
) -> tuple[Floats, Floats]:
    """Return block values around a true log-ratio, and the variances that permutations explain."""
    values = log_ratio + deviation * noise(random, shape)
    freedom = PERMUTATIONS - 1
    spread: Floats = random.chisquare(freedom, shape) / freedom
    return values, EXPLAINED * deviation**2 * spread


def look_after_each_block(
    blocks: tuple[Floats, Floats], log_ratio: float, margin: float = MARGIN
) -> AfterEachBlock:
    """Test what was measured after each block; `log_ratio` is the true one."""
    after = looks(*blocks)

    def reached(limit: float, sign: float) -> Floats:
        """Return the smallest p · k/4 so far that the mean lies on that side of a limit."""
        mirrored = after._replace(means=sign * after.means)
        return np.minimum.accumulate(mirrored.scaled_tails(sign * limit), axis=-1)

    within = np.maximum(reached(-margin, 1.0), reached(margin, -1.0))
    counts = range(FIRST_LOOK, blocks[0].shape[-1] + 1)
    widths = np.array([half_width_factor(count, SIGNIFICANCE) for count in counts])
    return AfterEachBlock(
        differs=np.minimum(1.0, calibrated(np.minimum(reached(0.0, 1.0), reached(0.0, -1.0)))),
        same=np.minimum(1.0, calibrated(within) / 2.0),
        missed=np.abs(after.means - log_ratio) > widths * after.deviations,
    )


def first_verdicts(
    measured: AfterEachBlock, pairs: int = PAIRS
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return after how many blocks each comparison is decided, and whether it is ever.

    The first of `pairs` that Holm's method looks at: its p value must be below 0.05/pairs.
    """
    decided = (measured.differs < SIGNIFICANCE / pairs) | (measured.same < SIGNIFICANCE)
    ever: NDArray[np.bool_] = np.logical_or.reduce(decided, axis=-1)
    most = decided.shape[-1] + FIRST_LOOK - 1
    return np.where(ever, decided.argmax(axis=-1) + FIRST_LOOK, most), ever


def false_verdicts(
    studies: int, deviation: float, seed: int, *, pairs: int = PAIRS, noise: Noise = normal
) -> dict[str, float]:
    """Return the shares of studies of equal servers that are wrong when looked at to the end.

    A study has `pairs` comparisons, and is looked at after every block up to the fortieth.
    """
    random = np.random.default_rng(seed)
    differing = negligibly = missing = at_verdict = 0.0
    for begun in range(0, studies, BATCH):
        shape = (min(BATCH, studies - begun), pairs, MOST_BLOCKS)
        measured = look_after_each_block(measure(random, shape, 0.0, deviation, noise), 0.0)
        differs = measured.differs < SIGNIFICANCE / pairs  # the first step of Holm's method
        differing += float(differs.any(axis=(1, 2)).sum())
        negligibly += float((differs & (measured.same < SIGNIFICANCE)).any(axis=(1, 2)).sum())
        missing += float(measured.missed.any(axis=-1).mean(axis=-1).sum())
        ends = first_verdicts(measured, pairs)[0] - FIRST_LOOK
        ended = np.take_along_axis(measured.missed, ends[..., np.newaxis], axis=-1)
        at_verdict += float(ended.mean(axis=(1, 2)).sum())
    return {
        "deviation": deviation,
        "differs": differing / studies,
        "negligibly": negligibly / studies,
        "covers at every block": 1.0 - missing / studies,
        "covers at the verdict": 1.0 - at_verdict / studies,
    }


def false_sameness(studies: int, deviation: float, seed: int) -> float:
    """Return the share of comparisons at the margin that are ever called practically the same."""
    random = np.random.default_rng(seed)
    blocks = measure(random, (studies, MOST_BLOCKS), MARGIN, deviation)
    measured = look_after_each_block(blocks, MARGIN)
    return float((measured.same < SIGNIFICANCE).any(axis=-1).mean())


def naive_difference(studies: int, seed: int) -> float:
    """Return the share of equal pairs that a t test after every block calls different."""
    random = np.random.default_rng(seed)
    after = looks(random.standard_normal((studies, MOST_BLOCKS)))
    counts = np.arange(FIRST_LOOK, MOST_BLOCKS + 1)
    t = np.abs(after.means) * np.sqrt(counts) / after.deviations
    return float((2.0 * special.stdtr(counts - 1, -t) < SIGNIFICANCE).any(axis=-1).mean())


def blocks_to_verdict(
    studies: int, ratios: tuple[float, ...], deviations: tuple[float, ...], seed: int
) -> Iterator[dict[str, float]]:
    """Yield the mean number of blocks to the first verdict, and the share that has one."""
    for deviation in deviations:
        for ratio in ratios:
            random = np.random.default_rng(seed)
            drawn = measure(random, (studies, MOST_BLOCKS), math.log(ratio), deviation)
            blocks, ever = first_verdicts(look_after_each_block(drawn, math.log(ratio)))
            yield {
                "deviation": deviation,
                "ratio": ratio,
                "blocks": float(blocks.mean()),
                "decided": float(ever.mean()),
            }


def actual_over_expected(
    studies: int, ratio: float, deviation: float, seed: int, *, after: int = 6
) -> Floats:
    """Return how many more blocks undecided comparisons took, over how many were expected."""
    random = np.random.default_rng(seed)
    values, variances = measure(random, (studies, LONG), math.log(ratio), deviation)
    ends, ever = first_verdicts(look_after_each_block((values, variances), math.log(ratio)))
    ratios = []
    for pair in np.flatnonzero(ever & (ends > after)):
        blocks = [
            BlockValue(*block)
            for block in zip(values[pair, :after], variances[pair, :after], strict=True)
        ]
        comparison = compare(blocks, method=Method.REPEATED_T)
        needed = blocks_needed(comparison, SIGNIFICANCE / PAIRS)
        assert needed is not None
        ratios.append((ends[pair] - after) / (needed.expected - after))
    return np.array(ratios)
