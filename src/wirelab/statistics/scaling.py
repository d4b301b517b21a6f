"""How throughput grows with concurrency: Gunther's Universal Scalability Law."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wirelab.statistics.estimate import Estimate
from wirelab.terminal.words import percent

GOOD_FIT = 0.90
"""The minimum share of the variation of throughputs that the law must explain."""

_NEAR_ONE = 1e-6
"""How close α is to 1 if throughput is the same at all levels: rounding decides on which side."""
_ROUNDING = 1e-24
"""The square of a difference of logarithms that is due to rounding."""
_LEAST_UNIT = 1e-6
"""The least γ, relative to its start: there is no logarithm of 0."""


@dataclass(frozen=True, slots=True)
class ScalabilityFit:
    """X(N) = γN / (1 + α(N - 1) + βN(N - 1)), with standard errors by linearisation.

    `contention` is α, `coherency` β and `unit_throughput` γ, in the unit of the throughputs; none
    of their intervals goes below 0. `residual_error` is the standard deviation of a throughput, as
    a share of it, and `r_squared` the share of the variation of ln X that the law explains.
    `peak_concurrency` is None if throughput has no peak (β = 0), or if no measured level lies
    beyond it: then the peak was not observed.
    """

    contention: Estimate
    coherency: Estimate
    unit_throughput: Estimate
    residual_error: float
    r_squared: float
    peak_concurrency: float | None
    warnings: tuple[str, ...]

    def throughput_at(self, concurrency: float) -> float:
        """Return the throughput that the fit predicts at a concurrency."""
        parameters = (self.contention.value, self.coherency.value, self.unit_throughput.value)
        return float(_law(np.array(parameters), np.array(concurrency, dtype=np.float64)))

    @property
    def applies(self) -> bool:
        """Whether the parameters mean anything: a good fit, with contention, a share, at most 1."""
        return self.contention.value <= 1.0 + _NEAR_ONE and self.r_squared >= GOOD_FIT

    @property
    def peak_throughput(self) -> float | None:
        """Throughput at the peak; None if no peak was observed."""
        if self.peak_concurrency is None:
            return None
        return self.throughput_at(self.peak_concurrency)


def fit_scalability(concurrency: ArrayLike, throughput: ArrayLike) -> ScalabilityFit:
    """Fit the Universal Scalability Law to a sweep over concurrency.

    Question: how does throughput scale with users, and where does it stop? Formula: least squares
    of ln X, since noise is a share of throughput, on ln of X(N) = γN / (1 + α(N - 1) + βN(N - 1))
    with α, β, γ >= 0; peak at N* = √((1 - α)/β). Source: Gunther, Guerrilla Capacity Planning
    (2007), chapters 4-5. Assumes one bottleneck with queueing (α) and coherency delay (β), and
    levels measured under equal conditions. Errors are those of one sweep: for several blocks, fit
    each block and compare the parameters. Vector V10; the tests simulate the coverage.

    Raises ValueError if lengths differ, with fewer than four levels, or for values that are not
    positive.
    """
    n = np.asarray(concurrency, dtype=np.float64)
    x = np.asarray(throughput, dtype=np.float64)
    if n.ndim != 1 or n.shape != x.shape or np.unique(n).size < 4:
        raise ValueError("needs a throughput for each of at least four levels of concurrency")
    if not (np.all(n > 0.0) and np.all(x > 0.0)):
        raise ValueError("concurrency and throughput must be above 0")
    lowest = int(np.argmin(n))
    scale = np.array([0.01, 1e-4, float(x[lowest] / n[lowest])])
    from scipy.optimize import least_squares  # noqa: PLC0415  (only designs over clients need it)

    # Parameters differ by orders of magnitude, so they are scaled by their initial values.
    solution = least_squares(
        lambda units: np.log(_law(units * scale, n) / x),
        np.ones(3),
        bounds=((0.0, 0.0, _LEAST_UNIT), np.inf),
        x_scale="jac",
        ftol=1e-14,
        xtol=1e-14,
        gtol=1e-14,
        max_nfev=10_000,
    )
    freedom = float(n.size - 3)
    unexplained = 2.0 * float(solution.cost)
    errors = _standard_errors(solution.jac / scale, unexplained, freedom)
    values = solution.x * scale
    contention, coherency, unit = (
        Estimate(float(value), float(error), freedom, lowest=0.0)
        for value, error in zip(values, errors, strict=True)
    )
    variation = float(((np.log(x) - np.log(x).mean()) ** 2).sum())
    # Throughput that is the same at all levels leaves nothing to explain: α = 1 fits it exactly.
    r_squared = 1.0 - unexplained / variation if variation > _ROUNDING * n.size else 1.0
    peak = _peak(contention.value, coherency.value)
    observed = peak is not None and bool(np.any(n > peak))
    return ScalabilityFit(
        contention=contention,
        coherency=coherency,
        unit_throughput=unit,
        residual_error=math.sqrt(unexplained / freedom),
        r_squared=r_squared,
        peak_concurrency=peak if observed else None,
        warnings=_warnings(contention.value, r_squared, peak, observed),
    )


def _law(parameters: NDArray[np.float64], n: NDArray[np.float64]) -> NDArray[np.float64]:
    contention, coherency, unit = parameters
    result: NDArray[np.float64] = (
        unit * n / (1.0 + contention * (n - 1.0) + coherency * n * (n - 1.0))
    )
    return result


def _peak(contention: float, coherency: float) -> float | None:
    if coherency <= 0.0 or contention >= 1.0 - _NEAR_ONE:
        return None
    return math.sqrt((1.0 - contention) / coherency)


def _standard_errors(
    jacobian: NDArray[np.float64], unexplained: float, freedom: float
) -> NDArray[np.float64]:
    covariance = np.linalg.pinv(jacobian.T @ jacobian) * unexplained / freedom
    errors: NDArray[np.float64] = np.sqrt(np.diag(covariance))
    return errors


def _warnings(
    contention: float, r_squared: float, peak: float | None, observed: bool
) -> tuple[str, ...]:
    warnings = []
    if r_squared < GOOD_FIT:
        warnings.append(f"the law explains only {percent(r_squared)} of the variation")
    if contention > 1.0 + _NEAR_ONE:
        warnings.append(
            "contention above 1: throughput hardly grows from the first level on, so the law does"
            " not apply here"
        )
    if peak is not None and not observed:
        warnings.append("no peak observed: the fitted one lies beyond all levels")
    return tuple(warnings)
