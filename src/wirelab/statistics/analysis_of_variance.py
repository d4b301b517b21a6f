"""What differences are due to: the machine that measured, or the factors that contenders combine.

Contenders are compared within a block, and a block is measured on one machine. So different
machines do not bias a ratio; but if the ratio itself differs from machine to machine, the blocks of
one machine are not independent evidence about machines in general.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from wirelab.statistics.estimate import (
    Amount,
    Interval,
    geometric_mean,
    mean_estimate,
    ratio_interval,
)


@dataclass(frozen=True, slots=True)
class OnMachine:
    """The result from the blocks of one machine: the ratio A over B and its 95 % interval."""

    blocks: int
    ratio: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class MachineEffect:
    """A ratio on each machine, and whether machines differ more than their blocks do.

    `p_value` is that of no difference; None if no machine has two blocks, or only one has any.
    `spread_ratio` is the standard deviation between machines, as a share: 0.02 means that the true
    ratio varies by some 2 % from machine to machine; 0 if the data show no difference. `ratio` and
    `interval` are about machines like these, with the machines as the units; the interval is None
    for one machine.
    """

    machines: Mapping[str, OnMachine]
    p_value: float | None
    spread_ratio: float | None
    ratio: float
    interval: Interval | None


def machine_effect(log_ratios: Mapping[str, ArrayLike]) -> MachineEffect | None:
    """Test whether the ratio of two contenders depends on the machine.

    Question: is it the same on every machine? Formula: one-way analysis of variance with the
    machine as a random effect: F = MSB/MSW over block values ln(A/B), with k - 1 and N - k degrees
    of freedom; variance between machines (MSB - MSW)/n0, n0 = (N - Σn²/N)/(k - 1), not below zero;
    for machines in general, mean ± t · s/√k over the means of machines. Source: Searle, Casella and
    McCulloch, Variance Components (1992), chapter 3. Assumes blocks that are independent, roughly
    normal and vary alike on all machines. No vector; the tests compare with SciPy and simulate.

    `log_ratios` has the block values by machine; values that are not finite are dropped. Returns
    None without any.
    """
    known = {name: _finite(values) for name, values in log_ratios.items()}
    known = {name: values for name, values in known.items() if values.size}
    if not known:
        return None
    p_value, variance = _between(list(known.values()))
    means = mean_estimate([float(values.mean()) for values in known.values()])
    return MachineEffect(
        machines={name: _on_machine(values) for name, values in known.items()},
        p_value=p_value,
        spread_ratio=None if variance is None else math.expm1(math.sqrt(max(0.0, variance))),
        ratio=math.exp(means.value),
        interval=ratio_interval(means.interval(0.95)),
    )


def _between(groups: list[NDArray[np.float64]]) -> tuple[float | None, float | None]:
    """Return the p value of no difference between groups, and the variance between them."""
    sizes = np.array([group.size for group in groups])
    count, total = len(groups), int(sizes.sum())
    if count < 2 or total <= count:
        return None, None
    grand = float(np.concatenate(groups).mean())
    between = sum(group.size * (float(group.mean()) - grand) ** 2 for group in groups)
    within = sum(float(((group - group.mean()) ** 2).sum()) for group in groups)
    mean_between, mean_within = between / (count - 1), within / (total - count)
    size = (total - float((sizes**2).sum()) / total) / (count - 1)
    variance = (mean_between - mean_within) / size
    if mean_within == 0.0:
        return (0.0 if mean_between > 0.0 else 1.0), variance
    p_value = float(special.fdtrc(count - 1, total - count, mean_between / mean_within))
    return p_value, variance


def _on_machine(values: NDArray[np.float64]) -> OnMachine:
    estimate = mean_estimate(values)
    return OnMachine(values.size, math.exp(estimate.value), ratio_interval(estimate.interval(0.95)))


def _finite(values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    return array[np.isfinite(array)]


@dataclass(frozen=True, slots=True)
class TwoWay:
    """The effects of two factors on a positive quantity, and their shares of its differences.

    An effect is the ratio of a level to the mean of all levels, over blocks. Shares add up to 1;
    that of the combination is what the two effects together do not explain. What noise explains is
    in none of them.
    """

    rows: tuple[Amount, ...]
    columns: tuple[Amount, ...]
    row_share: float
    column_share: float
    combination_share: float
    blocks: int


def two_way(values: ArrayLike) -> TwoWay | None:
    """Decompose a table of values: block by row by column, one value each, all above 0.

    Question: is it the row (a language) or the column (a protocol) that matters? Formula: ln v =
    block + row + column + combination + rest; an effect is exp of the mean over blocks with its
    interval as in `geometric_mean`. Blocks are replications: with MSE the mean square of the rest,
    the share of a factor is its sum of squares minus degrees of freedom · MSE, at least 0, over the
    sum of the three. Source: Jain, The Art of Computer Systems Performance Analysis (1991), chapter
    22 (replications), and Searle, Casella and McCulloch, Variance Components (1992), chapter 4, for
    the part of noise in a sum of squares. Assumes independent blocks. No vector; the tests
    simulate.

    Blocks with a missing value (NaN) are left out. Returns None for fewer than two blocks, or if
    nothing differs by more than noise explains.
    """
    array = np.asarray(values, dtype=np.float64)
    if not array.size:
        return None
    logs = np.log(array)
    logs = logs[np.isfinite(logs).all(axis=(1, 2))]
    blocks = len(logs)
    if blocks < 2:
        return None
    centred = logs - logs.mean(axis=(1, 2), keepdims=True)
    rows, columns = centred.mean(axis=2), centred.mean(axis=1)
    table = centred.mean(axis=0)
    row, column = table.mean(axis=1, keepdims=True), table.mean(axis=0, keepdims=True)
    row_count, column_count = table.shape
    freedom = ((row_count - 1), (column_count - 1), (row_count - 1) * (column_count - 1))
    error = float(((centred - table) ** 2).sum()) / ((blocks - 1) * sum(freedom))
    explained = [
        max(0.0, blocks * float(squares.sum()) - degrees * error)
        for squares, degrees in zip(
            (column_count * row**2, row_count * column**2, (table - row - column) ** 2),
            freedom,
            strict=True,
        )
    ]
    # Beyond twelve decimals, a difference of logarithms is rounding error.
    if sum(explained) < 1e-24:
        return None
    row_share, column_share, combination_share = np.divide(explained, sum(explained)).tolist()
    return TwoWay(
        rows=tuple(geometric_mean(np.exp(effect)) for effect in rows.T),
        columns=tuple(geometric_mean(np.exp(effect)) for effect in columns.T),
        row_share=row_share,
        column_share=column_share,
        combination_share=combination_share,
        blocks=blocks,
    )
