"""Many comparisons at once: correct the p values, gate the family, group what is tied."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special
from scipy.stats import rankdata

from wirelab.statistics.verdict import Outcome, Verdict


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Adjust the p values of one family so that any false alarm among them stays below 5 %.

    Question: which differences survive having looked at all of them? Formula: with p sorted
    upwards, adjusted p_(i) = max over j <= i of min(1, (m - j + 1) · p_(j)), returned in the
    order given. Source: Holm, Scandinavian Journal of Statistics 6 (1979) 65-70.
    Assumes nothing about dependence; the family must be fixed beforehand. Vector V5.

    Raises ValueError where a value is not a probability.
    """
    p = np.asarray(p_values, dtype=np.float64)
    if not np.all((p >= 0.0) & (p <= 1.0)):
        raise ValueError("every p value must lie between 0 and 1")
    order = np.argsort(p, kind="stable")
    steps = np.arange(p.size, 0, -1) * p[order]
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


@dataclass(frozen=True, slots=True)
class Friedman:
    """Do the contenders differ at all? Mean ranks in the order of the columns, 1 = lowest cost."""

    statistic: float
    degrees_of_freedom: int
    p_value: float
    mean_ranks: tuple[float, ...]


def friedman(costs: ArrayLike) -> Friedman:
    """Test over blocks whether any of k contenders differs; a gate before the pairs are read.

    Question: is there anything to find among these contenders? Formula: rank within each block;
    chi-squared of the rank sums, divided by the correction for ties, with k - 1 degrees of
    freedom. Source: Friedman, Journal of the American Statistical Association 32 (1937) 675-701;
    ties as in Conover, Practical Nonparametric Statistics (1999), section 5.8. Assumes
    independent blocks; the chi-squared tail is an approximation for few blocks. Vector V11.

    `costs` has the shape (blocks, contenders), complete. Raises ValueError for another shape, for
    fewer than three contenders or two blocks, or for missing values.
    """
    table = np.asarray(costs, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 3 or np.isnan(table).any():
        raise ValueError("needs complete costs of 2 or more blocks and 3 or more contenders")
    blocks, contenders = table.shape
    ranks = rankdata(table, axis=1)
    mean_ranks = ranks.mean(axis=0)
    expected = (contenders + 1) / 2
    # The variance of the ranks as they are, ties and all, replaces the textbook's k(k + 1)/12.
    variance = float(((ranks - expected) ** 2).sum()) / (blocks * (contenders - 1))
    spread = blocks * float(((mean_ranks - expected) ** 2).sum())
    statistic = spread / variance if variance > 0.0 else 0.0
    return Friedman(
        statistic=statistic,
        degrees_of_freedom=contenders - 1,
        p_value=float(special.chdtrc(contenders - 1, statistic)),
        mean_ranks=tuple(mean_ranks.tolist()),
    )


def tie_groups(
    order: Sequence[str], verdicts: Mapping[tuple[str, str], Verdict]
) -> list[list[str]]:
    """Cut an ordering only where neighbours were told apart.

    Question: what may be shown in place of ranks? Rule: contenders that follow each other in
    `order` (cheapest first) stay in one group unless the verdict on that pair is faster or
    slower. Inside a group no rank may be printed; the ends of a long group may still differ from
    each other, which their own verdict says. Source: Hoefler and Belli, SC 2015, on ranking;
    no vector.

    `verdicts` holds the pair in either orientation. Raises ValueError where a pair is missing.
    """
    groups: list[list[str]] = []
    for name in order:
        if groups and not _told_apart(groups[-1][-1], name, verdicts):
            groups[-1].append(name)
        else:
            groups.append([name])
    return groups


def _told_apart(left: str, right: str, verdicts: Mapping[tuple[str, str], Verdict]) -> bool:
    verdict = verdicts.get((left, right)) or verdicts.get((right, left))
    if verdict is None:
        raise ValueError(f"no verdict on the neighbours {left} and {right}")
    return verdict.outcome in (Outcome.FASTER, Outcome.SLOWER)
