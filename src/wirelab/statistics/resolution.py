"""What a setting resolves, and whether the method can be trusted: the A/A twins.

In every block, one contender runs twice, under two names. The two are identical, so the width of
their interval shows how small a difference this setting can resolve, and a significant difference
is a false alarm.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from wirelab.statistics.comparison import MINIMUM_BLOCKS, Comparison
from wirelab.statistics.verdict import SIGNIFICANCE

TWIN_ALARM = 0.01
"""Below this p value, too many twins differ significantly for the study to be reliable."""


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
    enough = twin.blocks >= MINIMUM_BLOCKS
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
