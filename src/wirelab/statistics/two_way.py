"""Two factors in every combination, and the share of the differences due to each of them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from wirelab.statistics.estimate import Amount, geometric_mean


@dataclass(frozen=True, slots=True)
class TwoWay:
    """The effects of two factors on a positive quantity, and their shares of its differences.

    An effect is the ratio of a level to the mean of all levels, over blocks. Shares add up to 1;
    that of the combination is what the two effects together do not explain, noise included.
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
    mean + row + column + rest in each block; an effect is exp of the mean over blocks with its
    interval as in `geometric_mean`; shares are those of the sums of squares of the mean table.
    Source: Jain, The Art of Computer Systems Performance Analysis (1991), chapter 21. Assumes
    independent blocks. No vector. Blocks with a missing value (NaN) are left out. Returns None if
    no block remains, or if nothing differs.
    """
    array = np.asarray(values, dtype=np.float64)
    if not array.size:
        return None
    logs = np.log(array)
    logs = logs[np.isfinite(logs).all(axis=(1, 2))]
    if not logs.size:
        return None
    centred = logs - logs.mean(axis=(1, 2), keepdims=True)
    rows, columns = centred.mean(axis=2), centred.mean(axis=1)
    table = centred.mean(axis=0)
    total = float((table**2).sum())
    if total == 0.0:
        return None
    row_share = table.shape[1] * float((rows.mean(axis=0) ** 2).sum()) / total
    column_share = table.shape[0] * float((columns.mean(axis=0) ** 2).sum()) / total
    return TwoWay(
        rows=tuple(geometric_mean(np.exp(effect)) for effect in rows.T),
        columns=tuple(geometric_mean(np.exp(effect)) for effect in columns.T),
        row_share=row_share,
        column_share=column_share,
        combination_share=max(0.0, 1.0 - row_share - column_share),
        blocks=len(logs),
    )
