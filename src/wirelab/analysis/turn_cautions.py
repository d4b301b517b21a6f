"""Cautions about turns: what may have biased an estimate, and what an average hides."""

from collections.abc import Iterator, Mapping, Sequence

from wirelab import words
from wirelab.analysis.fairness import Fairness
from wirelab.analysis.model import Caution, CellSummary, Judged
from wirelab.statistics import Outcome
from wirelab.study import Cell


def turn_cautions(
    pairs: Sequence[Judged],
    titles: Mapping[Cell, str],
    fairness: Sequence[Fairness],
    summaries: Mapping[Cell, CellSummary],
    *,
    by_mean: bool,
) -> Iterator[Caution]:
    """Yield the effects of stolen time, tails, predecessors and work out of turn on estimates.

    `by_mean`: pairs are judged by the mean time, and the typical time is the other one.
    """
    yield from _stolen(pairs, titles)
    yield from _tails(pairs, titles, by_mean=by_mean)
    yield from _carried(fairness, titles)
    yield from _busy(fairness, summaries)


def _stolen(pairs: Sequence[Judged], titles: Mapping[Cell, str]) -> Iterator[Caution]:
    """Name the pairs whose estimate differs over the least-stolen permutations alone."""
    odd = [
        f"{pair.a_label} vs {pair.b_label} at “{titles[pair.a]}”:"
        f" {words.times(pair.stolen.everything.ratio)} over all permutations,"
        f" {words.times(pair.stolen.least_stolen.ratio)} over those that lost the least"
        for pair in pairs
        if pair.stolen is not None and pair.stolen.differ
    ]
    if odd:
        yield Caution("minor", "Stolen time changes an estimate", words.first_few(odd))


def _tails(
    pairs: Sequence[Judged], titles: Mapping[Cell, str], *, by_mean: bool
) -> Iterator[Caution]:
    """Name contenders with a tail: the ratios of typical and mean time exclude each other."""
    odd: dict[tuple[str, str], str] = {}
    for pair in pairs:
        one, other = pair.comparison.interval95, pair.other and pair.other.interval95
        decided = pair.verdict and pair.verdict.outcome in (Outcome.FASTER, Outcome.SLOWER)
        if not (one and other and decided and pair.other):
            continue
        if one.high < other.low or other.high < one.low:
            typical, mean = pair.comparison.ratio, pair.other.ratio
            if by_mean:
                typical, mean = mean, typical
            who, against = pair.a_label, pair.b_label
            if mean < typical:  # then B has the tail
                who, against, typical, mean = against, who, 1 / typical, 1 / mean
            odd.setdefault(
                (who, titles[pair.a]),
                f"{who} at “{titles[pair.a]}” ({words.times(typical)} the time of {against},"
                f" by the mean {words.times(mean)})",
            )
    if odd:
        yield Caution(
            "minor",
            "Typical and mean time disagree",
            "a few slow requests raise the mean, that is, there is a longer tail:"
            f" {words.first_few(list(odd.values()))}",
        )


def _carried(fairness: Sequence[Fairness], titles: Mapping[Cell, str]) -> Iterator[Caution]:
    """Report settings in which a contender's time depends on its predecessor."""
    carried = [
        f"“{titles[each.cells[0]]}” (by at most {words.percent(each.carry_over.bias_ratio)})"
        for each in fairness
        if each.carries_over and each.carry_over is not None
    ]
    if carried:
        yield Caution(
            "minor",
            "Times depend on who had the turn before",
            f"this may bias ratios at {words.first_few(carried)}",
        )


def _busy(fairness: Sequence[Fairness], summaries: Mapping[Cell, CellSummary]) -> Iterator[Caution]:
    """Name each contender that works out of turn once, with its worst setting."""
    shares: dict[str, list[float]] = {}
    for each in fairness:
        for cell, share in each.busy.items():
            if cell in summaries:
                shares.setdefault(summaries[cell].label, []).append(share)
    if shares:
        listed = [
            f"{label} (up to {words.percent(max(found))} of a CPU, in"
            f" {words.plural(len(found), 'setting')})"
            for label, found in sorted(shares.items(), key=lambda item: -max(item[1]))
        ]
        yield Caution(
            "minor",
            "Contenders use CPU time while others are measured",
            f"garbage collection, timers or unfinished writes: {words.first_few(listed)}",
        )
