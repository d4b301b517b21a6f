"""A session: cells of a block that are all up at once, measured in turns by one engine.

A contender that fails leaves the session with the reason, and the others go on without it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from wirelab.bundle import RunRecord, SessionRecord
from wirelab.experiment.figures import (
    idle_share_of_contender,
    role_usage,
    session_record,
    why_invalid,
    wrong_answers,
)
from wirelab.experiment.introducing import introduce
from wirelab.experiment.jobs import engine_job, engine_target, stop_of
from wirelab.experiment.laboratory import Laboratory
from wirelab.experiment.linking import emulated, link_record, why_not_as_declared
from wirelab.experiment.mixing import transactions
from wirelab.experiment.observer import Observer
from wirelab.experiment.place import ServerKey
from wirelab.experiment.sampling import Sample, forget_answers, judge_answers
from wirelab.experiment.servers import Servers, running_servers
from wirelab.experiment.slice_table import Turn, write_slices
from wirelab.experiment.slicing import (
    MEASURING,
    REHEARSAL,
    PermutationStream,
    SliceShape,
    as_rehearsed,
    shape_slices,
)
from wirelab.lab.errors import LinkError, StoreError
from wirelab.lab.link import Link
from wirelab.lab.proxy import cache_use
from wirelab.measure.engine import Engine
from wirelab.measure.job import Endpoint, Job, Slice, Target
from wirelab.measure.meter import MemoryUse, Meter, aside
from wirelab.measure.qualification import Qualification
from wirelab.measure.result import SliceRow, Warm
from wirelab.protocol.client import connect_to
from wirelab.protocol.client_base import NoReplyError
from wirelab.schedule import Block, Run
from wirelab.statistics import classify_settling
from wirelab.study import ClosedLoad, Design, Study
from wirelab.verify import Plan
from wirelab.verify.obstacles import obstacle_of

LEAST_REHEARSAL = 20
"""So many permutations are rehearsed before it is first asked who is steady, if there is time for
them; then half as many again each time."""

GIVEN_UP = 0.5
"""A contender that fails more than this share of a slice, or of its warm-up, has no more turns."""


@dataclass
class Session:
    """Measures some runs of a block; what it leaves comes to lie in `folder`.

    `study` has the loads at their rates, `design` is as it holds for these runs. `number` counts
    the sessions of a block.
    """

    laboratory: Laboratory
    study: Study
    design: Design
    block: Block
    runs: Sequence[Run]
    number: int
    folder: Path
    qualification: Qualification | None = None
    observer: Observer = field(default_factory=Observer)
    reasons: dict[str, str] = field(default_factory=dict)
    """Why runs, by id, have no turns any more."""
    endpoints: dict[str, Endpoint] = field(default_factory=dict)
    """Where the servers of runs, by id, are."""
    turns: list[Turn] = field(default_factory=list)
    """Every slice there has been."""
    link: Link | None = None
    """What emulates the network between engine and servers."""
    unsettled: tuple[str, ...] = ()
    """Ids of runs that were not steady when the rehearsal ended."""

    def carry_out(self) -> tuple[SessionRecord, list[RunRecord]]:
        """Start servers, warm them up, measure them in turns, end them; say how it went.

        Raises `LabError` and `MeasureError` for what concerns all runs: the store, the engine.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with (
            emulated(
                self.laboratory.builder,
                self.runs[0].cell.network,
                self.folder,
                cpus=self.laboratory.cpus.system,
                seed=self.block.seed,
            ) as self.link,
            running_servers(
                self.laboratory, self.study, self.runs, self.folder, self.link
            ) as servers,
        ):
            self._look_after(servers)
            up = self._remaining(self.runs)
            if not up:
                return SessionRecord(), [self._failed(run) for run in self.runs]
            try:
                return self._measure(up, servers)
            finally:
                forget_answers(self.folder)

    def _measure(
        self, up: Sequence[Run], servers: Servers
    ) -> tuple[SessionRecord, list[RunRecord]]:
        job = self._job(up, servers)
        meter = Meter(servers.roles(), self.laboratory.cpus)
        shape = None
        with (
            aside(self.laboratory.cpus),
            Engine.start(
                job,
                self.folder,
                watch=lambda: self._watch(servers, meter),
                network=self.link.ready.namespace if self.link else None,
            ) as engine,
        ):
            warm = self._warm_up(engine, up)
            meter.begin()
            self._tell_memory(meter)
            if self.design.separate:
                self._window(engine, up)
            elif warm:
                shape = self._rehearse(engine, up, warm)
                self._take_turns(engine, up, shape, meter)
            machine, memory = meter.end()
            result = engine.finish()
        caches = {run.id: cache_use(servers.of(run.cell)) for run in up}
        self._look_after(servers)
        linked = link_record(self.link) if self.link else None
        for reason in why_not_as_declared(linked):
            for run in self._remaining(up):
                self._give_up(run, reason)
        write_slices(self.folder, self.turns)
        session = session_record(
            self.turns,
            machine,
            cpus={*self.laboratory.cpus.engine, *self.laboratory.cpus.system},
            shape=shape,
            unsettled=self.unsettled,
        ).model_copy(update={"link": linked})
        samples = judge_answers(self.folder, [self._plans(run) for run in up], result)
        records = {
            run.id: (
                self._failed(run, *wrong_answers(sample.result), *sample.why_invalid())
                if run.id in self.reasons
                else self._record(run, target, sample, servers, memory)
            )
            for run, target, sample in zip(up, job.targets, samples, strict=True)
        }
        records |= {
            name: record.model_copy(update={"cache": caches[name]})
            for name, record in records.items()
        }
        return session, [records.get(run.id) or self._failed(run) for run in self.runs]

    # -- what the engine is told ---------------------------------------------------------------

    def _job(self, up: Sequence[Run], servers: Servers) -> Job:
        targets = []
        for run in up:
            server, cell = servers.of(run.cell), run.cell
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

    def _warm_up(self, engine: Engine, up: Sequence[Run]) -> dict[int, Warm]:
        """Warm every target up in turn; those that failed have no turns.

        Each is warmed up in two halves. What the second one shows is returned: the first meets
        empty caches and code that is not compiled yet, a hundred times slower on a JVM.
        """
        warm = {}
        for target, run in enumerate(up):
            transactions = self.design.warm_up.transactions_of(len(self._plans(run)))
            for _ in range(2):
                found = engine.warm_up(
                    target,
                    transactions=max(1, transactions // 2),
                    seconds=self.design.warm_up.seconds / 2,
                )
                if found.failed > GIVEN_UP * found.transactions or not found.transactions:
                    self._give_up(run, self._failures(run, "its warm-up", found))
                    break
            else:
                warm[target] = found
        return warm

    def _shape(self, up: Sequence[Run], warm: Mapping[int, Warm]) -> SliceShape:
        loads = [self.study.loads[run.cell.load] for run in up]
        return shape_slices(self.design.slices, loads, warm, len(self._plans(up[0])))

    def _window(self, engine: Engine, up: Sequence[Run]) -> None:
        """Measure a run apart from all others."""
        (run,) = up
        window = self.design.window
        if window is not None and run.id not in self.reasons:
            stop = stop_of(window, len(self._plans(run)))
            turn = Slice(target=0, first=0, guard_us=0, stop=stop, seed=self.block.seed)
            self._have_turns(engine, up, [turn], 1, recorded=True)

    def _rehearse(self, engine: Engine, up: Sequence[Run], warm: Mapping[int, Warm]) -> SliceShape:
        """Let all take turns that do not count until every one is steady, or time is over.

        Returns how long slices and guards have to be by what was seen last.
        """
        longest_ns = 1e9 * self.design.warm_up.longest_seconds
        turns = PermutationStream(self.block.seed, REHEARSAL, len(self._plans(up[0])))
        shape = self._shape(up, warm)
        seen: dict[int, list[SliceRow]] = {target: [] for target in warm}
        spent_ns, number, judged_at = 0, 0, LEAST_REHEARSAL
        while spent_ns < longest_ns * len(self._remaining(up)):
            number += 1
            for permutation in turns.take(1, self._targets(up), shape):
                for row in self._have_turns(engine, up, permutation, number, recorded=False):
                    seen[row.target].append(row)
                    spent_ns += row.guard_ns + row.ended_ns - row.started_ns
            shape = self._shape(up, {at: as_rehearsed(it, seen[at]) for at, it in warm.items()})
            if number == judged_at:
                if all(self._steady(run) for run in self._remaining(up)):
                    return shape
                judged_at += max(1, number // 2)
        if number:
            self.unsettled = tuple(run.id for run in self._remaining(up) if not self._steady(run))
        return shape

    def _steady(self, run: Run) -> bool:
        """Tell whether the times of a run's rehearsal end in a steady part."""
        medians = [turn.row.median_us for turn in self.turns if turn.run == run]
        series = [median for median in medians if median is not None]
        return classify_settling(series).is_settled

    def _take_turns(
        self, engine: Engine, up: Sequence[Run], shape: SliceShape, meter: Meter
    ) -> None:
        turns = PermutationStream(self.block.seed, MEASURING, len(self._plans(up[0])))
        for number in range(1, self.design.slices.permutations + 1):
            if not (targets := self._targets(up)):
                return
            for permutation in turns.take(1, targets, shape):
                self._have_turns(engine, up, permutation, number, recorded=True)
            if meter.look():
                self._tell_memory(meter)

    def _have_turns(
        self,
        engine: Engine,
        up: Sequence[Run],
        slices: Sequence[Slice],
        number: int,
        *,
        recorded: bool,
    ) -> list[SliceRow]:
        """Carry out a permutation; a contender that fails has no turn after it."""
        rows = engine.slices(slices, recorded=recorded)
        turns = [Turn(up[row.target], number, at, row) for at, row in enumerate(rows, start=1)]
        self.turns += turns
        self.observer.turned(turns)
        for run, row in ((turn.run, turn.row) for turn in turns):
            if row.failed > GIVEN_UP * row.transactions:
                self._give_up(run, self._failures(run, "a slice", row))
            elif self._stood_still(row):
                waited_s = self.study.request_timeout_s
                self._give_up(run, f"nothing was answered within {waited_s:g} s in a slice")
        return rows

    def _stood_still(self, row: SliceRow) -> bool:
        """Tell whether the guard's requests went unanswered, so that nothing was recorded."""
        whole_ns = row.guard_ns + row.ended_ns - row.started_ns + row.drain_ns
        return not row.transactions and whole_ns >= 1e9 * self.study.request_timeout_s

    # -- who is still there ----------------------------------------------------------------------

    def _targets(self, up: Sequence[Run]) -> list[int]:
        return [target for target, run in enumerate(up) if run.id not in self.reasons]

    def _remaining(self, runs: Sequence[Run]) -> list[Run]:
        return [run for run in runs if run.id not in self.reasons]

    def _watch(self, servers: Servers, meter: Meter) -> str | None:
        """Look after servers and stores while the engine works; say when nobody is left."""
        self._look_after(servers)
        if self.design.separate and meter.look():
            self._tell_memory(meter)
        return None if self._remaining(self.runs) else "; ".join(self.reasons.values())

    def _tell_memory(self, meter: Meter) -> None:
        names = {ServerKey.of(run.cell).name: run.cell.registration for run in self.runs}
        self.observer.memory({(names[at], role): it for (at, role), it in meter.latest().items()})

    def _look_after(self, servers: Servers) -> None:
        for run in self._remaining(self.runs):
            if reason := servers.why_not(run.cell):
                self._give_up(run, reason)
        if self.link is not None and (ended := self.link.why_ended()):
            raise LinkError(ended)
        for reason in self.laboratory.stores.why_ended().values():
            raise StoreError(reason)

    def _failures(self, run: Run, where: str, found: Warm | SliceRow) -> str:
        classes = ", ".join(f"{count} {name}" for name, count in found.errors.items())
        text = f"{found.failed} of {found.transactions} transactions of {where} failed ({classes})"
        refused = {"status", "grpc_status"} & found.errors.keys()
        why = self._obstacle(run) if refused else ""
        return f"under load {why}; {text}" if why else text

    def _obstacle(self, run: Run) -> str:
        """Ask once more, by a client that keeps headers; return what stands before an answer."""
        request = self._plans(run)[0].rounds[0][0].request
        try:
            with connect_to(self.endpoints[run.id], self.study.request_timeout_s) as client:
                return obstacle_of(client.send(request))
        except NoReplyError:
            return ""

    def _give_up(self, run: Run, reason: str) -> None:
        self.reasons.setdefault(run.id, reason)

    # -- how it went -----------------------------------------------------------------------------

    def _record(
        self,
        run: Run,
        target: Target,
        sample: Sample,
        servers: Servers,
        memory: Mapping[tuple[str, str], MemoryUse],
    ) -> RunRecord:
        """Say how a run went that had all of its turns."""
        server, key = servers.of(run.cell), ServerKey.of(run.cell)
        result = sample.result
        known = self.qualification
        ceiling_share = None if known is None else known.share_reached(target, result)
        has_schedule = not isinstance(self.study.loads[run.cell.load], ClosedLoad)
        reasons = (
            *sample.why_invalid(),
            *why_invalid(result, has_schedule=has_schedule, ceiling_share=ceiling_share),
        )
        rows = [turn.row for turn in self.turns if turn.run == run and turn.row.recorded]
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
            # One that others share is at work while its twin has a turn.
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

    def broken_off(self, reason: str) -> list[RunRecord]:
        """Say of all runs that the session broke off; of those given up before, why they were."""
        for run in self._remaining(self.runs):
            self._give_up(run, reason)
        return [self._failed(run) for run in self.runs]

    def _failed(self, run: Run, *details: str) -> RunRecord:
        reasons = (self.reasons[run.id], *details)
        return RunRecord(run=run, status="invalid", reasons=reasons, session=self.number)
