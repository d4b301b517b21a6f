"""What this machine calls different when nothing is: the A/A twin."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binomtest

from wirelab.statistics.comparison import compare
from wirelab.statistics.interval import Interval
from wirelab.statistics.verdict import SIGNIFICANCE

TWIN_ALARM = 0.01
"""Below this p value, too many twins were told apart for the study to be believed."""


@dataclass(frozen=True, slots=True)
class NoiseFloor:
    """How well the machine tells a contender from its own twin.

    `half_width_ratio` is the half-width of the 95 % interval as a share: 0.021 means ±2.1 %. It is
    None where fewer than two blocks were valid: then nothing is known of the noise.
    """

    half_width_ratio: float | None
    ratio: float
    interval95: Interval | None
    p_value: float
    blocks: int
    warnings: tuple[str, ...]


def noise_floor(a: ArrayLike, twin: ArrayLike) -> NoiseFloor:
    """Measure the noise floor from a contender and its twin, one cost per block each.

    Question: how large a difference does this machine show between a program and itself? Formula:
    half-width of the paired interval, exp(t · s/√B) - 1. Source: Abedi and Brecht, ICPE 2017 (A/A
    runs as the check of a method). Assumes that the twin was scheduled like any other contender.
    Built on `compare`, hence vector V11.

    Raises ValueError when lengths differ.
    """
    comparison = compare(a, twin)
    interval = comparison.interval95
    half_width = None
    warnings = list(comparison.warnings)
    if interval is not None:
        half_width = math.sqrt(interval.high / interval.low) - 1.0
        if not interval.contains(1.0):
            warnings.append(
                "a contender and its own twin were told apart: something besides the contender"
                " differs between runs"
            )
    return NoiseFloor(
        half_width_ratio=half_width,
        ratio=comparison.ratio,
        interval95=interval,
        p_value=comparison.p_value,
        blocks=comparison.blocks,
        warnings=tuple(warnings),
    )


def margin_from(noise_floor: NoiseFloor, floor: float = 0.05) -> float:
    """Set the equivalence margin as a share: twice the noise floor, and never below `floor`.

    Question: from which size on is a difference worth a word on this machine? Formula:
    max(floor, 2 · half-width). With an unknown noise floor it is `floor`. Assumes that the study
    file set no margin of its own. No vector.
    """
    return max(floor, 2.0 * (noise_floor.half_width_ratio or 0.0))


@dataclass(frozen=True, slots=True)
class TwinCheck:
    """Whether twins were told apart more often than chance allows; if so, nothing else counts."""

    false_positives: int
    comparisons: int
    p_value: float
    reliable: bool


def twin_check(p_values: ArrayLike) -> TwinCheck:
    """Check all twins of a bundle at once, from the unadjusted p values of their comparisons.

    Question: can the method be believed on this machine? Formula: exact one-sided binomial test
    of the number of p values below 0.05 against a rate of 5 %; unreliable at p <= 0.01. Source:
    Clopper and Pearson, Biometrika 26 (1934) 404-413 (exact binomial). Assumes twins of different
    cells to be independent. No vector.
    """
    p = np.asarray(p_values, dtype=np.float64)
    alarms = int(np.count_nonzero(p < SIGNIFICANCE))
    if p.size == 0:
        return TwinCheck(0, 0, 1.0, True)
    p_value = float(binomtest(alarms, p.size, SIGNIFICANCE, alternative="greater").pvalue)
    return TwinCheck(alarms, p.size, p_value, p_value > TWIN_ALARM)
