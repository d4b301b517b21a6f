"""Bytes on the wire: what a connection costs once, and what every transaction adds.

Bytes hardly vary between repeats, so they are modelled and not tested. "Bytes per request" means
little without the number of requests that shared the connection; the fitted line covers all
numbers.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from wirelab.statistics.estimate import Interval
from wirelab.terminal.words import percent

REPEAT_TOLERANCE = 0.005
"""Repeats of the same count that differ by more than this share need an explanation."""


@dataclass(frozen=True, slots=True)
class WireFit:
    """The line bytes(n) = setup + marginal · n, n transactions on one fresh connection.

    `setup` is in bytes per connection, `marginal` in bytes per transaction. The intervals (95 %)
    are None if no degree of freedom is left.
    """

    setup: float
    marginal: float
    setup_interval: Interval | None
    marginal_interval: Interval | None
    r_squared: float
    repeat_spread: float
    warnings: tuple[str, ...]

    def bytes_at(self, transactions: float) -> float:
        """Return the bytes of one connection with a number of transactions."""
        return self.setup + self.marginal * transactions


def fit_bytes(transactions: ArrayLike, bytes: ArrayLike) -> WireFit:  # noqa: A002
    """Fit set-up and marginal bytes to connections that carried different numbers of transactions.

    Question: how many bytes does a connection cost, and how many does each transaction? Formula:
    least squares of bytes on transactions, with t intervals; R² = 1 - residual/total sum of
    squares; repeat_spread = largest (max - min)/mean among repeats of one count. Source:
    Montgomery, Peck and Vining, Introduction to Linear Regression Analysis (2012), chapter 2.
    Assumes that each transaction after the first moves the same bytes; compression contexts
    (HPACK, permessage-deflate) and variable-length ids bend the line, and the warnings say so. To
    split a cost by direction or layer, fit each part: the lines add up. No vector; the tests use
    constructed lines.

    Raises ValueError if lengths differ, or with fewer than two different counts.
    """
    n = np.asarray(transactions, dtype=np.float64)
    total = np.asarray(bytes, dtype=np.float64)
    if n.ndim != 1 or n.shape != total.shape:
        raise ValueError(f"transactions and bytes have shapes {n.shape} and {total.shape}")
    if np.unique(n).size < 2:
        raise ValueError("a line needs connections with at least two different transaction counts")
    centred = n - n.mean()
    spread = float(centred @ centred)
    marginal = float(centred @ total) / spread
    setup = float(total.mean()) - marginal * float(n.mean())
    residuals = total - setup - marginal * n
    unexplained = float(residuals @ residuals)
    deviations = total - total.mean()
    variation = float(deviations @ deviations)
    repeat_spread = _repeat_spread(n, total)
    half_setup, half_marginal = _half_widths(n, spread, unexplained)
    return WireFit(
        setup=setup,
        marginal=marginal,
        setup_interval=_around(setup, half_setup),
        marginal_interval=_around(marginal, half_marginal),
        r_squared=1.0 - unexplained / variation if variation > 0.0 else 1.0,
        repeat_spread=repeat_spread,
        warnings=_warnings(n, total, residuals, repeat_spread, setup + (half_setup or 0.0)),
    )


def _half_widths(
    n: NDArray[np.float64], spread: float, unexplained: float
) -> tuple[float | None, float | None]:
    freedom = n.size - 2
    if freedom < 1:
        return None, None
    variance = unexplained / freedom
    t_quantile = float(special.stdtrit(freedom, 0.975))
    setup_error = math.sqrt(variance * (1.0 / n.size + float(n.mean()) ** 2 / spread))
    return t_quantile * setup_error, t_quantile * math.sqrt(variance / spread)


def _around(value: float, half_width: float | None) -> Interval | None:
    return None if half_width is None else Interval(value - half_width, value + half_width)


def _repeat_spread(n: NDArray[np.float64], total: NDArray[np.float64]) -> float:
    largest = 0.0
    for count in np.unique(n):
        repeats = total[n == count]
        if repeats.mean() > 0.0:
            largest = max(largest, float((repeats.max() - repeats.min()) / repeats.mean()))
    return largest


def _warnings(
    n: NDArray[np.float64],
    total: NDArray[np.float64],
    residuals: NDArray[np.float64],
    repeat_spread: float,
    highest_setup: float,
) -> tuple[str, ...]:
    warnings = []
    if repeat_spread > REPEAT_TOLERANCE:
        warnings.append(
            f"repeats of one count differ by up to {percent(repeat_spread)}: something in the"
            " answers or in the acknowledgements changes from connection to connection"
        )
    # A part of the bytes may be zero (no payload is sent): use one byte instead of zero.
    departures = np.abs(residuals) / np.maximum(total, 1.0)
    worst = int(np.argmax(departures))
    departure = float(departures[worst])
    if departure > REPEAT_TOLERANCE:
        noun = "transaction" if n[worst] == 1 else "transactions"
        warnings.append(
            f"not a line: {n[worst]:.0f} {noun} moved {total[worst]:.0f} bytes,"
            f" {percent(departure)} off the fit; a compression context may still be filling"
        )
    # A value less than one byte below zero is due to rounding.
    if highest_setup <= -1.0:
        warnings.append("the set-up cost comes out negative: early transactions were cheaper")
    return tuple(warnings)
