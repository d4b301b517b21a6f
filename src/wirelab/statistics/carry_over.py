"""Whether a contender's time depends on its predecessor, and which contenders work out of turn.

Turns are fair only if a contender leaves the machine idle after its slice. A garbage collector that
keeps running, an evicted cache or a pending write costs the next contender time.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wirelab.statistics.estimate import Estimate, mean_estimate
from wirelab.statistics.family import holm

IDLE_CPU_LIMIT = 0.01
"""A contender that uses a larger share of one CPU outside its slices disturbs the others."""

_CLIPPED_AT = 3.0
_NORMAL_MAD = 1.4826


@dataclass(frozen=True, slots=True)
class Turns:
    """The slices of one block.

    `log_times` has a row for each permutation and a column for each contender: ln of the slice's
    time, or NaN if it has none. `order` has the same shape: each row lists the columns in the order
    of their turns.
    """

    log_times: ArrayLike
    order: ArrayLike


@dataclass(frozen=True, slots=True)
class CarryOver:
    """How much longer a slice takes after each contender than after the average contender.

    `after` has one estimate on the log scale for each contender, in the order of the columns: 0.02
    means 2 % longer for the next contender. `p_value` tests for any such effect. `bias_ratio` is
    the largest bias that the effects, if real, cause in the ratio of two contenders: a contender
    follows itself only by chance, so it mostly escapes its own effect. `blocks` is the number of
    usable blocks.
    """

    after: tuple[Estimate, ...]
    p_value: float
    bias_ratio: float
    blocks: int


def carry_over(blocks: Sequence[Turns]) -> CarryOver | None:
    """Test whether times depend on the predecessor.

    Question: does a contender slow down, or speed up, the next one? Formula: in each block,
    subtract the medians of permutations and contenders from log time, and clip the residuals at
    three standard deviations (by their median); least squares of these on permutation, contender
    and predecessor, effects adding up to zero; each predecessor's effect is averaged over blocks
    with a t interval, and the p value is the smallest after Holm. With k contenders in random
    order, the ratio of two is biased by the difference of their effects over k. Source: Jones and
    Kenward, Design and Analysis of Cross-Over Trials (2014), chapter 5 (first-order carry-over).
    Assumes that the effect is the same on every follower and lasts for one slice, that the order
    within permutations is random, and that blocks are independent. Power, simulated with six blocks
    of 30 permutations on a noisy machine: from three contenders on, an effect of 3 % is found in
    three of four studies and one of 5 % in nearly all; with two contenders, one of 5 % in four of
    five. No vector; the tests simulate.

    Returns None with fewer than two usable blocks: a block needs two contenders, and an order in
    which predecessors and contenders can be distinguished. Raises ValueError if shapes or numbers
    of contenders differ.
    """
    effects = [effect for effect in map(_effects, blocks) if effect is not None]
    if len(effects) < 2:
        return None
    if len({effect.size for effect in effects}) > 1:
        raise ValueError("all blocks must have the same contenders")
    after = tuple(mean_estimate(column) for column in np.array(effects).T)
    p_values = [estimate.p_value() for estimate in after]
    # The effects of two contenders are exact opposites, so they are one test, not two.
    p_value = p_values[0] if len(after) == 2 else float(holm(p_values).min())
    values = [estimate.value for estimate in after]
    bias = math.expm1((max(values) - min(values)) / len(after))
    return CarryOver(after, p_value, bias, len(effects))


def busy_when_idle(idle_cpu_shares: Mapping[str, float | None]) -> dict[str, float]:
    """Return the contenders that work out of turn, the busiest first.

    Question: which contender disturbs the others while it should be idle? Rule: more than 1 % of
    one CPU outside its own slices. Source: the limit is wirelab's. No vector; the tests check it.

    `idle_cpu_shares` gives for each contender the CPU time of its processes outside its slices over
    the time outside its slices; None if unknown.
    """
    busy = {
        name: share
        for name, share in idle_cpu_shares.items()
        if share is not None and share > IDLE_CPU_LIMIT
    }
    return dict(sorted(busy.items(), key=lambda item: -item[1]))


def _effects(turns: Turns) -> NDArray[np.float64] | None:
    """Estimate the effect of each predecessor in one block; None if the block does not allow it."""
    times = np.asarray(turns.log_times, dtype=np.float64)
    order = np.asarray(turns.order, dtype=np.int64)
    if times.ndim != 2 or times.shape != order.shape:
        raise ValueError(f"times have the shape {times.shape} and their order {order.shape}")
    permutations, contenders = times.shape
    if contenders < 2:
        return None
    residuals = _clipped(times)
    rows = np.repeat(np.arange(permutations), contenders)[1:]
    columns, before = order.ravel()[1:], order.ravel()[:-1]
    y = residuals[rows, columns]
    known = np.isfinite(y)
    by_contender, by_predecessor = _to_zero(columns, contenders), _to_zero(before, contenders)
    by_row = np.eye(permutations)[rows]
    design = np.hstack((by_row, by_contender, by_predecessor))[known]
    design = design[:, np.any(design != 0.0, axis=0)]
    if known.sum() <= design.shape[1]:
        return None
    solution, _, rank, _ = np.linalg.lstsq(design, y[known])
    if rank < design.shape[1]:
        return None
    solution = solution[-(contenders - 1) :]
    effects: NDArray[np.float64] = np.append(solution, -solution.sum())
    return effects


def _clipped(times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Subtract the medians of permutations and contenders, and clip outliers."""
    residuals = times - _medians(times)[:, np.newaxis]
    residuals -= _medians(residuals.T)
    # From differences: with few contenders, many residuals are the median itself, hence zero.
    first, second = np.triu_indices(times.shape[1], k=1)
    differences = np.abs(residuals[:, first] - residuals[:, second])
    if not np.isfinite(differences).any():
        return residuals
    spread = _NORMAL_MAD / math.sqrt(2.0) * float(np.nanmedian(differences))
    return np.clip(residuals, -_CLIPPED_AT * spread, _CLIPPED_AT * spread)


def _medians(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the median of each row's known values; NaN for a row without any."""
    known = [row[np.isfinite(row)] for row in rows]
    return np.array([float(np.median(row)) if row.size else math.nan for row in known])


def _to_zero(levels: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """Code levels so that effects add up to zero: the last one is minus the sum of the others."""
    coded = np.eye(count)[levels]
    return coded[:, :-1] - coded[:, -1:]
