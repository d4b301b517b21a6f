"""How running contenders take turns: warm-up, rehearsal, and recorded permutations."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from wirelab.bundle.run_reasons import RunReason, TimedOut
from wirelab.engine.events import SliceRow, Warm
from wirelab.engine.job import Slice, Stop
from wirelab.experiment.blocks.figures import WRONG_ANSWER
from wirelab.experiment.blocks.jobs import stop_of
from wirelab.experiment.blocks.roster import Roster
from wirelab.experiment.blocks.slice_table import Turn
from wirelab.experiment.blocks.slicing import (
    MEASURING,
    REHEARSAL,
    PermutationStream,
    SliceShape,
    as_rehearsed,
    shape_slices,
)
from wirelab.experiment.blocks.trials import WARM_UP_CLIENTS, warm_up
from wirelab.experiment.events import ActivityStarted, Observer, TurnsFinished
from wirelab.measure.driver import Engine
from wirelab.planning.schedule import Block, Run
from wirelab.statistics import classify_settling
from wirelab.study import CapacityLoad, Design, Study

MINIMUM_REHEARSALS = 20
"""Number of rehearsed permutations before the first check for a steady state, if time allows; the
number grows by half before each further check."""

GIVEN_UP = 0.5
"""A contender that fails more than this share of a slice, or of its warm-up, gets no more turns."""
EXCERPT_OF, EXCERPT_S = 20, 1.0
"""The minimum number of transactions, and the maximum duration, of the slice in which the engine
keeps an excerpt of a wrong answer."""


@dataclass
class TurnTaking:
    """The turns of a session: `up` are its runs in the order of the engine's targets.

    `why_failed` returns, for a run, what failed in a warm-up or a slice.
    """

    engine: Engine
    up: Sequence[Run]
    roster: Roster
    study: Study
    design: Design
    block: Block
    parameter_sets: int
    why_failed: Callable[[Run, Warm | SliceRow], RunReason]
    observer: Observer = field(default_factory=Observer)
    rate_per_s: float | None = None
    """The rate of all slices, if trials have found the sustained rates."""
    turns: list[Turn] = field(default_factory=list)
    """Every slice so far."""
    place: int = 0
    """Where slices by count begin in the list of transactions: behind those of the warm-up, whose
    documents and rows are in caches."""
    unsettled: tuple[str, ...] = ()
    """Ids of runs that were not steady when the rehearsal ended."""

    def warm_up(self) -> dict[int, Warm]:
        """Warm up every target in turn; those that fail get no turns.

        If the design sets a duration, the result is that of the second half, since the first half
        runs with empty caches and code that is not compiled yet (a hundred times slower on a JVM).
        """
        warm = {}
        seconds = self.design.warm_up.seconds
        transactions = max(1, self.design.warm_up.transactions_of(self.parameter_sets))
        # The first part sends all parameter sets, since each part begins at the first set.
        parts = (transactions, max(1, transactions // 2)) if seconds else (transactions,)
        self.place = transactions
        for target, run in enumerate(self.up):
            self.observer.on(ActivityStarted(f"warm-up, {run.cell.registration}"))
            for count in parts:
                warmed = self._warm(target, count, seconds / len(parts))
                if warmed.failed > GIVEN_UP * warmed.transactions or not warmed.transactions:
                    self._keep_excerpt(target, warmed.errors)
                    self.roster.give_up(run, self.why_failed(run, warmed))
                    break
            else:
                warm[target] = warmed
        return warm

    def _warm(self, target: int, transactions: int, seconds: float) -> Warm:
        """Warm up a target; if the load has no rate yet, with some clients."""
        load = self.study.loads[self.up[target].cell.load]
        if isinstance(load, CapacityLoad):
            return warm_up(self.engine, target, load, transactions=transactions, seconds=seconds)
        return self.engine.warm_up(target, transactions=transactions, seconds=seconds)

    def _keep_excerpt(self, target: int, errors: Mapping[str, int]) -> None:
        """Record a short slice of a target whose answers are wrong in unrecorded load.

        The engine explains wrong answers, with excerpts, only in what it records.
        """
        if errors.keys() & set(WRONG_ANSWER):
            load = self.study.loads[self.up[target].cell.load]
            clients = WARM_UP_CLIENTS if isinstance(load, CapacityLoad) else None
            stop = Stop(transactions=max(EXCERPT_OF, self.parameter_sets), seconds=EXCERPT_S)
            self.engine.slices([Slice(target=target, clients=clients, stop=stop)])

    def expected_s(self, warm: Mapping[int, Warm], rate_per_s: float) -> float:
        """Estimate how long rehearsal and recorded turns of all will take at a rate."""
        shape = self._shape(warm, rate_per_s)
        slice_s = shape.seconds or (shape.transactions or 1) / rate_per_s
        each_s = sum(slice_s + shape.guards_us[target] / 1e6 for target in self._targets())
        rehearsal_s = self.design.warm_up.longest_seconds * len(self._targets())
        rehearsals = math.ceil(rehearsal_s / each_s)
        return (rehearsals + self.design.slices.permutations) * each_s

    def _shape(self, warm: Mapping[int, Warm], rate: float | None) -> SliceShape:
        """Decide how long slices last, at the common rate if trials have found one."""
        loads = [self.study.loads[run.cell.load] for run in self.up]
        if rate is not None:
            loads = [
                load.at_rate(rate) if isinstance(load, CapacityLoad) else load for load in loads
            ]
        shape = shape_slices(self.design.slices, loads, warm, self.parameter_sets)
        return replace(shape, rate_per_s=rate)

    def measure_separately(self) -> None:
        """Measure a run separately from all others."""
        (run,) = self.up
        window = self.design.window
        if window is not None and run in self.roster.left():
            stop = stop_of(window, self.parameter_sets)
            self.observer.on(ActivityStarted(f"window, {run.cell.registration}"))
            turn = Slice(target=0, first=0, guard_us=0, stop=stop, seed=self.block.seed)
            self._run_slices([turn], 1, recorded=True)

    def rehearse(self, warm: Mapping[int, Warm]) -> SliceShape:
        """Let all take unrecorded turns until every one is steady, or the time is over.

        Returns the duration of slices and guards, from the latest observations.
        """
        longest_ns = 1e9 * self.design.warm_up.longest_seconds
        turns = PermutationStream(self.block.seed, REHEARSAL, self.parameter_sets, self.place)
        shape = self._shape(warm, self.rate_per_s)
        seen: dict[int, list[SliceRow]] = {target: [] for target in warm}
        spent_ns, number, judged_at = 0, 0, MINIMUM_REHEARSALS
        while spent_ns < longest_ns * len(self.roster.left()):
            number += 1
            self.observer.on(ActivityStarted(f"rehearsal {number}"))
            for permutation in turns.take(1, self._targets(), shape):
                for row in self._run_slices(permutation, number, recorded=False):
                    seen[row.target].append(row)
                    spent_ns += row.guard_ns + row.ended_ns - row.started_ns
            self.place = turns.place
            rehearsed = {
                target: as_rehearsed(before, seen[target]) for target, before in warm.items()
            }
            shape = self._shape(rehearsed, self.rate_per_s)
            if number == judged_at:
                if all(self._steady(run) for run in self.roster.left()):
                    return shape
                judged_at += max(1, number // 2)
        if number:
            self.unsettled = tuple(run.id for run in self.roster.left() if not self._steady(run))
        return shape

    def _steady(self, run: Run) -> bool:
        """Return whether the times of a run's rehearsal end in a steady part."""
        medians = [turn.row.median_us for turn in self.turns if turn.run == run]
        series = [median for median in medians if median is not None]
        return classify_settling(series).is_settled

    def measure(self, shape: SliceShape, between: Callable[[], None]) -> None:
        """Let all take the recorded turns; `between` is called after each permutation."""
        turns = PermutationStream(self.block.seed, MEASURING, self.parameter_sets, self.place)
        planned = self.design.slices.permutations
        for number in range(1, planned + 1):
            if not (targets := self._targets()):
                return
            self.observer.on(ActivityStarted(f"permutation {number} of {planned}"))
            for permutation in turns.take(1, targets, shape):
                self._run_slices(permutation, number, recorded=True)
            between()

    def _run_slices(
        self, slices: Sequence[Slice], number: int, *, recorded: bool
    ) -> list[SliceRow]:
        """Run a permutation; a contender that fails gets no further turns."""
        rows = self.engine.slices(slices, recorded=recorded)
        turns = [Turn(self.up[row.target], number, at, row) for at, row in enumerate(rows, start=1)]
        self.turns += turns
        self.observer.on(TurnsFinished(tuple((turn.run, turn.row) for turn in turns)))
        for run, row in ((turn.run, turn.row) for turn in turns):
            if row.failed > GIVEN_UP * row.transactions:
                if not recorded:
                    self._keep_excerpt(row.target, row.errors)
                self.roster.give_up(run, self.why_failed(run, row))
            elif self._has_timed_out(row):
                self.roster.give_up(run, TimedOut(limit_s=self.study.request_timeout_s))
        return rows

    def _has_timed_out(self, row: SliceRow) -> bool:
        """Return whether the guard's requests were not answered, so that nothing was recorded."""
        return not row.transactions and row.whole_s >= self.study.request_timeout_s

    def _targets(self) -> list[int]:
        left = self.roster.left()
        return [target for target, run in enumerate(self.up) if run in left]
