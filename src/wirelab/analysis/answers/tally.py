"""Verdicts of many comparisons, counted."""

from collections.abc import Iterator, Sequence

from wirelab.analysis.model import ComparedPair
from wirelab.analysis.wording import Wording
from wirelab.statistics import Outcome
from wirelab.terminal import words


def tally(pairs: Sequence[ComparedPair], wording: Wording) -> str:
    """Count the verdicts over many pairs: how many are slower, and by how much."""
    parts: list[str] = []
    for outcome, phrase in (
        (Outcome.SLOWER, wording.worse),
        (Outcome.FASTER, wording.better),
        (Outcome.SAME, "practically the same"),
    ):
        if ratios := _ratios(pairs, outcome):
            of = f" of {len(pairs)}" if not parts else ""
            everyone = len(ratios) == len(pairs) > 1
            count = f"all {len(ratios)}" if everyone else f"{len(ratios)}{of}"
            noun = "" if parts else f" {'comparison' if len(pairs) == 1 else 'comparisons'}"
            parts.append(f"{phrase} in {count}{noun} ({_span(ratios)} {wording.quantity})")
    open_ratios = _ratios(pairs, Outcome.CANNOT_TELL)
    empty = sum(not pair.comparison.blocks for pair in pairs)
    without = f"; {empty} without a block in which both runs count" if empty else ""
    if not parts:
        every = words.plural(len(pairs), "comparison")
        span = f" ({_span(open_ratios)} {wording.quantity})" if open_ratios else ""
        return f"no verdict in {every}{span}{without}"
    left = f"; {len(open_ratios)} undecided ({_span(open_ratios)})" if open_ratios else ""
    return f"{wording.tally} {words.listed(parts)}{left}{without}"


def _ratios(pairs: Sequence[ComparedPair], outcome: Outcome) -> list[float]:
    return sorted(
        pair.comparison.ratio
        for pair in pairs
        if pair.comparison.blocks and pair.verdict and pair.verdict.outcome is outcome
    )


def _span(ratios: Sequence[float]) -> str:
    """Render the smallest and the largest of sorted ratios."""
    return " to ".join(dict.fromkeys(words.times(end) for end in (ratios[0], ratios[-1])))


def counts(pairs: Sequence[ComparedPair], wording: Wording) -> Iterator[str]:
    """Yield how often each verdict occurs, the most frequent first, and the span of its ratios."""
    named = {
        Outcome.FASTER: wording.direction.words(Outcome.FASTER),
        Outcome.SLOWER: wording.direction.words(Outcome.SLOWER),
        Outcome.SAME: str(Outcome.SAME),
        Outcome.CANNOT_TELL: "undecided",
    }
    found = {outcome: _ratios(pairs, outcome) for outcome in named}
    for outcome in sorted(named, key=lambda each: -len(found[each])):
        if ratios := found[outcome]:
            of = f"all {len(pairs)}" if len(ratios) == len(pairs) else f"{len(ratios)}"
            yield f"{named[outcome]} in {of} ({_span(ratios)})"
