"""The trials of one block: warm-up, search, turns on the grid of rates, overload."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from numpy.random import PCG64, Generator

from wirelab.capacity.grid import Grid, center_of, permutations
from wirelab.capacity.record import BlockOfTrials, OverloadRecord, TrialRecord
from wirelab.experiment.jobs import engine_job, engine_target
from wirelab.experiment.laboratory import Laboratory
from wirelab.experiment.mixing import transactions
from wirelab.experiment.observer import Observer
from wirelab.experiment.servers import Servers
from wirelab.measure.engine import Engine
from wirelab.measure.errors import EngineError
from wirelab.measure.events import CapacityFound, Judged, SliceRow
from wirelab.measure.job import Slice, Stop
from wirelab.measure.meter import aside
from wirelab.schedule import Block, Run
from wirelab.statistics import fit_transition
from wirelab.study import Study

WARM_UP_S = 0.5
WARM_UP_CLIENTS = 4
GUARD_SHARE = 0.1
"""Of a trial, before it: load that does not count, so that the trial meets a server at work."""
OVERLOADS = (1.5, 2.0)
RECOVERED_AT = 0.5
"""Of what a contender sustains: what it must keep again when an overload has ended."""
NO_RATE = "it keeps the objective at no rate that a trial can judge"
LONGEST_RECOVERY_S = 10.0
RECOVERY_TRIAL_S, RECOVERY_REQUESTS = 0.1, 20
"""Of a trial that shows recovery: it is at least so long, and has at least so many requests."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked about capacity."""

    objective: str
    repeats: int
    """Trials of each contender at each rate, in a block."""
    search_s: float
    """How long the order of magnitude of one contender's capacity may be searched for."""
    trial_s: float | None = None
    """None: as the searches say."""


