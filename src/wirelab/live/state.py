"""The state of the page: figures computed from the study's events."""

import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from wirelab.bundle import BlockRecord
from wirelab.bundle.run_reasons import in_words
from wirelab.engine.events import SliceRow
from wirelab.experiment.events import (
    ActivityStarted,
    BlockEstimated,
    BlockFinished,
    BlockStarted,
    BundleOpened,
    ComparisonsUpdated,
    Event,
    MemoryRead,
    Note,
    RoleMemory,
    StageStarted,
    StepStarted,
    StudyEnded,
    TurnsFinished,
)
from wirelab.experiment.stage_progress import StageProgress
from wirelab.live.courses import RatioCourse
from wirelab.planning.schedule import Run
from wirelab.study import Cell
from wirelab.terminal.untrusted import visible

LATEST = 20
"""The number of a contender's latest turns that its current figures cover."""

MOST_NOTES = 50

MOST_BINS = 600
"""Beyond this number, each two bins are merged, and bins are twice as long."""

PERCENTILES = {"p50": "median_us", "p90": "p90_us", "p99": "p99_us"}
"""The field of a slice, by percentile."""

ENDED = ("complete", "interrupted", "failed")

Role = tuple[str, str]
"""A contender's registration, and a role of it."""


@dataclass
class TurnTally:
    """The sums over one contender's turns so far: rehearsals, recorded slices, trials."""

    transactions: int = 0
    failed: int = 0
    slice_s: float = 0.0
    turn_s: float = 0.0
    """Including the guards before the slices, and draining after them."""
    duration_s: float = 0.0
    """The sum of the response times of the transactions that succeeded."""
    errors: Counter[str] = field(default_factory=Counter)
    latest: deque[SliceRow] = field(default_factory=lambda: deque(maxlen=LATEST))
    cell: Cell | None = None
    """What was measured in the latest turn."""
    is_before: bool = False
    """Whether a block has begun since then: the latest figures remain until the next turn."""

    def add(self, cell: Cell, row: SliceRow) -> None:
        """Add a slice."""
        if self.is_before:
            self.latest.clear()
        self.cell, self.is_before = cell, False
        self.latest.append(row)
        self.transactions += row.transactions
        self.failed += row.failed
        self.slice_s += row.recorded_s
        self.turn_s += row.whole_s
        self.duration_s += (row.mean_us or 0.0) / 1e6 * (row.transactions - row.failed)
        self.errors.update(row.errors)

    def rate(self) -> float | None:
        """Return the transactions per second of the latest turns."""
        seconds = sum(row.recorded_s for row in self.latest)
        return sum(row.transactions for row in self.latest) / seconds if seconds else None

    def percentile_us(self, name: str) -> float | None:
        """Return the median of a percentile over the latest turns; see `PERCENTILES`."""
        values = [getattr(row, PERCENTILES[name]) for row in self.latest]
        known = [value for value in values if value is not None]
        return median(known) if known else None


@dataclass
class BlockSpan:
    """When a block was measured, in Unix time, and what it measured; `end` is None meanwhile."""

    block: str
    cells: tuple[Cell, ...]
    begin: float
    end: float | None = None


