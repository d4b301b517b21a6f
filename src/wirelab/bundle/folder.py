"""The folder that one execution of a study leaves: written once, safe against sudden death.

Every file appears under its name only when it is complete, and a run's folder only when all its
files are. A process killed at any moment therefore leaves a bundle that can be read, and resumed
with the runs that are missing.
"""

import fcntl
import json
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self, TypeVar

import pandas as pd
from pydantic import BaseModel, TypeAdapter

from wirelab.bundle import files, frames
from wirelab.bundle.records import (
    AnswerRecord,
    BundleInfo,
    BundleStatus,
    ContenderRecord,
    Finding,
    PilotRecord,
    RunRecord,
    WireRecord,
    read_record,
)
from wirelab.bundle.seal import REPORT, Mismatch, break_seal, check_seal, digest, seal_folder
from wirelab.measure.qualification import FILE as QUALIFICATION
from wirelab.measure.qualification import Qualification
from wirelab.measure.result import EngineResult
from wirelab.problems import Problem, ProblemsError
from wirelab.schedule import Schedule

_EVENTS = "events.jsonl"

Parsed = TypeVar("Parsed")


class Bundle:
    """One execution of a study on disk. Use `create`, `resume` or `open`."""

    def __init__(self, path: Path, lock: int | None = None) -> None:
        self.path = path
        self._lock = lock

    @classmethod
    def create(
        cls,
        folder: Path,
        *,
        info: BundleInfo,
        schedule: Schedule,
        contenders: Mapping[str, ContenderRecord],
        host: Mapping[str, Any],
        study_files: Mapping[str, Path],
        domain_files: Mapping[str, Path],
    ) -> Self:
        """Make a new bundle with everything that is known before the first run.

        `study_files` and `domain_files` map names inside the bundle's study/ and domain/ folders
        to the files to copy. The folder must not exist yet, or be empty; it appears complete or
        not at all. The bundle is locked until `close`.
        """
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise ProblemsError(
                [Problem(str(folder), "", "there already", "a new folder", "choose another name")]
            )
        folder.parent.mkdir(parents=True, exist_ok=True)
        partial = folder.with_name(f"{files.PARTIAL}{folder.name}")
        shutil.rmtree(partial, ignore_errors=True)
        (partial / "runs").mkdir(parents=True)
        try:
            for kind, sources in (("study", study_files), ("domain", domain_files)):
                for name, source in sources.items():
                    target = partial / kind / name
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(source, target)
            for name, value in (
                ("bundle.json", info.model_dump(mode="json")),
                ("schedule.json", asdict(schedule)),
                (
                    "contenders.json",
                    {key: c.model_dump(mode="json") for key, c in contenders.items()},
                ),
                ("host.json", dict(host)),
            ):
                files.write_json(partial / name, value)
            files.flush_tree(partial)
            partial.replace(folder)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise
        files.flush_folder(folder.parent)
        return cls(folder, _lock(folder))

    @classmethod
    def open(cls, path: Path | str) -> Self:
        """Open a bundle for reading. Raises `ProblemsError` when `path` is none."""
        bundle = cls(Path(path))
        _ = bundle.info
        return bundle

    @classmethod
    def resume(cls, path: Path | str) -> Self:
        """Open a bundle to go on writing it: lock it and sweep away unfinished work.

        A seal is broken, since files will be added; `seal` again at the end.
        """
        folder = cls.open(path).path
        lock = _lock(folder)
        for partial in folder.rglob(f"{files.PARTIAL}*"):
            if partial.is_dir():
                shutil.rmtree(partial)
            else:
                partial.unlink(missing_ok=True)
        break_seal(folder)
        return cls(folder, lock)

    def close(self) -> None:
        """Give up the lock. Reading goes on working."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- what the bundle says ------------------------------------------------------------

    @property
    def info(self) -> BundleInfo:
        """Identity and status of this execution."""
        return self._read("bundle.json", TypeAdapter(BundleInfo))

    @property
    def schedule(self) -> Schedule:
        """All runs that were planned, in order, and what was left out."""
        return self._read("schedule.json", TypeAdapter(Schedule))

    @property
    def contenders(self) -> dict[str, ContenderRecord]:
        """What was under test, by contender id."""
        return self._read("contenders.json", TypeAdapter(dict[str, ContenderRecord]))

    @property
    def host(self) -> dict[str, Any]:
        """The machine, as it described itself."""
        return self._read("host.json", TypeAdapter(dict[str, Any]))

    @property
    def findings(self) -> list[Finding]:
        """What verification found; empty before it ran, or when all answers agree."""
        return self._read("verify.json", TypeAdapter(list[Finding]), missing=[])

    @property
    def environments(self) -> dict[str, dict[str, str]]:
        """What environments and proxies are, by level; empty where the host says all."""
        facts = TypeAdapter(dict[str, dict[str, str]])
        return self._read("environments.json", facts, missing={})

    @property
    def answers(self) -> list[AnswerRecord]:
        """The transactions that were planned; empty before verification."""
        return self._read("answers.json", TypeAdapter(list[AnswerRecord]), missing=[])

    @property
    def wire_records(self) -> list[WireRecord]:
        """Bytes per connection and number of transactions; empty where none were counted."""
        return self._read("wire.json", TypeAdapter(list[WireRecord]), missing=[])

    @property
    def qualification(self) -> Qualification | None:
        """The engine's ceilings on the machine, None where they were not known."""
        if not (self.path / QUALIFICATION).exists():
            return None
        return self._read(QUALIFICATION, TypeAdapter(Qualification))

    @property
    def pilot_records(self) -> list[PilotRecord]:
        """What contenders can do at most; empty where no load asks for a share of that."""
        return self._read("pilot.json", TypeAdapter(list[PilotRecord]), missing=[])

    @property
    def study_folder(self) -> Path:
        """Copies of the study's files, enough to load the study without any other source."""
        return self.path / "study"

    @property
    def domain_folder(self) -> Path:
        """Copies of the domain's description, its interfaces and its contenders' manifests."""
        return self.path / "domain"

    @property
    def report_folder(self) -> Path:
        """Where reports of this bundle go unless somebody wants them elsewhere."""
        return self.path / REPORT

    def run_records(self) -> list[RunRecord]:
        """Every recorded attempt, ordered as scheduled."""
        records = [
            self._read(f"runs/{folder.name}/run.json", TypeAdapter(RunRecord))
            for folder in self._run_folders()
        ]
        return sorted(records, key=lambda r: (r.run.block, r.run.position, r.attempt))

    def finished_run_ids(self) -> set[str]:
        """Scheduled runs that need not be carried out again, whatever their outcome."""
        return {record.run.id for record in self.run_records()}

    def events(self) -> list[dict[str, Any]]:
        """Return what happened when; a line torn by a sudden end is passed over."""
        path = self.path / _EVENTS
        events = []
        for line in path.read_bytes().splitlines() if path.exists() else []:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event, dict):
                events.append(event)
        return events

    # -- writing ---------------------------------------------------------------------------

    def set_status(self, status: BundleStatus) -> None:
        """Say how far this execution has come."""
        info = self.info.model_copy(update={"status": status})
        files.write_json(self.path / "bundle.json", info.model_dump(mode="json"))

    def write_schedule(self, schedule: Schedule) -> None:
        """Replace the schedule by a longer one that goes on from it, for a later look."""
        files.write_json(self.path / "schedule.json", asdict(schedule))

    def write_contenders(self, contenders: Mapping[str, ContenderRecord]) -> None:
        """Replace contenders.json, once the versions that were built are known."""
        rows = {name: record.model_dump(mode="json") for name, record in contenders.items()}
        files.write_json(self.path / "contenders.json", rows)

    def write_qualification(self, qualification: Qualification) -> None:
        """Write qualification.json: what the runs to come are held against."""
        files.write_json(self.path / QUALIFICATION, qualification.model_dump(mode="json"))

    def write_findings(self, findings: Iterable[Finding]) -> None:
        """Write verify.json; a resumed study verifies again and replaces it."""
        self._write_rows("verify.json", findings)

    def write_environments(self, facts: Mapping[str, Mapping[str, str]]) -> None:
        """Write environments.json, once what contenders run in is known."""
        files.write_json(self.path / "environments.json", {k: dict(v) for k, v in facts.items()})

    def write_pilot(self, rows: Iterable[PilotRecord]) -> None:
        """Write pilot.json, once all capacities are known."""
        self._write_rows("pilot.json", rows)

    def write_answers(self, rows: Iterable[AnswerRecord]) -> None:
        """Write answers.json; a resumed study verifies again and replaces it."""
        self._write_rows("answers.json", rows)

    def write_wire(self, rows: Iterable[WireRecord]) -> None:
        """Write wire.json, once all bytes have been counted."""
        self._write_rows("wire.json", rows)

    def partial_run(self, run_id: str) -> Path:
        """Return a fresh folder for the files of a run that is about to start.

        It counts for nothing until `record_run` gives it its name.
        """
        folder = self.path / "runs" / f"{files.PARTIAL}{run_id}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def record_run(self, record: RunRecord) -> Path:
        """Complete a run: add run.json to its partial folder and give the folder its name.

        Raises `FileExistsError` when this attempt has been recorded before.
        """
        partial = self.path / "runs" / f"{files.PARTIAL}{record.run.id}"
        final = self.path / "runs" / record.folder_name
        if final.exists():
            raise FileExistsError(f"run {record.folder_name} is recorded already in {self.path}")
        partial.mkdir(parents=True, exist_ok=True)
        files.write_json(partial / "run.json", record.model_dump(mode="json"))
        files.flush_tree(partial)
        partial.rename(final)
        files.flush_folder(final.parent)
        return final

    def append_event(self, kind: str, **fields: Any) -> None:
        """Add a line to events.jsonl: when (UTC), what, and whatever belongs to it."""
        event = {"at_utc": datetime.now(UTC).isoformat(timespec="milliseconds"), "event": kind}
        line = json.dumps(event | fields, ensure_ascii=False, default=str).encode() + b"\n"
        path = self.path / _EVENTS
        with path.open("ab+", buffering=0) as file:
            if file.tell():
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":  # the line before was torn by a sudden end
                    line = b"\n" + line
            file.write(line)

    def seal(self, status: BundleStatus = "complete") -> None:
        """Set the final status and write the content hash of every file."""
        self.set_status(status)
        seal_folder(self.path)

    def check(self) -> list[Mismatch]:
        """List every file that is missing, changed or new since the seal; empty when whole."""
        return check_seal(self.path)

    @property
    def digest(self) -> str | None:
        """One hash for the whole bundle (of hashes.json), to cite it by; None before the seal."""
        return digest(self.path)

    def result(self, run_id: str) -> EngineResult:
        """Return what the engine measured in a run. Raises `ProblemsError` when it left nothing."""
        return self._read(f"runs/{run_id}/result.json", TypeAdapter(EngineResult))

    # -- data frames -------------------------------------------------------------------------

    def runs(self) -> pd.DataFrame:
        """Return one row per recorded attempt: cell, block, position, status, reasons, steal."""
        return frames.runs(self.run_records())

    def metrics(self) -> pd.DataFrame:
        """Return one row per measured run with its scalars; times in µs, memory in bytes."""
        return frames.metrics(self.path, self.run_records())

    def series(self) -> pd.DataFrame:
        """Return one row per run and second of its window."""
        return frames.series(self.path, self.run_records())

    def samples(self, run_id: str) -> pd.DataFrame:
        """Return one row per transaction of a run; times in ns since the window started."""
        return frames.samples(self.samples_path(run_id))

    def samples_path(self, run_id: str) -> Path:
        """Return where the samples of a run lie, if it left any."""
        return self.path / "runs" / run_id / "samples.parquet"

    def service_times(self, run_id: str) -> pd.DataFrame:
        """Return when each transaction of a run ended (ns) and its service time (µs)."""
        return frames.service_times(self.samples_path(run_id))

    def wire(self) -> pd.DataFrame:
        """Return one row per counted connection: bytes each way for a number of transactions."""
        return pd.DataFrame([row.model_dump() for row in self.wire_records])

    # -- inside ------------------------------------------------------------------------------

    def _run_folders(self) -> list[Path]:
        runs = self.path / "runs"
        if not runs.is_dir():
            return []
        return [
            folder
            for folder in runs.iterdir()
            if not folder.name.startswith(files.PARTIAL) and (folder / "run.json").is_file()
        ]

    def _write_rows(self, name: str, rows: Iterable[BaseModel]) -> None:
        files.write_json(self.path / name, [row.model_dump(mode="json") for row in rows])

    def _read(self, name: str, model: TypeAdapter[Parsed], missing: Parsed | None = None) -> Parsed:
        path = self.path / name
        if missing is not None and not path.exists():
            return missing
        return read_record(path, model)


def _lock(folder: Path) -> int:
    """Take the bundle for this process; the kernel gives it back however the process ends."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        hint = "wait for it, or end it"
        raise ProblemsError(
            [Problem(str(folder), "", "in use", "a bundle that no other wirelab writes", hint)]
        ) from None
    return descriptor
