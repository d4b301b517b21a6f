"""The trials of a session whose loads measure capacity: search, turns on a grid, overload."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from numpy.random import PCG64, Generator

from wirelab.bundle import CapacityRecord, OverloadRecord, TrialRecord
from wirelab.bundle.run_reasons import Failed, NoCapacity, NoTransition
from wirelab.engine.errors import NoCapacityError
from wirelab.engine.events import CapacityFound, Judged, SliceRow, Warm
from wirelab.engine.job import Slice, Stop
from wirelab.experiment.blocks.roster import Roster
from wirelab.experiment.blocks.trial_grid import (
    BEYOND,
    OFFSETS,
    SHIFT,
    TrialGrid,
    center_of,
    permutations,
)
from wirelab.experiment.events import (
    ActivityStarted,
    BlockEstimated,
    Observer,
    TurnsFinished,
)
from wirelab.measure.driver import Engine
from wirelab.planning.schedule import Block, Run
from wirelab.statistics import fit_transition
from wirelab.study import CapacityLoad, Study

WARM_UP_CLIENTS = 4
MOST_APPROACHES = 12
LEAST_REQUESTS = 10
"""The fewest requests of a trial that can show an outcome."""
LONG_TRIAL_S = 3.0
"""With a budget, longer trials take place once at each rate in a block."""
BLOCK_SHARE = 0.4
"""The share of a budget that the trials of a block may take at all rates."""
GUARD_SHARE = 0.1
"""Duration of the guard before a trial, as a share of the trial: unrecorded load, so that the
server is already busy when the trial begins."""
RECOVERED_AT = 0.5
"""The share of the sustained rate that a contender must handle again after an overload."""
COMMON_SHARE = 0.5
"""The rate of timed turns, as a share of the smallest sustained rate of all contenders."""
RECOVERY_TRIAL_S, RECOVERY_REQUESTS = 0.1, 20
"""The minimum duration, and the minimum number of requests, of a trial that shows recovery."""


@dataclass
class Trials:
    """The trials of the runs of a session, in the order of the engine's targets.

    `grid` is shared between blocks and receives the results.
    """

    engine: Engine
    study: Study
    block: Block
    runs: Sequence[Run]
    roster: Roster
    grid: TrialGrid
    observer: Observer = field(default_factory=Observer)
    budget_s: float | None = None
    """How long all blocks together may take; None for any time."""
    turns_s: Callable[[float], float] = lambda _: 0.0
    """Returns the estimated duration of the timed turns at a rate."""
    taken: dict[str, list[TrialRecord]] = field(default_factory=dict)
    """The trials on the grid, by run."""
    searched: dict[str, CapacityFound] = field(default_factory=dict)
    """The searches of this block, by run."""
    rates: dict[str, float] = field(default_factory=dict)
    """The sustained rates, by run."""
    overloads: dict[str, list[OverloadRecord]] = field(default_factory=dict)

    def find_rates(self) -> float | None:
        """Find the sustained rate of every contender; return the rate for timing all of them.

        Contenders without a capacity are given up; None if all are. Raises `EngineError`.
        """
        began = time.monotonic()
        for run in sorted(self.roster.left(), key=lambda run: run.cell.twin):
            self._search(run)
        for run in self.roster.left():
            self._approach(run)
        if self.roster.left():
            once_s = time.monotonic() - began
            self.observer.on(BlockEstimated(self._expected_s(), once_s))
        self._take_turns()
        for run in self.roster.left():
            self._look_beyond(run)
        for run in self.roster.left():
            self._judge(run)
        known = [self.rates[run.id] for run in self.roster.left()]
        return COMMON_SHARE * min(known) if known else None

    def overload(self) -> None:
        """Overload contenders, and measure how long they take to recover."""
        for run in self.roster.left():
            self.observer.on(ActivityStarted(f"overload, {run.cell.registration}"))
            for times in CapacityLoad.OVERLOADS:
                if run not in self.roster.left():
                    break
                rate = self.rates[run.id]
                trial, row = self._trial(run, times * rate, self._trial_s, self.block.seed)
                recovery_s = self._recovery_s(run, RECOVERED_AT * rate, row)
                self.overloads.setdefault(run.id, []).append(
                    OverloadRecord(times=times, trial=trial, recovery_s=recovery_s)
                )

    def record(self, run: Run) -> CapacityRecord:
        """Return all results of a run."""
        return CapacityRecord(
            objective=self._load(run).objective,
            rate_per_s=self.rates.get(run.id),
            trials=tuple(self.taken.get(run.id, ())),
            overload=tuple(self.overloads.get(run.id, ())),
            ended=self.roster.ended_late.get(run.id),
            search=self.searched.get(run.id),
        )

    def _search(self, run: Run) -> None:
        """Find the order of magnitude of a contender's sustained rate, once for all blocks."""
        cell, load = run.cell, self._load(run)
        if cell in self.grid.centers:
            return
        search = self.grid.search_of(cell)
        if search is None:
            which = f"search {len(self.searched) + 1} of {self._searches}"
            limit = f"at most {load.search_seconds:g} s"
            doing = f"{which}, {limit}, {cell.registration}"
            self.observer.on(ActivityStarted(doing, is_long=True))
            try:
                search = self.engine.find_capacity(
                    self._target(run),
                    load.objective,
                    seconds=load.search_seconds,
                    trial_s=load.trial_seconds,
                    seed=self.block.seed,
                )
            except NoCapacityError as error:
                self.roster.give_up(run, Failed.from_error(error))
                return
            self.grid.searches[cell] = self.searched[run.id] = search
        has_no_rate = search.goals[0].outcome == "no rate"
        if has_no_rate or load.is_too_slow(search.trial_s):
            self._without_capacity(run, "no rate" if has_no_rate else "slow")
            return
        try:
            self.grid.begin(cell, center_of(search))
        except NoCapacityError as error:
            self.roster.give_up(run, Failed.from_error(error))

    def _approach(self, run: Run) -> None:
        """Before the first turns at a cell's rates, move these to where outcomes change.

        A search that ran out of time, or that other programs disturbed, may be far from there.
        """
        cell, shift = run.cell, SHIFT
        if cell in self.grid.approached:
            return
        self.grid.approached.add(cell)
        kept: int | None = None
        missed: int | None = None  # the lines between which outcomes change, once they are known
        for _ in range(MOST_APPROACHES):
            line, rate = self.grid.centers[cell], self.grid.rate(cell, 0)
            if run not in self.roster.left():
                return
            if kept is None and missed is not None and rate * self._trial_s < LEAST_REQUESTS:
                break
            self.observer.on(ActivityStarted(f"at {rate:g}/s, {cell.registration}"))
            trial, _ = self._trial(run, rate, self._trial_s, self.block.seed)
            if trial.judged.is_kept:
                kept = line
            else:
                missed = line
            if kept is not None and missed is not None:
                self.grid.centers[cell] = (kept + missed) // 2
                if missed - kept <= SHIFT:
                    return
            else:
                self.grid.centers[cell] += -shift if kept is None else shift
                shift *= 2
        if kept is None:
            self._without_capacity(run, "no rate")

    def _without_capacity(self, run: Run, why: Literal["no rate", "slow"]) -> None:
        """Give up a run, and all further blocks of its cell."""
        reason = self.grid.without_capacity[run.cell] = NoCapacity(of=why)
        self.roster.give_up(run, reason)

    @property
    def _searches(self) -> int:
        """The number of searches of this block: one for each contender, done or not."""
        left = {run.cell for run in self.roster.left()} - self.grid.centers.keys()
        pending = {replace(cell, twin=False) for cell in left if self.grid.search_of(cell) is None}
        return len(self.searched) + len(pending)

    def _expected_s(self) -> float:
        """Estimate how long trials, timed turns and overload will take, from the searches."""
        runs = self.roster.left()
        rates = [self.grid.rate(run.cell, 0) for run in runs]
        seconds = self.turns_s(COMMON_SHARE * min(rates))
        for run, rate in zip(runs, rates, strict=True):
            load, overloads = self._load(run), len(CapacityLoad.OVERLOADS)
            trials, queue_s = load.RATES * self._repeats, load.connections / rate
            seconds += (trials + overloads) * (1 + GUARD_SHARE) * self._trial_s
            # Half of the trials exceed the capacity, so that a queue remains, as after an overload.
            seconds += (trials / 2 + overloads) * queue_s
            seconds += overloads * _recovery_trial_s(RECOVERED_AT * rate)
        return seconds

    def _take_turns(self) -> None:
        """Let contenders take turns on each line of the grid, in random order."""
        random = Generator(PCG64([self.block.seed, self.block.number]))
        runs = self.roster.left()
        turns = permutations(random, [run.id for run in runs], self._repeats if runs else 0)
        by_id = {run.id: run for run in runs}
        for number, turn in enumerate(turns, start=1):
            self.observer.on(ActivityStarted(f"trial {number} of {len(turns)}"))
            seed = int(random.integers(2**32))
            for name, offset in turn:
                run = by_id[name]
                if run in self.roster.left():
                    rate = self.grid.rate(run.cell, offset)
                    trial, _ = self._trial(run, rate, self._trial_s, seed)
                    self.taken.setdefault(name, []).append(trial)

    def _look_beyond(self, run: Run) -> None:
        """Take further trials if all on the grid had the same outcome, until most have the other.

        A block whose capacity lies beyond the grid would otherwise be lost, and the rest of them
        would vary less than capacities do.
        """
        own = self.taken.get(run.id, [])
        if not own or len({trial.judged.is_kept for trial in own}) > 1:
            return
        was_kept, repeats = own[0].judged.is_kept, self._repeats
        way = 1 if was_kept else -1
        for line in range(1, BEYOND + 1):
            rate = self.grid.rate(run.cell, way * (OFFSETS[-1] + line))
            self.observer.on(ActivityStarted(f"trials beyond the grid, {run.cell.registration}"))
            same = 0
            for repeat in range(repeats):
                if run not in self.roster.left():
                    return
                trial, _ = self._trial(run, rate, self._trial_s, self.block.seed + repeat)
                own.append(trial)
                same += trial.judged.is_kept == was_kept
            if 2 * same < repeats:
                return

    def _judge(self, run: Run) -> None:
        """Find the rate at which half of a contender's trials meet the objective."""
        own = self.taken.get(run.id, [])
        kept = [trial.judged.is_kept for trial in own]
        transition = fit_transition([trial.rate_per_s for trial in own], kept)
        self.grid.learn(run.cell, None if transition is None else transition.rate, kept)
        if transition is None:
            self.roster.give_up(run, _without_transition(own))
        else:
            self.rates[run.id] = transition.rate

    def _recovery_s(self, run: Run, rate: float, overloaded: SliceRow) -> float | None:
        """Return how long after an overload a contender meets the objective again."""
        trial_s = _recovery_trial_s(rate)
        ended_s = overloaded.ended_ns / 1e9
        while run in self.roster.left():
            _, row = self._trial(run, rate, trial_s, self.block.seed)
            since_s = row.started_ns / 1e9 - ended_s
            if row.judged is not None and row.judged.is_kept:
                return max(0.0, since_s)
            if since_s > CapacityLoad.LONGEST_RECOVERY_S:
                return None
        return None

    def _trial(
        self, run: Run, rate: float, seconds: float, seed: int
    ) -> tuple[TrialRecord, SliceRow]:
        # Half an interval: a request that is due at the end of the trial would be sent too late.
        guard_s = (math.floor(GUARD_SHARE * seconds * rate) + 0.5) / rate
        (row,) = self.engine.slices(
            [
                Slice(
                    target=self._target(run),
                    guard_us=round(1e6 * guard_s),
                    stop=Stop(seconds=seconds),
                    rate_per_s=rate,
                    objective=self._load(run).objective,
                    seed=seed,
                )
            ],
            recorded=False,
        )
        self.observer.on(TurnsFinished(((run, row),)))
        trial = TrialRecord(
            rate_per_s=rate,
            seconds=seconds,
            judged=row.judged or Judged(due=0, good=0, loss_ratio=1.0, is_kept=False),
            failed=row.failed,
            never_sent=row.never_sent,
            errors=row.errors,
            p99_us=row.p99_us,
        )
        return trial, row

    @property
    def _trial_s(self) -> float:
        """The duration of trials, for all contenders: the longest that any of them needs.

        With a budget, those of a block take at most a share of it, unless they are given.
        """
        searches = [self.grid.search_of(run.cell) for run in self.runs]
        needed_s = max(search.trial_s for search in searches if search is not None)
        if self.budget_s is None or self._load(self.runs[0]).trial_seconds is not None:
            return needed_s
        return min(needed_s, BLOCK_SHARE * self.budget_s / CapacityLoad.RATES)

    @property
    def _repeats(self) -> int:
        """The number of trials at each rate: one, if a budget has no time for more."""
        if self.budget_s is not None and self._trial_s > LONG_TRIAL_S:
            return 1
        return max(self._load(run).repeats for run in self.runs)

    def _load(self, run: Run) -> CapacityLoad:
        load = self.study.loads[run.cell.load]
        assert isinstance(load, CapacityLoad)
        return load

    def _target(self, run: Run) -> int:
        return self.runs.index(run)


