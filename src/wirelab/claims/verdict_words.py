"""Why a claim has its verdict, in words: a reason for each test, a sentence for all."""

from collections import Counter
from collections.abc import Sequence

from wirelab.claims.results import ElementaryResult
from wirelab.statistics import Basis, ClaimVerdict, EffectSize, Part, PartResult
from wirelab.statistics.comparison import too_few_blocks
from wirelab.statistics.verdict import NO_VARIATION
from wirelab.terminal import words

REASONS_SHOWN = 3
"""Maximum number of reasons in a sentence; the table beside it has all."""

_OTHER_SIZES = {*EffectSize} - {EffectSize.AS_PUBLISHED, EffectSize.UNDECIDED}


def reason_of(result: PartResult, measured: str) -> str:
    """Say what was measured, and what a test of it shows."""
    part = result.part
    assert isinstance(part, Part), "a part without a test has a reason of its own"
    comparison = part.comparison
    if not comparison.has_enough_blocks:
        return too_few_blocks(comparison.blocks, comparison.method.least_blocks)
    if not comparison.has_spread:
        return NO_VARIATION
    further = ""
    if result.further_blocks is not None:
        more = words.plural(result.further_blocks, "more block")
        further = f"; about {more} would probably decide"
    return f"measured {measured}, {_shown(result, part)}{further}"


def _shown(result: PartResult, part: Part) -> str:
    if result.cause is Basis.FAMILY_CORRECTION:
        p_value = words.p_value(part.p_holds)
        return f"which holds ({p_value}), but not after Holm's correction for all claims"
    match result.verdict:
        case ClaimVerdict.REPRODUCED:
            return f"which holds ({words.p_value(part.p_holds)})"
        case ClaimVerdict.SAME_WITHIN_MARGIN:
            return f"within the margin of ±{words.percent(part.comparison.margin_ratio)}"
        case ClaimVerdict.DIRECTION_ONLY:
            return f"another size ({words.p_value(part.p_fails)}) in the same direction"
        case ClaimVerdict.CONTRADICTED:
            return f"which does not hold ({words.p_value(part.p_fails)})"
        case _:
            smallest = part.comparison.half_width_ratio
            seen = (
                ""
                if smallest is None
                else f" (detects differences above {words.percent(smallest)})"
            )
            return f"undecided because of noise{seen}"


def sentence_of(verdict: ClaimVerdict, tests: Sequence[ElementaryResult]) -> str:
    """Say in how many tests a claim has its verdict, why, and how it fares in the others."""
    effects = _effects(tests)
    if verdict is ClaimVerdict.REPRODUCED:
        return f"Reproduced in {_of_tests(len(tests), len(tests))}{effects}."
    summary = verdict.capitalize()
    if verdict is ClaimVerdict.PARTLY_MEASURED:
        verdict = ClaimVerdict.NOT_MEASURED
        summary = f"{summary}: {verdict}"
    blamed = [test for test in tests if test.verdict is verdict]
    blamed = blamed or [test for test in tests if test.cause is not None]
    others = Counter(test.verdict for test in tests if test not in blamed)
    rest = "".join(f"; {_fares(other)} in {count}" for other, count in others.items())
    where = _of_tests(len(blamed), len(tests))
    reasons = _reasons(blamed) if blamed[0].cells else blamed[0].reason
    return f"{summary} in {where}: {reasons}{rest}{effects}."


def _fares(verdict: ClaimVerdict) -> str:
    return "holds" if verdict is ClaimVerdict.REPRODUCED else verdict


def _of_tests(count: int, total: int) -> str:
    if total == 1:
        return "its only test"
    return f"all {total} tests" if count == total else f"{count} of {total} tests"


def _effects(tests: Sequence[ElementaryResult]) -> str:
    """Say which effects have another size than published; "" if none was shown to have."""
    known = [test for test in tests if test.effect is not None]
    counted = Counter(test.effect for test in known if test.effect in _OTHER_SIZES)
    if len(known) == 1 and counted:
        (test,) = known
        if test.measured is None or test.published is None:
            return f"; the effect is {test.effect}"
        ratios = f"{words.times(test.measured)} where {words.times(test.published)} was published"
        return f"; the effect is {test.effect}: {ratios}"
    return "".join(
        f"; the effect is {effect} in {count} of {len(known)}" for effect, count in counted.items()
    )


def _reasons(tests: Sequence[ElementaryResult]) -> str:
    """Give each reason once; one that belongs to a single test names the test."""
    by_reason: dict[str, list[str]] = {}
    for test in tests:
        for reason in test.missing or (test.reason,):
            by_reason.setdefault(reason, []).append(test.expected)
    named = [
        reason if len(expected) > 1 else f"{expected[0]}: {reason}"
        for reason, expected in by_reason.items()
    ]
    return words.first_few(named, REASONS_SHOWN)
