"""What became of a published claim, and how the parts of one claim are joined."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class ClaimVerdict(StrEnum):
    """What became of a claim, from the best to the worst for it."""

    REPRODUCED = "reproduced"
    DIRECTION_ONLY = "direction only"
    """The same side is cheaper, by a size that does not agree with the published one."""
    SAME_WITHIN_MARGIN = "same within the margin"
    """The claimed difference is shown here to be too small to matter."""
    CANNOT_TELL = "cannot tell"
    NOT_TESTABLE = "not testable"
    CONTRADICTED = "contradicted"


_WORST_LAST = tuple(ClaimVerdict)


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """The verdict on a claim, and the figures or parts that led to it."""

    verdict: ClaimVerdict
    reason: str


def not_testable(reason: str) -> ClaimResult:
    """Say that this study cannot test the claim, and why."""
    return ClaimResult(ClaimVerdict.NOT_TESTABLE, reason)


def all_of(parts: Mapping[str, ClaimResult]) -> ClaimResult:
    """Join the parts of a claim that must all hold; the worst part speaks for the whole.

    Question: does the claim hold for every cell that it names? Rule: the order of `ClaimVerdict`,
    worst last. So one contradicted part contradicts the claim, and a claim is reproduced only when
    every part is. Assumes nothing further. No vector.

    Raises ValueError without any part.
    """
    if not parts:
        raise ValueError("a claim without parts says nothing")
    worst = max((part.verdict for part in parts.values()), key=_WORST_LAST.index)
    if worst is ClaimVerdict.REPRODUCED:
        return ClaimResult(worst, f"all of: {'; '.join(parts)}")
    blamed = [f"{name} ({part.reason})" for name, part in parts.items() if part.verdict is worst]
    return ClaimResult(worst, "; ".join(blamed))
