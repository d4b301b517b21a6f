"""Many comparisons at once: correct the p values, and group tied contenders."""

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wirelab.statistics.verdict import Verdict


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
) -> list[list[str]]:
    """Split an ordering into groups whose members cannot be distinguished.

    Question: what may be shown in place of ranks? Rule: a contender in `order` (cheapest first)
    joins the preceding group unless the verdict between it and any member is faster or slower.
    Inside a group, no rank may be printed. Source: Hoefler and Belli, SC 2015, on ranking; that all
    pairs of a group count, as in complete linkage, is wirelab's rule. No vector.

    `verdicts` has pairs in either orientation; a pair without a verdict counts as not
    distinguished. Raises ValueError if neighbours have no verdict.
    """
    groups: list[list[str]] = []
    for left, right in itertools.pairwise(order):
        if _verdict(left, right, verdicts) is None:
            raise ValueError(f"no verdict on the neighbours {left} and {right}")
    for name in order:
        if groups and not any(_are_distinguished(member, name, verdicts) for member in groups[-1]):
            groups[-1].append(name)
        else:
            groups.append([name])
    return groups


def _verdict(left: str, right: str, verdicts: Mapping[tuple[str, str], Verdict]) -> Verdict | None:
    return verdicts.get((left, right)) or verdicts.get((right, left))


def _are_distinguished(left: str, right: str, verdicts: Mapping[tuple[str, str], Verdict]) -> bool:
    verdict = _verdict(left, right, verdicts)
    return verdict is not None and verdict.orders