@dataclass
class History:
    """Means of quantities by bins of time; `start` is when the first bin began, in Unix time."""

    start: float
    width_s: int = 1
    _series: dict[str, dict[int, tuple[float, float]]] = field(default_factory=dict)
    """By name and bin: the sum, and the divisor."""

    def add(self, at: float, name: str, amount: float, weight: float = 1.0) -> None:
        """Add an amount to a bin; its value is the sum of amounts over the sum of weights."""
        bin_ = max(0, int((at - self.start) / self.width_s))
        while bin_ >= MOST_BINS:
            self._merge()
            bin_ = int((at - self.start) / self.width_s)
        series = self._series.setdefault(name, {})
        amounts, weights = series.get(bin_, (0.0, 0.0))
        series[bin_] = amounts + amount, weights + weight

    def bins(self, now: float) -> int:
        """Return the number of bins up to a time."""
        return min(MOST_BINS, int((now - self.start) / self.width_s) + 1)

    def since(self, first: int, now: float) -> dict[str, list[float | None]]:
        """Return every series from a bin on; None for an empty bin."""
        last = self.bins(now)
        return {
            name: [_mean(series.get(bin_)) for bin_ in range(first, last)]
            for name, series in self._series.items()
        }

    def _merge(self) -> None:
        self.width_s *= 2
        for name, series in self._series.items():
            merged: dict[int, tuple[float, float]] = {}
            for bin_, (amount, weight) in series.items():
                amounts, weights = merged.get(bin_ // 2, (0.0, 0.0))
                merged[bin_ // 2] = amounts + amount, weights + weight
            self._series[name] = merged


class LiveState:
    """The figures of a study so far. Events arrive in order."""

    def __init__(self) -> None:
        now = time.time()
        self.bundle: Path | None = None
        self.began = now
        self.updated = now
        self.status = "starting"
        self.expected_s: float | None = None
        self.at_least = False
        """Whether the expected duration is a lower bound."""
        self.stages: list[StageProgress] = []
        self.attempt = 0
        """The attempt at the current block; 0 between blocks."""
        self.doing = ""
        """The activity within the block, such as a trial of a capacity."""
        self.spans: list[BlockSpan] = []
        """The attempts at all blocks."""
        self.blocks_finished: set[str] = set()
        self.runs_invalid = 0
        self.tallies: dict[str, TurnTally] = {}
        self.cpu_s: dict[Role, float] = defaultdict(float)
        self.memory: dict[Role, int] = {}
        self.courses: dict[tuple[Cell, Cell], RatioCourse] = {}
        self.progress = ComparisonsUpdated(())
        """The latest comparisons."""
        self.notes: deque[str] = deque(maxlen=MOST_NOTES)
        self.history = History(now)
        self.report: Path | None = None
        self.resume = ""
        """The command that continues the study after its end; "" if there is none."""
        self.order: list[str] = []
        """Contenders in the order of display: the baseline first."""

    @property
    def stage(self) -> StageProgress | None:
        """The current stage, or the last one."""
        return self.stages[-1] if self.stages else None

    @property
    def now(self) -> float:
        """The current Unix time; after the end of the study, the time of its end."""
        return self.updated if self.status in ENDED else time.time()

    def contenders(self) -> list[str]:
        """Return the contenders that have had a turn, in the order of display."""
        ranks = {name: rank for rank, name in enumerate(self.order)}
        return sorted(
            self.tallies, key=lambda who: (ranks.get(who.partition("~")[0], len(ranks)), who)
        )

    def take(self, at: float, event: Event) -> None:
        """Process an event of this Unix time."""
        if self.status == "starting":  # the study began before this process did
            self.began, self.history.start, self.status = at, at, "running"
        self.updated = at
        match event:
            case BundleOpened():
                self.bundle, self.expected_s = event.path, event.expected_s
                self.at_least = event.at_least
            case TurnsFinished():
                for run, row in event.turns:
                    self._add_turn(at, run, row)
            case MemoryRead():
                self._set_memory(at, event.roles)
            case BlockFinished():
                self._end_block(at, event.record)
            case ComparisonsUpdated():
                self._compare(at, event)
            case Note():
                self.notes.append(visible(event.text))
            case StudyEnded():
                self._end_stage(at, is_done=event.status == "complete")
                self.status, self.attempt = event.status, 0
                self.report, self.resume = event.report, event.resume
            case _:
                self._follow(at, event)

    def _follow(self, at: float, event: Event) -> None:
        """Show what the study does now."""
        match event:
            case StageStarted():
                self._end_stage(at)
                self.stages.append(StageProgress(visible(event.title), event.steps, at))
            case StepStarted() if self.stage:
                self.stage.next(visible(event.text), at)
            case BlockStarted():
                self._begin_block(at, event)
            case BlockEstimated() if self.stage:
                self.stage.expect(event.seconds, at, event.once_s)
            case ActivityStarted():
                self.doing = visible(event.text)

    def _end_stage(self, at: float, *, is_done: bool = True) -> None:
        self.doing = ""
        for span in self.spans:
            span.end = span.end or at
        if self.stage and self.stage.ended is None:
            self.stage.ended, self.stage.step = at, ""
            if is_done:
                self.stage.done = self.stage.steps

    def _begin_block(self, at: float, event: BlockStarted) -> None:
        self.attempt, self.doing = event.attempt, ""
        self._end_span(at, event.block.id)
        self.spans.append(BlockSpan(event.block.id, event.block.cells, at))
        self.memory.clear()
        for tally in self.tallies.values():
            tally.is_before = True
        if self.stage:
            step = visible(f"block {event.block.number} of {event.block.group}")
            self.stage.begin_block(event.block.id, step, self.expected_s, at_least=self.at_least)

    def _end_block(self, at: float, record: BlockRecord) -> None:
        uncounted = [run for run in record.runs if run.reasons]
        self.runs_invalid += len(uncounted)
        self.notes.extend(
            visible(f"not counted: {run.run.id}: {in_words(run.reasons)}") for run in uncounted
        )
        self.blocks_finished.add(record.block.id)
        self._end_span(at, record.block.id)
        self.doing = ""
        if self.stage:
            self.stage.finish_block(record.block.id, at)

    def _end_span(self, at: float, block: str) -> None:
        for span in self.spans:
            if span.block == block:
                span.end = span.end or at

    def _compare(self, at: float, event: ComparisonsUpdated) -> None:
        self.progress = event
        for each in event.comparisons:
            self.courses.setdefault((each.a, each.b), RatioCourse(each)).add(each)
        if self.stage:
            self.stage.decide(event.decided, event.questions, event.seconds_left, at)

    def _set_memory(self, at: float, roles: Iterable[RoleMemory]) -> None:
        for each in roles:
            self.memory[each.contender, each.role] = each.bytes
            self.history.add(at, f"memory/{each.contender}/{each.role}", each.bytes)

    def _add_turn(self, at: float, run: Run, row: SliceRow) -> None:
        who = run.cell.registration
        tally = self.tallies.setdefault(who, TurnTally())
        tally.add(run.cell, row)
        self.history.add(at, f"rate/{who}", row.transactions, row.recorded_s)
        self.history.add(at, f"failed/{who}", row.failed, row.recorded_s)
        for name, value_us in (("p50", row.median_us), ("p99", row.p99_us)):
            if value_us is not None:
                self.history.add(at, f"{name}/{who}", value_us)
        for role, used_us in {**row.cpu_us, "engine": row.engine_cpu_us}.items():
            if used_us is not None:
                self.cpu_s[who, role] += used_us / 1e6
                self.history.add(at, f"cpu/{who}/{role}", used_us / 1e6, row.whole_s)


def _mean(added: tuple[float, float] | None) -> float | None:
    if added is None or not added[1]:
        return None
    return float(f"{added[0] / added[1]:.5g}")
