"""What limits a ranking: undecided pairs across groups, and pairs that the other time reverses."""

from collections.abc import Iterator, Sequence

from wirelab.analysis.cautions.turns import reverses
from wirelab.analysis.model import ComparedPair, ContenderRow
from wirelab.statistics import Outcome
from wirelab.terminal import words

PHRASES = {
    Outcome.CANNOT_TELL: "cannot be distinguished from",
    Outcome.SAME: "is practically the same as",
}


def not_ordered(
    group: Sequence[ContenderRow], others: Sequence[ContenderRow], pairs: Sequence[ComparedPair]
) -> str:
    """Name the contenders outside a group that a member is not better or worse than, if any.

    A group begins where one earlier contender is distinguished; others before it may not be.
    """
    outcomes = {
        frozenset((pair.a.contender, pair.b.contender)): pair.verdict.outcome
        for pair in pairs
        if pair.verdict
    }
    phrases = []
    for row in group:
        name = row.summary.cell.contender
        for outcome, phrase in PHRASES.items():
            close = [
                other.summary.label
                for other in others
                if outcomes.get(frozenset((name, other.summary.cell.contender))) is outcome
            ]
            if close:
                subject = f"{row.summary.label} " if len(group) > 1 else ""
                phrases.append(f"{subject}{phrase} {words.listed(close)}")
    return f", but {words.listed(phrases)}" if phrases else ""


def reversals(
    pairs: Sequence[ComparedPair], ranked: Sequence[ContenderRow], other_time: str
) -> Iterator[str]:
    """Say which decided comparisons of some contenders the other time reverses.

    `other_time` is the name of the other time.
    """
    names = {row.summary.cell.contender for row in ranked}
    limits = []
    for pair in pairs:
        decided = pair.verdict is not None and pair.verdict.orders
        if not decided or pair.other is None or not reverses(pair):
            continue
        if not names & {pair.a.contender, pair.b.contender}:
            continue
        ratio, under, over = pair.other.ratio, pair.a_label, pair.b_label
        if ratio > 1:
            ratio, under, over = 1 / ratio, over, under
        limits.append(f"{under} takes {words.times(ratio)} the time of {over}")
    if limits:
        yield f"but by the {other_time}, {words.listed(limits)}"
