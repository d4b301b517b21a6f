"""The verdict on a published claim, and how to combine the parts of one claim."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class ClaimVerdict(StrEnum):
    """The verdicts on a claim, from the most to the least favourable."""

    REPRODUCED = "reproduced"
    DIRECTION_ONLY = "direction only"
    """The same side is cheaper, but the size of the difference does not match the published one."""
    SAME_WITHIN_MARGIN = "same within the margin"
    """The claimed difference was shown to be too small to matter."""
    NOT_MEASURED = "not measured"
    """The measurement does not contain what the claim compares."""
    PARTLY_MEASURED = "partly measured"
    """Some tests of the claim were not measured, and none of the others is in doubt."""
    CANNOT_TELL = "cannot tell"
    NOT_TESTABLE = "not testable"
    CONTRADICTED = "contradicted"


_WORST_LAST = tuple(ClaimVerdict)


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """The verdict on a claim, with the figures or parts that decided it."""

    verdict: ClaimVerdict
    reason: str


def not_testable(reason: str) -> ClaimResult:
    """Return the result for a claim that this study cannot test, with the reason."""
    return ClaimResult(ClaimVerdict.NOT_TESTABLE, reason)


def all_of(parts: Mapping[str, ClaimResult]) -> ClaimResult:
    """Combine the parts of a claim that must all hold; the worst part decides.

    Question: does the claim hold for every cell that it names? Rule: the order of `ClaimVerdict`,
    worst last. One contradicted part contradicts the claim, and a claim is reproduced only if every
    part is. No further assumptions. No vector.

    Raises ValueError without any part.
    """
    if not parts:
        raise ValueError("a claim needs at least one part")
    worst = max((part.verdict for part in parts.values()), key=_WORST_LAST.index)
    if worst is ClaimVerdict.REPRODUCED:
        return ClaimResult(worst, f"all of: {'; '.join(parts)}")
    blamed = [f"{name} ({part.reason})" for name, part in parts.items() if part.verdict is worst]
    return ClaimResult(worst, "; ".join(blamed))
