"""The pairs of points of a series, for statistics of all differences or averages."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray


@lru_cache(maxsize=16)
def index_pairs(count: int, least: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the indices i and j of all pairs with j - i >= least.

    Kept, because a report compares series of few lengths, hundreds of times.
    """
    first, second = np.triu_indices(count, k=least)
    first.setflags(write=False)
    second.setflags(write=False)
    return first, second
