"""How evenly requests came, and how long they really took, from what the recorder noted."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benches.peers.result import Fidelity

CUT_S = 1.0
"""Left out at both ends: connecting and ending are no part of the schedule."""
LARGEST_CUT_SHARE = 0.2
BURST_US = 20.0
FEWEST = 100


def read_recorded(path: Path) -> NDArray[np.int64]:
    """Read pairs of nanoseconds: when a request came, and when its answer went."""
    return np.fromfile(path, dtype="<i8").reshape(-1, 2)


def fidelity(recorded: NDArray[np.int64]) -> Fidelity | None:
    """Judge the arrivals by the best straight line through all of them.

    The line is fitted by least squares over (number, arrival), so neither the rate nor the moment
    of the beginning need be known; the schedule error of a request is its distance from the line.
    True latencies are those between arrival and answer. None: too few requests came.
    """
    recorded = recorded[np.argsort(recorded[:, 0], kind="stable")]
    arrivals_us = (recorded[:, 0] - recorded[:1, 0]) / 1e3
    if len(arrivals_us) < FEWEST:
        return None
    total_us = arrivals_us[-1]
    cut_us = min(CUT_S * 1e6, total_us * LARGEST_CUT_SHARE)
    inside = (arrivals_us >= cut_us) & (arrivals_us <= total_us - cut_us)
    arrivals_us, latencies_us = arrivals_us[inside], np.diff(recorded[inside]).ravel() / 1e3
    if len(arrivals_us) < FEWEST:
        return None
    numbers = np.arange(len(arrivals_us))
    line = np.polynomial.Polynomial.fit(numbers, arrivals_us, 1)
    errors_us = np.abs(arrivals_us - line(numbers))
    gaps_us = np.diff(arrivals_us)
    return Fidelity(
        schedule_error_p50_us=_quantile(errors_us, 0.50),
        schedule_error_p99_us=_quantile(errors_us, 0.99),
        gap_p50_us=_quantile(gaps_us, 0.50),
        gap_p99_us=_quantile(gaps_us, 0.99),
        burst_share=float(np.mean(gaps_us < BURST_US)),
        gap_variation=float(np.std(gaps_us) / np.mean(gaps_us)),
        true_p50_us=_quantile(latencies_us, 0.50),
        true_p99_us=_quantile(latencies_us, 0.99),
    )


def _quantile(values: NDArray[np.float64], share: float) -> float:
    return float(np.quantile(values, share, method="inverted_cdf"))
