"""The rate at which trials begin to miss an objective: the middle of a logistic curve."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, log_expit

SHARPEST, BLUNTEST = 4.0, 1.0
"""Limits of the slope: the steepest slope times the distance between neighbouring rates, and the
flattest slope times the distance between the lowest and the highest rate."""
FLAT = 1.001
"""A slope up to this multiple of the flattest slope carries no information."""


@dataclass(frozen=True, slots=True)
class Transition:
    """The rate at which half of the trials meet the objective, and how steep the curve is there.

    `slope` is the slope of the logit over the logarithm of the rate: at 20, increasing the rate by
    11 % turns 50 % into 11 %. `variance` is the variance of ln(rate) that the trials alone explain:
    of two contenders, the sum of both is that of a `BlockValue`.
    """

    rate: float
    slope: float
    trials: int
    variance: float


def fit_transition(rates: ArrayLike, kept: ArrayLike) -> Transition | None:
    """Fit a logistic curve to trials at several rates; None if they do not reach its middle.

    Question: which rate does this start of a server sustain in half of its trials? Formula: logit
    P(kept) = slope · (ln rate₅₀ - ln rate), by maximum likelihood. The slope is limited to what the
    rates can show; without that, trials that a single rate separates would have no finite slope.
    For such trials, the result is the middle between the neighbouring rates. Source: Finney, Probit
    Analysis (1971), for the method (there with the probit). Assumes that trials are independent
    given the rate, and that a higher rate never meets the objective more often. The middle must lie
    between the lowest and the highest rate, and the curve must fall. The variance is the inverse of
    the information about the middle, 1/(slope² Σ p(1 - p)), given the slope. No vector; the tests
    simulate.

    Raises ValueError if lengths differ, or for rates that are not positive.
    """
    given = np.asarray(rates, dtype=np.float64)
    good = np.asarray(kept, dtype=bool)
    if given.ndim != 1 or given.shape != good.shape:
        raise ValueError("needs for each rate whether the objective was kept")
    if not np.all(given > 0.0):
        raise ValueError("rates must be above 0")
    different = np.unique(given)
    if different.size < 2 or good.all() or not good.any():
        return None
    center = float(np.log(given).mean())
    x = np.log(given) - center
    signs = np.where(good, 1.0, -1.0)
    steps = np.diff(np.log(different))
    low, high = float(x.min()), float(x.max())
    # A slope of 1 over the whole range is almost flat: a curve that is flatter has no middle.
    slopes = (BLUNTEST / (high - low), SHARPEST / float(steps.min()))

    def unlikely(parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return the negative log-likelihood and its derivatives by both parameters."""
        middle, slope = parameters[0], math.exp(parameters[1])
        z = signs * slope * (middle - x)
        missed = expit(-z)
        gradient = np.array([-(missed * signs).sum() * slope, -(missed * z).sum()])
        return -float(log_expit(z).sum()), gradient

    from scipy.optimize import minimize  # noqa: PLC0415  (only searches for a capacity need it)

    starts = [(at, math.log(slope)) for at in (x[good].max(), x.mean()) for slope in slopes]
    likeliest = min(
        (
            minimize(
                unlikely,
                start,
                method="L-BFGS-B",
                jac=True,
                bounds=[(low, high), (math.log(slopes[0]), math.log(slopes[1]))],
            )
            for start in starts
        ),
        key=lambda solution: float(solution.fun),
    )
    middle, log_slope = (float(value) for value in likeliest.x)
    is_flat = math.exp(log_slope) < FLAT * slopes[0]
    if is_flat or not low < middle < high:
        return None
    slope = math.exp(log_slope)
    met = expit(slope * (middle - x))
    variance = 1.0 / (slope**2 * float((met * (1.0 - met)).sum()))
    return Transition(math.exp(center + middle), slope, int(given.size), variance)
