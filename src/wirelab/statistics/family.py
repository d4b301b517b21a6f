"""Many comparisons at once: correct the p values, and group tied contenders."""

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wirelab.statistics.verdict import Outcome, Verdict


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Adjust the p values of one family so that any false alarm among them stays below 5 %.

    Question: which differences remain significant when all of them are tested? Formula: with p in
    ascending order, adjusted p_(i) = max over j <= i of min(1, (m - j + 1) · p_(j)), returned in
    the given order. Source: Holm, Scandinavian Journal of Statistics 6 (1979) 65-70. Assumes
    nothing about dependence; the family must be fixed beforehand. Vector V5.

    Raises ValueError if a value is not a probability.
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
) -> list[list[str]] | None:
    """Split an ordering into groups whose members cannot be distinguished.

    Question: what may be shown instead of ranks? Rule: a contender in `order` (best first) joins
    the preceding group unless the verdict between it and any member is faster or slower. Inside a
    group, no rank may be printed. There are no groups (None) if neighbours have no verdict, or if a
    verdict contradicts `order`. Source: Hoefler and Belli, SC 2015, on ranking; that all pairs of a
    group count, as in complete linkage, is wirelab's rule. No vector.

    `verdicts` has pairs in either orientation; another pair than neighbours that has no verdict
    counts as not distinguished.
    """
    if any(_outcome(*names, verdicts) is None for names in pairwise(order)):
        return None
    if any(_outcome(*names, verdicts) is Outcome.SLOWER for names in combinations(order, 2)):
        return None
    groups: list[list[str]] = []
    for name in order:
        # No verdict contradicts the order, so that "faster" is all that distinguishes.
        if groups and not any(
            _outcome(member, name, verdicts) is Outcome.FASTER for member in groups[-1]
        ):
            groups[-1].append(name)
        else:
            groups.append([name])
    return groups


def _outcome(left: str, right: str, verdicts: Mapping[tuple[str, str], Verdict]) -> Outcome | None:
    """Return the outcome for `left` against `right`."""
    if verdict := verdicts.get((left, right)):
        return verdict.outcome
    verdict = verdicts.get((right, left))
    return None if verdict is None else verdict.outcome.opposite
