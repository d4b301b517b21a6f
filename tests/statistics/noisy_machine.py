"""A noisy machine, simulated: contenders take turns in slices while the host does as it likes.

The times of slices are what three things make of them: the start of each server in each block
(normal, sd 2 %), the host's noise, which all contenders meet as it comes (normal, sd 15 %, with a
memory of 1 to 10 s), and bursts, which multiply times by 1.5 to 4 for 0.2 to 3 s. What is left of
the single requests of a slice is normal with sd 5 %.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

SLICE_S = 0.06
"""A slice of 50 ms, its guard and its drain."""


@dataclass(frozen=True, slots=True)
class Block:
    """The slices of one block: a row for each permutation, a column for each contender."""

    log_times: NDArray[np.float64]
    order: NDArray[np.int64]
    burst: NDArray[np.bool_]

    def log_ratios(self, a: int, b: int) -> NDArray[np.float64]:
        """Return ln(A/B) by permutation."""
        difference: NDArray[np.float64] = self.log_times[:, a] - self.log_times[:, b]
        return difference


def measure_block(
    rng: np.random.Generator,
    permutations: int,
    effects: NDArray[np.float64],
    *,
    start_sd: float = 0.02,
    slice_s: float = SLICE_S,
    bursts_per_s: float = 0.15,
    carry_over: NDArray[np.float64] | None = None,
) -> Block:
    """Measure one block; `effects` are the contenders' true log times.

    `carry_over` is what each contender adds to the log time of whoever follows it.
    """
    contenders = effects.size
    order = rng.permuted(np.tile(np.arange(contenders), (permutations, 1)), axis=1)
    turns = order.ravel()
    noise, burst = _host(rng, turns.size, slice_s, bursts_per_s)
    starts = effects + rng.normal(0.0, start_sd, contenders)
    times = starts[turns] + noise + rng.normal(0.0, 0.05, turns.size)
    if carry_over is not None:
        times[1:] += carry_over[turns[:-1]]
    rows = np.repeat(np.arange(permutations), contenders)
    log_times = np.empty((permutations, contenders))
    log_times[rows, turns] = times
    in_burst = np.empty((permutations, contenders), dtype=bool)
    in_burst[rows, turns] = burst
    return Block(log_times, order, in_burst)


def _host(
    rng: np.random.Generator, slices: int, slice_s: float, bursts_per_s: float
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the noise of each slice on the log scale, and whether a burst hit it."""
    memory_s = float(np.exp(rng.uniform(0.0, np.log(10.0))))
    keep = np.exp(-slice_s / memory_s)
    shocks = rng.normal(0.0, 0.15 * np.sqrt(1.0 - keep**2), slices)
    noise: NDArray[np.float64]
    noise, _ = scipy.signal.lfilter([1.0], [1.0, -keep], shocks, zi=[keep * rng.normal(0.0, 0.15)])
    began = np.arange(slices) * slice_s
    burst = np.zeros(slices, dtype=bool)
    for _ in range(rng.poisson(bursts_per_s * slices * slice_s)):
        start = rng.uniform(-1.0, slices * slice_s)
        hit = (began >= start) & (began < start + rng.uniform(0.2, 3.0))
        noise[hit] += np.log(rng.uniform(1.5, 4.0))
        burst |= hit
    return noise, burst
