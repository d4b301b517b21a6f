"""How a history developed: ratios to one anchor, simultaneous intervals, and where they changed."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from wirelab.statistics import SIGNIFICANCE, Interval, levels
from wirelab.versions.ledger import LedgerLine, newest

LEAST_BLOCKS = 4
"""With fewer, a line has no interval, and is not drawn."""


@dataclass(frozen=True, slots=True)
class CoursePoint:
    """One commit: its ratio to the anchor, and an interval that holds for all commits at once."""

    line: LedgerLine
    ratio: float
    interval: Interval
    level: float
    """The ratio of all neighbours that do not differ from it."""
    change: float | None = None
    """This commit's level relative to the one before it, if it begins a new one."""


@dataclass(frozen=True, slots=True)
class Course:
    """The commits of one operation, the oldest first; `left_out`: lines without a common anchor."""

    operation: str
    anchor: str
    points: tuple[CoursePoint, ...]
    left_out: int = 0

    @property
    def changes(self) -> list[CoursePoint]:
        """The commits at which the level changed."""
        return [point for point in self.points if point.change is not None]


@dataclass(frozen=True, slots=True)
class _Estimate:
    """The logarithm of a ratio to the first anchor, its variance, and half its interval."""

    value: float
    variance: float
    half_width: float


def courses(lines: Sequence[LedgerLine], order: Sequence[str] = ()) -> list[Course]:
    """Return the course of each operation.

    `order` has commits, the oldest first; if it lacks any, all are placed by their times.
    """
    by_operation: dict[str, list[LedgerLine]] = {}
    for line in newest(lines):
        by_operation.setdefault(line.operation, []).append(line)
    place = {commit: number for number, commit in enumerate(order)}
    return [_course(name, own, place) for name, own in by_operation.items()]


def _course(operation: str, lines: Sequence[LedgerLine], place: Mapping[str, int]) -> Course:
    """Return the course of one operation.

    Question: how did the ratio to the anchor develop? Formula: intervals by `RepeatedT`, at
    1 - 0.05/n for n commits, so that all hold at once (Bonferroni); changes by `levels`, with the
    variance s²/k of k blocks, s² the median of those of the machine. A line with a later anchor is
    multiplied by that anchor's own ratio, and the variances add up.
    """
    anchor = lines[0].anchor
    usable = [line for line in lines if len(line.log_ratios) >= LEAST_BLOCKS]
    confidence = 1 - SIGNIFICANCE / max(1, len(usable))
    spread = _spread_by_machine(usable)
    own = {
        (line.anchor, line.commit): _estimate(line, confidence, spread[line.machine])
        for line in usable
    }
    known = {anchor: _Estimate(0.0, 0.0, 0.0)}
    found: dict[str, tuple[LedgerLine, _Estimate]] = {}
    for line in usable:
        if line.anchor not in known and (anchor, line.anchor) in own:
            known[line.anchor] = own[anchor, line.anchor]
        if line.anchor in known:
            estimate = own[line.anchor, line.commit]
            found[line.commit] = line, _times(known[line.anchor], estimate)
    is_placed = all(commit in place for commit in found)
    ordered = sorted(
        found.values(),
        key=lambda each: place[each[0].commit] if is_placed else _moment(each[0]),
    )
    return Course(operation, anchor, tuple(_points(ordered)), len(lines) - len(found))


def _points(ordered: Sequence[tuple[LedgerLine, _Estimate]]) -> list[CoursePoint]:
    if not ordered:
        return []
    split = levels([it.value for _, it in ordered], [it.variance for _, it in ordered])
    points = []
    for number, level in enumerate(split):
        for line, it in ordered[level.first : level.end]:
            ends = it.value - it.half_width, it.value + it.half_width
            is_first = number > 0 and line is ordered[level.first][0]
            change = math.exp(level.mean - split[number - 1].mean) if is_first else None
            interval = Interval(*map(math.exp, ends))
            points.append(
                CoursePoint(line, math.exp(it.value), interval, math.exp(level.mean), change)
            )
    return points


def _spread_by_machine(lines: Sequence[LedgerLine]) -> dict[str, float]:
    """Return the variance of a block's value on each machine: that of its median line."""
    variances: dict[str, list[float]] = {}
    for line in lines:
        variances.setdefault(line.machine, []).append(line.mean.deviation**2)
    return {name: max(median(each), 1e-12) for name, each in variances.items()}


def _estimate(line: LedgerLine, confidence: float, spread: float) -> _Estimate:
    mean = line.mean
    interval = mean.interval(confidence)
    half_width = interval.high - mean.value if interval else 0.0
    return _Estimate(mean.value, spread / mean.blocks, half_width)


def _times(one: _Estimate, other: _Estimate) -> _Estimate:
    """Return the logarithm of the product of two independent ratios."""
    return _Estimate(
        one.value + other.value,
        one.variance + other.variance,
        math.hypot(one.half_width, other.half_width),
    )


def _moment(line: LedgerLine) -> float:
    return datetime.fromisoformat(line.committed).timestamp()
