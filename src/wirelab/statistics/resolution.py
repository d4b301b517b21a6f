"""What a setting resolves, and whether the method can be trusted: the A/A twins.

In every block, one contender runs twice, under two names. The two are identical, so a significant
difference between them is a false alarm.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from wirelab.statistics.comparison import Comparison
from wirelab.statistics.estimate import SIGNIFICANCE

TWIN_ALARM = 0.01
"""Below this p value, too many twins differ significantly for the study to be reliable."""


def resolves(pairs: Iterable[Comparison]) -> float | None:
    """Return how small a difference the comparisons of a setting show, as a share.

    Question: what does this setting resolve? Formula: the median of half the widths of the 95 %
    intervals of its pairs, the twin left out: one pair of five degrees of freedom may vary three
    times less than the others by chance. No source, no vector.

    "Resolves ±2.1 %" is 0.021. Pairs with too few blocks for a verdict are left out; None without
    any other.
    """
    known = [
        pair.half_width_ratio
        for pair in pairs
        if pair.has_enough_blocks and pair.half_width_ratio is not None
    ]
    return float(np.median(known)) if known else None


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a setting resolves: "resolves ±2.1 %" is a `half_width_ratio` of 0.021.

    `half_width_ratio` is half the width of the 95 % interval of the twin against the baseline, as a
    share; None if there are fewer blocks than a verdict needs. `distinguished` means that the p
    value of the twins, uncorrected, is below 0.05. The margin does not depend on any of this.
    """

    twin: Comparison
    half_width_ratio: float | None
    distinguished: bool


def resolution(twin: Comparison) -> Resolution:
    """Return how small a difference a setting resolves, from its twin and the baseline.

    Question: how large a difference does this setting show between a program and itself? Formula:
    exp(t · s/√n) - 1 over the block values of twin against baseline. Source: Abedi and Brecht, ICPE
    2017 (A/A runs to check a method). Assumes that the twin took its turns like any other
    contender, and that other pairs vary as it does. Based on `compare`, hence vector TV2.
    """
    enough = twin.has_enough_blocks
    return Resolution(
        twin=twin,
        half_width_ratio=twin.half_width_ratio if enough else None,
        distinguished=enough and twin.p_value < SIGNIFICANCE,
    )


@dataclass(frozen=True, slots=True)
class TwinCheck:
    """Whether twins differ more often than by chance; if so, no other result can be trusted."""

    false_positives: int
    comparisons: int
    p_value: float
    reliable: bool


def twin_check(p_values: ArrayLike) -> TwinCheck:
    """Check all twins of a study at once, from the uncorrected p values of their comparisons.

    Question: can the method be trusted on this machine? Formula: exact one-sided binomial test of
    the number of p values below 0.05 against a rate of 5 %; unreliable at p <= 0.01. Source:
    Clopper and Pearson, Biometrika 26 (1934) 404-413 (exact binomial). Assumes one twin per
    setting, and that each setting was measured in separate blocks. No vector.
    """
    p = np.asarray(p_values, dtype=np.float64)
    alarms = int(np.count_nonzero(p < SIGNIFICANCE))
    if p.size == 0:
        return TwinCheck(0, 0, 1.0, True)
    p_value = float(special.bdtrc(alarms - 1, p.size, SIGNIFICANCE))
    return TwinCheck(alarms, p.size, p_value, p_value > TWIN_ALARM)
