"""Cautions about turns: what may have biased an estimate, and what an average hides."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wirelab.analysis.cautions.caution import Caution
from wirelab.analysis.cautions.evidence import Evidence
from wirelab.analysis.cautions.fairness import Fairness
from wirelab.analysis.model import CellSummary, ComparedPair
from wirelab.statistics import Comparison
from wirelab.study import Cell
from wirelab.terminal import words


@dataclass(frozen=True)
class StolenTimeChanges(Caution):
    """An estimate differs over the least-stolen permutations alone."""

    TITLE = "Stolen time changes an estimate"
    pairs: tuple[tuple[str, float, float], ...]
    """Pairs, with the ratio over all permutations and over the least-stolen half."""

    def _detail(self) -> str:
        return words.first_few(
            [
                f"{pair}: {words.times(all_of_them)} over all permutations,"
                f" {words.times(least)} over the half with the least stolen time"
                for pair, all_of_them, least in self.pairs
            ]
        )


@dataclass(frozen=True)
class Tail:
    """A contender with slow requests that raise its mean, in a pair with another one."""

    label: str
    other: str
    setting: str
    typical_ratio: float
    """Of both, as the pair is compared; A over B."""
    mean_ratio: float
    reverses: bool
    """Whether typical and mean time disagree about which of both is faster."""
    is_first: bool
    """Whether the contender with the tail is A."""

    def __str__(self) -> str:
        """Describe it, as a pair if it reverses the order."""
        typical, mean = self.typical_ratio, self.mean_ratio
        if self.reverses:
            a, b = (self.label, self.other) if self.is_first else (self.other, self.label)
            return (
                f"{a} vs {b} at “{self.setting}”: {words.times(mean)} by the mean,"
                f" {words.times(typical)} by the typical time"
            )
        if not self.is_first:
            typical, mean = 1 / typical, 1 / mean
        return (
            f"{self.label} at “{self.setting}” ({words.times(typical)} the time of {self.other}, by"
            f" the mean {words.times(mean)})"
        )


@dataclass(frozen=True)
class Tails(Caution):
    """Typical and mean time disagree; first where that reverses an order."""

    TITLE = "Typical and mean time disagree"
    tails: tuple[Tail, ...]

    def _detail(self) -> str:
        return (
            "a few slow requests raise the mean, that is, there is a longer tail:"
            f" {words.first_few(list(map(str, self.tails)))}"
        )


@dataclass(frozen=True)
class CarriedOver(Caution):
    """Times depend on the predecessor: settings, with the largest bias of a ratio."""

    TITLE = "Times depend on the contender of the previous turn"
    settings: tuple[tuple[str, float], ...]

    def _detail(self) -> str:
        carried = [f"“{it}” (by at most {words.percent(bias)})" for it, bias in self.settings]
        return f"this may bias ratios at {words.first_few(carried)}"


@dataclass(frozen=True)
class BusyOutOfTurn(Caution):
    """Contenders use CPU time while others are measured."""

    TITLE = "Contenders use CPU time while others are measured"
    contenders: tuple[tuple[str, float, int], ...]
    """Labels, with the largest share of a CPU, and the number of settings."""

    def _detail(self) -> str:
        listed = [
            f"{label} (up to {words.percent(share)} of a CPU, in {words.plural(count, 'setting')})"
            for label, share, count in self.contenders
        ]
        return f"garbage collection, timers or unfinished writes: {words.first_few(listed)}"


def turns(evidence: Evidence) -> Iterator[Caution]:
    """Find the effects of stolen time, tails, predecessors and work out of turn on estimates."""
    yield from _stolen(evidence.pairs, evidence.titles)
    yield from _tails(evidence.pairs, evidence.titles, by_mean=evidence.by_mean)
    yield from _carried(evidence.fairness, evidence.titles)
    yield from _busy(evidence.fairness, evidence.summaries)


def _stolen(pairs: Sequence[ComparedPair], titles: Mapping[Cell, str]) -> Iterator[Caution]:
    """Name the pairs whose estimate differs over the least-stolen permutations alone."""
    odd = tuple(
        (
            f"{pair.a_label} vs {pair.b_label} at “{titles[pair.a]}”",
            pair.stolen.everything.ratio,
            pair.stolen.least_stolen.ratio,
        )
        for pair in pairs
        if pair.stolen is not None and pair.stolen.differ
    )
    if odd:
        yield StolenTimeChanges(odd)


def _tails(
    pairs: Sequence[ComparedPair], titles: Mapping[Cell, str], *, by_mean: bool
) -> Iterator[Caution]:
    """Name contenders with a tail, first those in pairs whose order it reverses.

    `_disagree` selects the pairs.
    """
    reversing: list[Tail] = []
    others: dict[tuple[str, str], Tail] = {}
    for pair, typical, mean in sorted(_apart(pairs, by_mean=by_mean), key=_disagreement):
        is_first = mean >= typical  # otherwise B has the tail
        labels = (pair.a_label, pair.b_label) if is_first else (pair.b_label, pair.a_label)
        tail = Tail(*labels, titles[pair.a], typical, mean, reverses(pair), is_first)
        if tail.reverses:
            reversing.append(tail)
        elif pair.verdict and pair.verdict.orders:
            others.setdefault((tail.label, tail.setting), tail)
    known = {(tail.label, tail.setting) for tail in reversing}
    tails = [
        *sorted(reversing, key=lambda it: _position(reversing, it)),
        *(tail for who, tail in others.items() if who not in known),
    ]
    if tails:
        yield Tails(tuple(tails))


def _position(tails: Sequence[Tail], tail: Tail) -> int:
    """Return a sort key that keeps tails of one contender in one setting together."""
    return [(each.label, each.setting) for each in tails].index((tail.label, tail.setting))


def reverses(pair: ComparedPair) -> bool:
    """Return whether typical and mean time disagree about which of two contenders is faster."""
    return (
        pair.other is not None
        and _disagree(pair.comparison, pair.other)
        and (pair.comparison.ratio < 1) is not (pair.other.ratio < 1)
    )


def _apart(
    pairs: Sequence[ComparedPair], *, by_mean: bool
) -> Iterator[tuple[ComparedPair, float, float]]:
    """Yield the pairs whose typical and mean ratio disagree, with both."""
    for pair in pairs:
        if pair.other is not None and _disagree(pair.comparison, pair.other):
            judged, other = pair.comparison.ratio, pair.other.ratio
            yield (pair, other, judged) if by_mean else (pair, judged, other)


def _disagree(one: Comparison, other: Comparison) -> bool:
    """Return whether intervals exclude each other, or ratios are beyond the margin on both sides.

    The latter counts where one of the intervals excludes equality.
    """
    a, b = one.interval95, other.interval95
    if a is None or b is None:
        return False
    low, high = sorted((one.ratio, other.ratio))
    beyond = low < 1 / (1 + one.margin_ratio) and high > 1 + one.margin_ratio
    reverses = beyond and not (a.contains(1.0) and b.contains(1.0))
    return reverses or a.high < b.low or b.high < a.low


def _disagreement(apart: tuple[ComparedPair, float, float]) -> float:
    """Return a sort key: the distance between typical and mean ratio, the largest first."""
    _, typical, mean = apart
    return -abs(math.log(mean / typical))


def _carried(fairness: Sequence[Fairness], titles: Mapping[Cell, str]) -> Iterator[Caution]:
    """Find settings in which a contender's time depends on its predecessor."""
    carried = tuple(
        (titles[each.cells[0]], each.carry_over.bias_ratio)
        for each in fairness
        if each.carries_over and each.carry_over is not None
    )
    if carried:
        yield CarriedOver(carried)


def _busy(fairness: Sequence[Fairness], summaries: Mapping[Cell, CellSummary]) -> Iterator[Caution]:
    """Name each contender that works out of turn once, with its worst setting."""
    shares: dict[str, list[float]] = {}
    for each in fairness:
        for cell, share in each.busy.items():
            if cell in summaries:
                shares.setdefault(summaries[cell].label, []).append(share)
    if shares:
        busy = [
            (label, max(of_settings), len(of_settings)) for label, of_settings in shares.items()
        ]
        yield BusyOutOfTurn(tuple(sorted(busy, key=lambda it: -it[1])))
