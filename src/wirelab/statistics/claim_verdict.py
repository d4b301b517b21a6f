"""Has a published claim been reproduced? One rule for all kinds of claims, fixed before the run.

A claim is a conjunction of parts (`claim_part`). It is reproduced if all of them are shown to hold,
and contradicted if one is shown not to.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from wirelab.statistics.claim_part import LEVEL, EffectSize, Part
from wirelab.statistics.family import holm
from wirelab.statistics.verdict import Basis


class ClaimVerdict(StrEnum):
    """The verdicts on a claim or a part of it, from the most to the least favourable."""

    REPRODUCED = "reproduced"
    DIRECTION_ONLY = "direction only"
    """The same side is cheaper, but the size of the difference does not match the published one."""
    SAME_WITHIN_MARGIN = "same within the margin"
    """The claimed difference was shown to be too small to matter."""
    NOT_MEASURED = "not measured"
    """The measurement does not contain what the claim compares."""
    PARTLY_MEASURED = "partly measured"
    """Some parts of the claim were not measured, and none of the others is in doubt."""
    CANNOT_TELL = "cannot tell"
    NOT_TESTABLE = "not testable"
    CONTRADICTED = "contradicted"


_WORST_LAST = tuple(ClaimVerdict)
_UNTESTED = (ClaimVerdict.NOT_MEASURED, ClaimVerdict.NOT_TESTABLE)


@dataclass(frozen=True, slots=True)
class Settled:
    """A part whose verdict is no matter of chance: counted, not measured or not testable."""

    verdict: ClaimVerdict


@dataclass(frozen=True, slots=True)
class PartResult:
    """The verdict on one part of a claim, and what remains open.

    `effect` compares the measured effect with a published one; None without one, or without enough
    blocks. While its claim is undecided, `cause` says why the part is open, and `further_blocks`
    how many more will probably close it; both are None if it is closed, the second also if unknown.
    """

    part: Part | Settled
    verdict: ClaimVerdict
    effect: EffectSize | None = None
    cause: Basis | None = None
    further_blocks: int | None = None


@dataclass(frozen=True, slots=True)
class ClaimAssessment:
    """The verdict on a claim, with its parts: it "holds in `holding` of `tested`" parts.

    `p_value` is the largest of the parts, `p_holm` that after the correction for all claims of the
    study; None for a claim with parts that are not tested, which cannot be reproduced. `cause` says
    why it is undecided: the cause of its first undecided part, or the correction.
    """

    verdict: ClaimVerdict
    parts: tuple[PartResult, ...]
    p_value: float | None = None
    p_holm: float | None = None
    cause: Basis | None = None

    @property
    def holding(self) -> int:
        """The number of parts that hold, each taken by itself."""
        return sum(part.verdict is ClaimVerdict.REPRODUCED for part in self.parts)

    @property
    def tested(self) -> int:
        """The number of parts that were measured and can be tested."""
        return sum(part.verdict not in _UNTESTED for part in self.parts)

    @property
    def is_decided(self) -> bool:
        """Whether more blocks would change nothing."""
        return self.verdict is not ClaimVerdict.CANNOT_TELL


def assess_claims(claims: Mapping[str, Sequence[Part | Settled]]) -> dict[str, ClaimAssessment]:
    """Judge all claims of a study.

    Question: which published claims hold here? Rule: a part holds if its p value is below 0.025,
    and a claim is reproduced if the largest p value of its parts is, after Holm's method over the
    claims (an intersection-union test, which needs no correction within a claim). A part fails if
    the p value of its opposite is below 0.025 after Holm's method over the parts of the claim, for
    every kind of part. A part that fails contradicts the claim, unless the published direction is
    shown, and only the size is another. A claimed difference that is practically none is neither.
    Of all parts the worst decides, in the order of `ClaimVerdict`. Sources: Berger, Technometrics
    24 (1982) 295-300 (intersection-union tests); Schuirmann 1987 (sizes and sameness by two
    one-sided tests); Holm 1979. Assumes that claims and margins were declared before anything was
    measured. Vectors A to D; the tests simulate.

    With the repeated t, this holds after any block. Raises ValueError for a claim without parts.
    """
    if empty := [name for name, parts in claims.items() if not parts]:
        raise ValueError(f"claims without parts: {', '.join(empty)}")
    own = {
        name: max(_p_holds(part) for part in parts)
        for name, parts in claims.items()
        if not any(isinstance(part, Settled) and part.verdict in _UNTESTED for part in parts)
    }
    adjusted = dict(zip(own, holm(list(own.values())).tolist(), strict=True))
    ranks = np.argsort(np.argsort(list(own.values()), kind="stable"), kind="stable")
    factors = dict(zip(own, (len(own) - ranks).tolist(), strict=True))
    return {
        name: _assess(parts, own.get(name), adjusted.get(name), factors.get(name, 1))
        for name, parts in claims.items()
    }


def _p_holds(part: Part | Settled) -> float:
    if isinstance(part, Part):
        return part.p_holds
    return 0.0 if part.verdict is ClaimVerdict.REPRODUCED else 1.0


def _assess(
    parts: Sequence[Part | Settled], p_value: float | None, p_holm: float | None, factor: int
) -> ClaimAssessment:
    tested = [part for part in parts if isinstance(part, Part)]
    p_fails = iter(holm([part.p_fails for part in tested]).tolist())
    verdicts = [
        _verdict(part, fails=next(p_fails) < LEVEL) if isinstance(part, Part) else part.verdict
        for part in parts
    ]
    verdict = max(verdicts, key=_WORST_LAST.index)
    if verdict is ClaimVerdict.NOT_MEASURED and set(verdicts) != {verdict}:
        verdict = ClaimVerdict.PARTLY_MEASURED
    if verdict is ClaimVerdict.REPRODUCED and (p_holm is None or p_holm >= LEVEL):
        verdict = ClaimVerdict.CANNOT_TELL
    if verdict is not ClaimVerdict.CANNOT_TELL:
        closed = [_closed(part, own) for part, own in zip(parts, verdicts, strict=True)]
        return ClaimAssessment(verdict, tuple(closed), p_value, p_holm)
    # Holm's method may reject no claim for the sake of one with a smaller p value.
    holds_at = min(LEVEL / factor, 1.0 if p_value is None else p_value)
    fails_at = LEVEL / max(1, len(tested))
    results = tuple(
        _left_open(part, own, holds_at, fails_at) for part, own in zip(parts, verdicts, strict=True)
    )
    causes = [each.cause for each in results if each.verdict is verdict and each.cause is not None]
    cause = causes[0] if causes else Basis.FAMILY_CORRECTION
    return ClaimAssessment(verdict, results, p_value, p_holm, cause)


def _verdict(part: Part, *, fails: bool) -> ClaimVerdict:
    if part.is_negligible:
        return ClaimVerdict.SAME_WITHIN_MARGIN
    if fails:
        is_size_alone = part.claims_size and part.has_published_direction
        return ClaimVerdict.DIRECTION_ONLY if is_size_alone else ClaimVerdict.CONTRADICTED
    return ClaimVerdict.REPRODUCED if part.p_holds < LEVEL else ClaimVerdict.CANNOT_TELL


def _closed(part: Part | Settled, verdict: ClaimVerdict) -> PartResult:
    return PartResult(part, verdict, part.effect if isinstance(part, Part) else None)


def _left_open(
    part: Part | Settled, verdict: ClaimVerdict, holds_at: float, fails_at: float
) -> PartResult:
    """Return a part of an undecided claim; it may be closed nevertheless."""
    cause = None
    if isinstance(part, Part):
        if verdict is ClaimVerdict.CANNOT_TELL:
            cause = _cause(part)
        elif verdict is ClaimVerdict.REPRODUCED and part.p_holds >= holds_at:
            cause = Basis.FAMILY_CORRECTION
    if not isinstance(part, Part) or cause is None:
        return _closed(part, verdict)
    further = part.further_blocks(holds_at=holds_at, fails_at=fails_at)
    return PartResult(part, verdict, part.effect, cause, further)


def _cause(part: Part) -> Basis:
    if not part.comparison.has_enough_blocks:
        return Basis.TOO_FEW_BLOCKS
    return Basis.NOISE if part.comparison.has_spread else Basis.NO_VARIATION
