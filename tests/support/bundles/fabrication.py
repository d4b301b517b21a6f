"""One block of a synthetic bundle: its sessions and what they leave, from a seeded model."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from wirelab.bundle import BlockRecord, Bundle, RunRecord, SessionRecord
from wirelab.bundle.run_reasons import TooLittleMemory
from wirelab.engine.events import SliceRow
from wirelab.engine.result import EngineResult
from wirelab.experiment.blocks.figures import role_usage, session_record
from wirelab.experiment.blocks.slice_table import Turn, write_slices
from wirelab.experiment.blocks.slicing import SliceShape
from wirelab.measure.meter import MachineActivity, MemoryUse, SystemTime
from wirelab.planning.schedule import Block, Run
from wirelab.study import ClosedLoad, OpenLoad, Study

from .circumstances import Circumstances
from .measurements import CPUS, Measurements, Target, measure
from .models import SIZES, Model
from .reasons import BUSY

START = datetime(2026, 11, 20, 9, tzinfo=UTC)


@dataclass(frozen=True)
class Fabrication:
    """Writes the blocks of a bundle. `requests` of each run; `invalid` names runs that break it."""

    bundle: Bundle
    study: Study
    design: str
    models: Mapping[str, Model]
    random: np.random.Generator
    requests: int
    permutations: int
    happens: Circumstances
    invalid: Collection[str] = ()

    def block(self, block: Block) -> None:
        """Write all files of a block."""
        partial = self.bundle.partial_block(block.id)
        sessions: list[SessionRecord] = []
        records: list[RunRecord] = []
        for number, runs in enumerate(self._sessions(block), start=1):
            session, members = self._session(block, runs, number, partial / str(number))
            sessions.append(session)
            records.extend(members)
        started = START + timedelta(minutes=7 * block.number, seconds=block.position)
        self.bundle.record_block(
            BlockRecord(
                block=block,
                started_utc=started.isoformat(timespec="milliseconds"),
                finished_utc=(started + timedelta(seconds=20)).isoformat(timespec="milliseconds"),
                runs=tuple(records),
                sessions=tuple(sessions),
                apart=(self._apart(),) if self.happens.groups else (),
            )
        )

    def _sessions(self, block: Block) -> list[list[Run]]:
        if self._separate(block):
            return [[run] for run in block.runs]
        if not self.happens.groups:
            return [list(block.runs)]
        together = [{self.study.baseline, *group} for group in self.happens.groups]
        return [[run for run in block.runs if run.cell.contender in group] for group in together]

    def _session(
        self, block: Block, runs: Sequence[Run], number: int, folder: Path
    ) -> tuple[SessionRecord, list[RunRecord]]:
        folder.mkdir()
        separate = self._separate(block)
        permutations = 1 if separate else self.permutations
        targets = [self._target(run) for run in runs]
        measured = measure(
            targets,
            [self._typical_us(block, target) for target in targets],
            permutations=permutations,
            requests=self.requests // permutations,
            separate=separate,
            happens=self.happens,
            random=self.random,
        )
        rows = measured.rows()
        self._write(folder, measured, rows)
        turns = [
            Turn(runs[row.target], place // len(runs) + 1, place % len(runs) + 1, row)
            for place, row in enumerate(rows)
        ]
        write_slices(folder, turns, range(CPUS))
        shape = None if separate else SliceShape(None, self.requests // permutations)
        session = session_record(
            turns, self._machine(rows), cpus=range(CPUS), shape=shape, unsettled=()
        )
        return session, [
            self._record(target, number, [row for row in rows if row.target == index])
            for index, target in enumerate(targets)
        ]

    def _write(self, folder: Path, measured: Measurements, rows: Sequence[SliceRow]) -> None:
        measured.samples(rows).to_parquet(folder / "samples.parquet", index=False)
        result: EngineResult = measured.engine_result(rows)
        targets = [
            target.model_copy(update={"idle_cpu_share": {"contender": self._idle(made.run)}})
            for target, made in zip(result.targets, measured.targets, strict=True)
        ]
        result = result.model_copy(update={"targets": tuple(targets)})
        (folder / "result.json").write_text(result.model_dump_json())
        (folder / "engine.log").write_text("[synthetic] no engine ran\n")

    def _record(self, target: Target, number: int, rows: Sequence[SliceRow]) -> RunRecord:
        invalid = target.run.id in self.invalid
        memory = {
            role: MemoryUse(size, round(1.08 * size), None)
            for role, size in (("contender", 62e6), ("store", 41e6), ("engine", 9e6))
        }
        return RunRecord(
            run=target.run,
            status="invalid" if invalid else "valid",
            reasons=(BUSY,) if invalid else (),
            session=number,
            start_s=0.4 + 0.1 * self.random.random(),
            launch_s=0.02,
            restore_s=0.05,
            roles=role_usage(rows, memory),
            idle_cpu_share=self._idle(target.run),
            context={"store": "PostgreSQL 18 (synthetic)", "ceiling_share": 0.1},
        )

    def _target(self, run: Run) -> Target:
        load = self.study.loads[run.cell.load]
        return Target(
            run=run,
            model=self.models[run.cell.contender],
            size=SIZES[run.cell.workload],
            clients=load.clients if isinstance(load, ClosedLoad) else 1,
            offered_rate_per_s=100.0 if isinstance(load, OpenLoad) else None,
            busy_share=0.91 if run.id in self.invalid else 0.24 + 0.05 * self.random.random(),
            cpu_noise=float(self.random.normal(1.0, 0.02)),
        )

    def _typical_us(self, block: Block, target: Target) -> float:
        """Return the time of a start of a contender, with the luck of its block in it."""
        luck = np.random.default_rng([block.number, 11]).normal(0, self.happens.block_noise)
        effect = (
            luck
            + self.happens.drift * block.number
            + self.random.normal(0, self.happens.start_noise)
            + (0.28 if target.run.cell.environment == "container" else 0.0)
        )
        load = 0.4 + 0.6 * target.clients
        return target.model.latency_us[target.size] * load * math.exp(float(effect))

    def _machine(self, rows: Sequence[SliceRow]) -> MachineActivity:
        wall_us = (rows[-1].ended_ns - rows[0].started_ns) / 1000 + 1e5
        total_us = CPUS * wall_us
        measured_us = sum(
            row.engine_cpu_us + sum(filter(None, row.cpu_us.values())) for row in rows
        )
        stolen_us = sum(sum(row.steal_us) for row in rows)
        busy_us = measured_us + self.happens.other_share * total_us
        return MachineActivity(
            SystemTime(total_us, busy_us, stolen_us), frequency_change_share=None
        )

    def _apart(self) -> TooLittleMemory:
        return TooLittleMemory(
            together=(self.study.baseline,),
            contenders=len(self.models),
            groups=len(self.happens.groups),
            needed_bytes=10**9,
            available_bytes=5 * 10**8,
        )

    def _separate(self, block: Block) -> bool:
        return self.study.designs[self.design].at(block.runs[0].cell).separate

    def _idle(self, run: Run) -> float:
        return self.happens.idle_cpu.get(run.cell.contender, 0.001)
