"""A session: cells of a block that run at the same time, measured in turns by one engine.

A contender that fails leaves the session, with the reason; the others continue without it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median

from wirelab.bundle import LinkRecord, RunRecord, SessionRecord
from wirelab.bundle.run_reasons import RunReason, TransactionsFailed
from wirelab.engine.errors import EngineError
from wirelab.engine.events import SliceRow, Warm
from wirelab.engine.job import Endpoint, Job, Target
from wirelab.engine.result import RESULT, EngineResult, TargetResult
from wirelab.experiment.blocks.by_k6 import ByK6
from wirelab.experiment.blocks.figures import (
    idle_share_of_contender,
    role_usage,
    session_record,
    why_invalid,
    wrong_answers,
)
from wirelab.experiment.blocks.jobs import engine_job, engine_target
from wirelab.experiment.blocks.linking import emulated, judge_link
from wirelab.experiment.blocks.mixing import transactions
from wirelab.experiment.blocks.roster import Roster
from wirelab.experiment.blocks.sampling import Sample, forget_answers, judge_answers
from wirelab.experiment.blocks.servers import SessionServers, running_servers
from wirelab.experiment.blocks.slice_table import Turn, write_slices
from wirelab.experiment.blocks.trials import Trials
from wirelab.experiment.blocks.turn_taking import TurnTaking
from wirelab.experiment.context import RunContext
from wirelab.experiment.events import MemoryRead, RoleMemory
from wirelab.experiment.place import ServerKey
from wirelab.experiment.preparation.introducing import introduce
from wirelab.lab.errors import LinkError, StoreError
from wirelab.lab.network.link import Link
from wirelab.lab.network.proxy import cache_use
from wirelab.measure.driver import Engine
from wirelab.measure.meter import MemoryUse, Meter, off_system_cpus
from wirelab.measure.qualification import Qualification
from wirelab.planning.schedule import Block, Run
from wirelab.protocol.clients.base import NoReplyError
from wirelab.protocol.clients.client import connect_to
from wirelab.study import CapacityLoad, ClosedLoad, Design, Study
from wirelab.verify import Plan
from wirelab.verify.servers.obstacles import Obstacle, obstacle_of, status_name


@dataclass
class Session:
    """Measures some runs of a block; its files are written to `folder`.

    `study` has the loads with their rates, `design` is the design for these runs. `number` is the
    session's number within the block.
    """

    context: RunContext
    study: Study
    design: Design
    block: Block
    runs: Sequence[Run]
    number: int
    folder: Path
    qualification: Qualification | None = None
    """The engine's ceilings on this machine, if known and to be compared with."""
    endpoints: dict[str, Endpoint] = field(default_factory=dict)
    """The endpoints of the runs' servers, by id."""
    link: Link | None = None
    """The emulated network between engine and servers."""

    def __post_init__(self) -> None:
        self.laboratory, self.observer = self.context.laboratory, self.context.observer
        self.roster = Roster(self.runs)

    def run(self) -> tuple[SessionRecord, list[RunRecord]]:
        """Start servers, warm them up, measure them in turns, end them; return the records.

        Raises `LabError` and `MeasureError` for failures that affect all runs: store, engine.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._servers() as servers:
            self._check_servers(servers)
            up = self.roster.left()
            if not up:
                return SessionRecord(), [self._failed(run) for run in self.runs]
            job = self._job(up, servers)
            meter = Meter(servers.roles(), self.laboratory.cpus)
            shape = trials = linked = None
            by_k6 = self._by_k6(up)
            with self._engine(job, servers, meter) as engine:
                turns = self._turn_taking(engine, up)
                warm = turns.warm_up()
                if isinstance(self.study.loads[up[0].cell.load], CapacityLoad):
                    trials = self._trials(engine, up, partial(turns.expected_s, warm))
                    turns.rate_per_s = trials.find_rates()
                warm = {at: each for at, each in warm.items() if up[at] in self.roster.left()}
                meter.begin()
                self._report_memory(meter)
                if by_k6 is not None:
                    by_k6.measure(job)
                    turns.turns.extend(by_k6.turns)
                elif self.design.separate:
                    turns.measure_separately()
                elif warm:
                    shape = turns.rehearse(warm)
                    turns.measure(shape, between=lambda: self._read_memory(meter))
                machine, memory = meter.end()
                if trials:
                    linked = self._overload(trials)
                result = engine.finish()
            if by_k6 is not None:
                result = by_k6.amend(result)
            caches = {run.id: cache_use(servers.server(run.cell)) for run in up}
            self._check_servers(servers)
            linked = linked or judge_link(self.link, self.roster)
            cpus = {*self.laboratory.cpus.engine, *self.laboratory.cpus.system}
            write_slices(self.folder, turns.turns, cpus)
            record = session_record(
                turns.turns, machine, cpus=cpus, shape=shape, unsettled=turns.unsettled
            ).model_copy(update={"link": linked})
            samples = judge_answers(self.folder, [self._plans(run) for run in up], result)
            records = {
                run.id: (
                    self._failed(run, sample.result, *sample.why_invalid())
                    if run.id in self.roster.reasons
                    else self._record(run, target, sample, servers, memory, turns=turns.turns)
                ).model_copy(
                    update={
                        "cache": caches[run.id],
                        "capacity": trials.record(run) if trials else None,
                    }
                )
                for run, target, sample in zip(up, job.targets, samples, strict=True)
            }
            return record, [records.get(run.id) or self._failed(run) for run in self.runs]

    @contextmanager
    def _servers(self) -> Iterator[SessionServers]:
        """Run the servers, over the network of the session; forget their answers afterwards."""
        name, laboratory = self.runs[0].cell.network, self.laboratory
        cpus, seed = laboratory.cpus.system, self.block.seed
        with (
            emulated(laboratory.builder, name, self.folder, cpus=cpus, seed=seed) as self.link,
            running_servers(laboratory, self.study, self.runs, self.folder, self.link) as servers,
        ):
            try:
                yield servers
            finally:
                forget_answers(self.folder)

    # -- the engine's job ----------------------------------------------------------------------

    @contextmanager
    def _engine(self, job: Job, servers: SessionServers, meter: Meter) -> Iterator[Engine]:
        """Run the engine, connected to all servers, while it and the servers are watched."""
        with (
            off_system_cpus(self.laboratory.cpus),
            Engine.start(
                job,
                self.folder,
                watch=lambda: self._watch(servers, meter),
                network=self.link.ready.namespace if self.link else None,
            ) as engine,
        ):
            yield engine

    def _job(self, up: Sequence[Run], servers: SessionServers) -> Job:
        targets = []
        for run in up:
            server, cell = servers.server(run.cell), run.cell
            store = self.laboratory.stores.open(cell.store).counted
            roles = {**server.counted, **({} if store is None else {"store": store})}
            endpoint = self.laboratory.endpoint(cell.contender, server)
            introduce(endpoint, self._plans(run), self.study.request_timeout_s)
            self.endpoints[run.id] = endpoint
            targets.append(
                engine_target(
                    run.id,
                    self._plans(run),
                    endpoint,
                    load=self.study.loads[cell.load],
                    seed=self.block.seed,
                    request_timeout_s=self.study.request_timeout_s,
                    roles=roles,
                )
            )
        return engine_job(targets, self.folder, self.laboratory.cpus, seed=self.block.seed)

    def _plans(self, run: Run) -> tuple[Plan, ...]:
        plans = self.laboratory.verifier.plans
        return transactions(self.study, plans, run.cell, self.block.seed)

    def _turn_taking(self, engine: Engine, up: Sequence[Run]) -> TurnTaking:
        return TurnTaking(
            engine,
            up,
            self.roster,
            self.study,
            self.design,
            self.block,
            parameter_sets=len(self._plans(up[0])),
            why_failed=self._failures,
            observer=self.observer,
        )

    def _trials(
        self, engine: Engine, up: Sequence[Run], turns_s: Callable[[float], float]
    ) -> Trials:
        minutes = self.context.plan.schedule.budget_minutes
        return Trials(
            engine,
            self.study,
            self.block,
            up,
            self.roster,
            self.context.trial_grid,
            self.observer,
            budget_s=None if minutes is None else 60 * minutes,
            turns_s=turns_s,
        )

    def _by_k6(self, up: Sequence[Run]) -> ByK6 | None:
        """Return what lets k6 send the window of the only run; None if the engine does."""
        run, window = up[0], self.design.window
        load = self.study.loads[run.cell.load]
        if not isinstance(load, ClosedLoad) or load.client == "engine" or window is None:
            return None
        return ByK6(self.laboratory, run, load, window, self._plans(run), self.folder)

    def _overload(self, trials: Trials) -> LinkRecord | None:
        """Overload contenders, once the link has been judged: now it may drop packets, too."""
        linked = judge_link(self.link, self.roster)
        self.roster.is_measured = True
        trials.overload()
        return linked

    # -- watching servers ------------------------------------------------------------------------

    def _watch(self, servers: SessionServers, meter: Meter) -> str | None:
        """Watch servers and stores while the engine runs; return the reason if no run is left."""
        self._check_servers(servers)
        if self.design.separate:
            self._read_memory(meter)
        return self.roster.why_empty()

    def _read_memory(self, meter: Meter) -> None:
        """Read the memory of servers if it is due."""
        if meter.look():
            self._report_memory(meter)

    def _report_memory(self, meter: Meter) -> None:
        names = {ServerKey.from_cell(run.cell).name: run.cell.registration for run in self.runs}
        latest = meter.latest().items()
        roles = (RoleMemory(names[server], role, used) for (server, role), used in latest)
        self.observer.on(MemoryRead(tuple(roles)))

    def _check_servers(self, servers: SessionServers) -> None:
        for run in self.roster.left():
            if reason := servers.why_not(run.cell):
                self.roster.give_up(run, reason)
        if self.link is not None and (ended := self.link.why_ended()):
            raise LinkError.from_failure(ended)
        for failure in self.laboratory.stores.why_failed().values():
            raise StoreError.from_failure(failure)

    def _failures(self, run: Run, load: Warm | SliceRow) -> TransactionsFailed:
        """Return the failures of a contender; raises `StoreError` if they are the store's."""
        self.laboratory.stores.require_working()
        named = ""
        if isinstance(load, Warm) and load.status is not None:
            named = status_name(load.status, of_grpc="grpc_status" in load.errors)
        refused = {"status", "grpc_status"} & load.errors.keys()
        return TransactionsFailed(
            during="warm-up" if isinstance(load, Warm) else "slice",
            failed=load.failed,
            transactions=load.transactions,
            errors=load.errors,
            status=named,
            obstacle=self._obstacle(run) if refused else None,
        )

    def _obstacle(self, run: Run) -> Obstacle | None:
        """Send a request again with a client that keeps headers; return the obstacle, if any."""
        request = self._plans(run)[0].rounds[0][0].request
        try:
            with connect_to(self.endpoints[run.id], self.study.request_timeout_s) as client:
                return obstacle_of(client.send(request))
        except NoReplyError:
            return None

    # -- records ---------------------------------------------------------------------------------

    def _record(
        self,
        run: Run,
        target: Target,
        sample: Sample,
        servers: SessionServers,
        memory: Mapping[tuple[str, str], MemoryUse],
        *,
        turns: Sequence[Turn],
    ) -> RunRecord:
        """Return the record of a run that had all of its turns."""
        server, key = servers.server(run.cell), ServerKey.from_cell(run.cell)
        result = sample.result
        known = self.qualification
        ceiling_share = None if known is None else known.share_reached(target, result)
        load = self.study.loads[run.cell.load]
        by_k6 = isinstance(load, ClosedLoad) and load.client == "k6"
        reasons = (
            (
                *sample.why_invalid(),
                *wrong_answers(result),
            )
            if by_k6
            else (
                *sample.why_invalid(),
                *why_invalid(
                    result,
                    has_schedule=not isinstance(load, ClosedLoad),
                    ceiling_share=ceiling_share,
                    may_refuse=isinstance(load, CapacityLoad),
                ),
            )
        )
        rows = [turn.row for turn in turns if turn.run == run and turn.row.recorded]
        store = self.laboratory.stores.open(run.cell.store).title
        return RunRecord(
            run=run,
            status="invalid" if reasons else "valid",
            reasons=reasons,
            session=self.number,
            start_s=server.start_s,
            launch_s=server.launch_s,
            restore_s=servers.restore_s[key],
            roles=role_usage(
                rows, {role: use for (name, role), use in memory.items() if name == key.name}
            ),
            # An external server also works during its twin's turns.
            idle_cpu_share=(
                idle_share_of_contender(result.idle_cpu_share)
                if server.contender.address is None
                else None
            ),
            context={
                "store": store,
                "ceiling_share": ceiling_share,
                "alone_us": median(plan.alone_us for plan in self._plans(run)),
                **sample.context(),
            },
        )

    def aborted_records(self, reason: RunReason) -> list[RunRecord]:
        """Return records of all runs of an aborted session, with the reasons for each."""
        for run in self.roster.left():
            self.roster.give_up(run, reason)
        results: dict[str, TargetResult] = {}
        with suppress(EngineError):  # The engine had measured nothing yet.
            written = EngineResult.read(self.folder / RESULT)
            results = {target.name: target for target in written.targets}
        return [self._failed(run, results.get(run.id)) for run in self.runs]

    def _failed(
        self, run: Run, result: TargetResult | None = None, *details: RunReason
    ) -> RunRecord:
        """Return the record of a run that was given up, with its wrong answers until then."""
        why = self.roster.reasons[run.id]
        wrong = wrong_answers(result, known=why) if result else ()
        reasons = (why, *wrong, *details)
        return RunRecord(run=run, status="invalid", reasons=reasons, session=self.number)