@dataclass
class Turns:
    """The trials of one block, while its contenders are up.

    `grid`, `searches` and `reasons` (why contenders are not measured) are told what is found.
    """

    laboratory: Laboratory
    study: Study
    asked: Asked
    block: Block
    runs: Sequence[Run]
    servers: Servers
    folder: Path
    grid: Grid
    searches: dict[str, CapacityFound]
    reasons: dict[str, str]
    observer: Observer = field(default_factory=Observer)
    trials: list[TrialRecord] = field(default_factory=list)
    overload: list[OverloadRecord] = field(default_factory=list)

    def carry_out(self) -> BlockOfTrials:
        """Carry the block out. Raises `MeasureError` where the engine fails."""
        if not self.runs:
            return self._done({})
        targets = [
            engine_target(
                run.id,
                transactions(self.study, self.laboratory.verifier.plans, run.cell, self.block.seed),
                self.laboratory.endpoint(run.cell.contender, self.servers.of(run.cell)),
                load=self.study.loads[run.cell.load],
                seed=self.block.seed,
                request_timeout_s=self.study.request_timeout_s,
                samples_answers=False,
            )
            for run in self.runs
        ]
        cpus = self.laboratory.cpus
        job = engine_job(targets, self.folder, cpus, seed=self.block.seed)
        with aside(cpus), Engine.start(job, self.folder, watch=self._watch) as engine:
            for name in self._left():
                self._warm_up(engine, name)
            for name in self._left():
                self._search(engine, name)
            if not self._left():
                return self._done({})
            trial_s = max(self.searches[name].trial_s for name in self._left())
            self._take_turns(engine, trial_s)
            capacities = {name: self._capacity(name) for name in self._left()}
            for name in self._left():
                self._overload(engine, name, trial_s, capacities[name])
        return self._done(capacities)

    def broken_off(self, reason: str) -> BlockOfTrials:
        """Say of all that were left why the block has no value."""
        self.reasons |= dict.fromkeys(self._left(), reason)
        return self._done({})

    def _done(self, capacities: Mapping[str, float | None]) -> BlockOfTrials:
        return BlockOfTrials(
            number=self.block.number,
            trials=tuple(self.trials),
            capacities=capacities,
            overload=tuple(self.overload),
            reasons=dict(self.reasons),
        )

    def _warm_up(self, engine: Engine, name: str) -> None:
        (row,) = engine.slices(
            [
                Slice(
                    target=self._target(name),
                    clients=WARM_UP_CLIENTS,
                    stop=Stop(seconds=WARM_UP_S),
                )
            ],
            recorded=False,
        )
        if row.failed == row.transactions:
            classes = ", ".join(f"{count} {kind}" for kind, count in row.errors.items())
            self.reasons[name] = f"all transactions of its warm-up failed ({classes})"

    def _search(self, engine: Engine, name: str) -> None:
        """Find the order of magnitude of a contender's capacity, once for all blocks."""
        if name in self.grid.centers:
            return
        if name in self.searches:
            self.reasons[name] = NO_RATE
            return
        self.observer.step(f"block {self.block.number}: searching, {name}")
        try:
            found = engine.find_capacity(
                self._target(name),
                self.asked.objective,
                seconds=self.asked.search_s,
                trial_s=self.asked.trial_s,
                seed=self.block.seed,
            )
        except EngineError as error:
            self.reasons[name] = str(error)
            return
        self.searches[name] = found
        headline = found.goals[0]
        if headline.outcome == "no rate":
            self.reasons[name] = NO_RATE
            return
        center = center_of(headline.lower_per_s, headline.upper_per_s)
        # Without any bound, what some clients got that wait for their answers is the best guess.
        self.grid.begin(name, center or max(rung.rate_per_s for rung in found.ladder))

    def _take_turns(self, engine: Engine, trial_s: float) -> None:
        """Let contenders take turns: each line of the grid, all of them in random order."""
        random = Generator(PCG64([self.block.seed, self.block.number]))
        turns = permutations(random, self._left(), self.asked.repeats)
        for number, turn in enumerate(turns, start=1):
            self.observer.step(f"block {self.block.number}: turn {number} of {len(turns)}")
            seed = int(random.integers(2**32))
            for name, offset in turn:
                if name not in self.reasons:
                    rate = self.grid.rate(name, offset)
                    self.trials.append(self._trial(engine, name, rate, trial_s, seed)[0])

    def _capacity(self, name: str) -> float | None:
        """Return the rate that half of a contender's trials sustain, and tell the grid."""
        own = [trial for trial in self.trials if trial.contender == name]
        kept = [trial.judged.is_kept for trial in own]
        found = fit_transition([trial.rate_per_s for trial in own], kept)
        rate = None if found is None else found.rate
        self.grid.learn(name, rate, kept)
        return rate

    def _overload(self, engine: Engine, name: str, trial_s: float, capacity: float | None) -> None:
        """Ask for more than a contender sustains, and see how soon it is itself again."""
        if capacity is None:
            return
        for times in OVERLOADS:
            seed = self.block.seed
            trial, row = self._trial(engine, name, times * capacity, trial_s, seed)
            recovery_s = self._recovery_s(engine, name, RECOVERED_AT * capacity, row)
            self.overload.append(
                OverloadRecord(contender=name, times=times, trial=trial, recovery_s=recovery_s)
            )

    def _recovery_s(
        self, engine: Engine, name: str, rate: float, overloaded: SliceRow
    ) -> float | None:
        """Return how long after an overload a contender keeps the objective again."""
        trial_s = max(RECOVERY_TRIAL_S, RECOVERY_REQUESTS / rate)
        ended_s = overloaded.ended_ns / 1e9
        while True:
            _, row = self._trial(engine, name, rate, trial_s, self.block.seed)
            since_s = row.started_ns / 1e9 - ended_s
            if row.judged is not None and row.judged.is_kept:
                return max(0.0, since_s)
            if since_s > LONGEST_RECOVERY_S:
                return None

    def _trial(
        self, engine: Engine, name: str, rate: float, seconds: float, seed: int
    ) -> tuple[TrialRecord, SliceRow]:
        (row,) = engine.slices(
            [
                Slice(
                    target=self._target(name),
                    guard_us=round(1e6 * GUARD_SHARE * seconds),
                    stop=Stop(seconds=seconds),
                    rate_per_s=rate,
                    objective=self.asked.objective,
                    seed=seed,
                )
            ],
            recorded=False,
        )
        judged = row.judged or Judged(due=0, good=0, loss_ratio=1.0, is_kept=False)
        trial = TrialRecord(
            contender=name,
            rate_per_s=rate,
            seconds=seconds,
            judged=judged,
            failed=row.failed,
            never_sent=row.never_sent,
            errors=row.errors,
            p99_us=row.p99_us,
        )
        return trial, row

    def _target(self, name: str) -> int:
        return [run.cell.contender for run in self.runs].index(name)

    def _left(self) -> list[str]:
        names = [run.cell.contender for run in self.runs]
        return [name for name in names if name not in self.reasons]

    def _watch(self) -> str | None:
        """Look after the servers while the engine works; say when nobody is left."""
        for run in self.runs:
            name = run.cell.contender
            if name not in self.reasons and (why := self.servers.why_not(run.cell)):
                self.reasons[name] = why
        return None if self._left() else "; ".join(self.reasons.values())