def _recovery_trial_s(rate: float) -> float:
    """Return the duration of a trial that shows whether a contender has recovered."""
    return math.ceil(max(RECOVERY_TRIAL_S * rate, RECOVERY_REQUESTS)) / rate


def _without_transition(trials: Sequence[TrialRecord]) -> NoTransition:
    """Return why a block's trials do not show the rate at which half of them are kept."""
    rates = [trial.rate_per_s for trial in trials]
    return NoTransition(
        trials=len(trials),
        kept=sum(trial.judged.is_kept for trial in trials),
        lowest_per_s=min(rates),
        highest_per_s=max(rates),
    )


def warm_up(
    engine: Engine, target: int, load: CapacityLoad, *, transactions: int, seconds: float
) -> Warm:
    """Warm up a target with some clients, since its load has no rate yet, to both minimums.

    First, one request is sent on every connection, and its result is ignored: a connection without
    a request would occupy a thread of servers such as gunicorn.
    """
    each = Stop(transactions=load.connections)
    engine.slices([Slice(target=target, clients=load.connections, stop=each)], recorded=False)
    stops = [Stop(transactions=transactions)] + ([Stop(seconds=seconds)] if seconds else [])
    rows = engine.slices(
        [Slice(target=target, clients=WARM_UP_CLIENTS, stop=stop) for stop in stops],
        recorded=False,
    )
    errors: dict[str, int] = {}
    for row in rows:
        for name, count in row.errors.items():
            errors[name] = errors.get(name, 0) + count
    last = rows[-1]
    return Warm(
        target=target,
        seconds=sum(row.recorded_s for row in rows),
        transactions=sum(row.transactions for row in rows),
        failed=sum(row.failed for row in rows),
        errors=errors,
        status=None,
        mean_us=last.mean_us,
        median_us=last.median_us,
        p99_us=last.p99_us,
    )
