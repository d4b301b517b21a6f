"""The table F(x) of the repeated t test, by an exact recursion, and by simulation as a check.

F(x) is the probability that of equal contenders p_k · k/4 ever falls to x or below, p_k being the
two-sided p value of the t test after k >= 4 blocks. Let u_k = S_k/√Q_k, of the sum S_k of k values
and the sum Q_k of their squares. The t statistic is a function of u_k, and the values divided by
√Q_k are uniform on a sphere, so that u_k is a Markov chain whatever the variance:

    u_(k+1) = u_k cos φ + sin φ, φ with a density proportional to cos^(k-1) φ, independent of u_k.

The probability to reach the boundary at a later look, given u_k, follows backwards from the last
look on, at which it is 0.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.interpolate import CubicSpline

from wirelab.statistics.repeated_t import FIRST_LOOK, looks

Floats = NDArray[np.float64]

NODES = 160
"""Values of u at which the probability to reach the boundary is kept."""
ANGLES = 32
"""Angles φ for each smooth piece of an integral."""
_WIDEST = 12.0
"""Beyond so many standard deviations, the density of φ counts as 0."""
BATCH = 20_000


def reach(smallest: float, last: int = 1024, *, nodes: int = NODES) -> float:
    """Return the probability that p_k · k/4 reaches a value at some look from 4 to `last`."""
    at_first = _boundary(smallest, FIRST_LOOK)
    later: CubicSpline | None = None
    for blocks in range(last - 1, FIRST_LOOK - 1, -1):
        u = _boundary(smallest, blocks) * np.sin(np.linspace(0.0, math.pi / 2.0, nodes))
        values = _reach_from(u, blocks, _boundary(smallest, blocks + 1), later)
        # The function is even in u.
        later = CubicSpline(u, values, bc_type=((1, 0.0), "not-a-knot"))
    assert later is not None
    points, weights = np.polynomial.legendre.leggauss(4 * ANGLES)
    u = at_first * (points + 1.0) / 2.0
    # u_4/2 is a coordinate of a point on a sphere in four dimensions; u > 0 is half of the cases.
    density = np.sqrt(1.0 - u**2 / FIRST_LOOK) / special.beta(0.5, 1.5) / 2.0
    return smallest + 2.0 * float((at_first / 2.0 * weights * density * later(u)).sum())


def _boundary(smallest: float, blocks: int) -> float:
    """Return the |u| at which p · blocks/4 is `smallest`."""
    tail = min(0.5, 2.0 * smallest / blocks)
    t = -float(special.stdtrit(blocks - 1, tail))
    return t * math.sqrt(blocks / (blocks - 1 + t**2))


def _reach_from(u: Floats, blocks: int, boundary: float, later: CubicSpline | None) -> Floats:
    """Return the probability to reach the boundary after `blocks`, from each value of u."""
    widest = min(math.pi / 2.0, _WIDEST / math.sqrt(blocks))
    edges = np.sort(_crossings(u, boundary).clip(-widest, widest), axis=1)
    edges = np.concatenate(
        (np.full((u.size, 1), -widest), edges, np.full((u.size, 1), widest)), axis=1
    )
    points, weights = np.polynomial.legendre.leggauss(ANGLES)
    half = np.diff(edges)[..., np.newaxis] / 2.0
    angles = edges[:, :-1, np.newaxis] + half * (points + 1.0)
    next_u = u[:, np.newaxis, np.newaxis] * np.cos(angles) + np.sin(angles)
    density = np.cos(angles) ** (blocks - 1) / special.beta(0.5, blocks / 2.0)
    reached = np.ones_like(next_u)
    inside = np.abs(next_u) < boundary
    reached[inside] = 0.0 if later is None else later(np.abs(next_u[inside]))
    result: Floats = (half * weights * density * reached).sum(axis=(1, 2))
    return result


def _crossings(u: Floats, boundary: float) -> Floats:
    """Return the angles at which the next u is at either boundary: up to four for each u."""
    shift = np.arctan(u)
    height = np.sqrt(1.0 + u**2)
    upper = np.arcsin(np.minimum(boundary / height, 1.0))
    return np.stack(
        (upper - shift, math.pi - upper - shift, -upper - shift, upper - math.pi - shift), axis=1
    )


def smallest_reached_with(probability: float, last: int = 1024) -> float:
    """Return the x that is reached with a probability, by regula falsi on logarithms."""
    low, high = math.log(probability / 20.0), math.log(probability / 2.0)
    wanted = math.log(probability)
    at_low, at_high = (math.log(reach(math.exp(x), last)) - wanted for x in (low, high))
    for _ in range(6):
        middle = low - at_low * (high - low) / (at_high - at_low)
        at_middle = math.log(reach(math.exp(middle), last)) - wanted
        if abs(at_middle) < 1e-4:
            break
        if (at_middle < 0.0) == (at_low < 0.0):
            low, at_low = middle, at_middle
        else:
            high, at_high = middle, at_middle
    return math.exp(middle)


def simulate_reach(
    smallest: Sequence[float], paths: int, last: int = 256, seed: int = 1
) -> list[float]:
    """Return the shares of simulated sequences of blocks that reach each value by look `last`."""
    random = np.random.default_rng(seed)
    counts = np.zeros(len(smallest))
    for begun in range(0, paths, BATCH):
        values = random.standard_normal((min(BATCH, paths - begun), last))
        after = looks(values)
        upper, lower = (
            after._replace(means=sign * after.means).scaled_tails(0.0).min(axis=-1)
            for sign in (1.0, -1.0)
        )
        reached = np.minimum(upper, lower)
        counts += (reached[:, np.newaxis] <= np.array(smallest)).sum(axis=0)
    return [float(count) / paths for count in counts]
