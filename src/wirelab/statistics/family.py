"""Many comparisons at once: correct the p values, group what is tied."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
