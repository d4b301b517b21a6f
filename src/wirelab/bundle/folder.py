"""The folder that one execution of a study leaves: written once, safe against sudden death.

Every file appears under its name only when it is complete, and a block's folder only when all its
files are. A process killed at any moment therefore leaves a bundle that can be read, and resumed
with the blocks that are missing.
"""

import fcntl
import json
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

import pandas as pd
from pydantic import AfterValidator, BaseModel, TypeAdapter

from wirelab.bundle import files, frames
from wirelab.bundle.records import (
    AcceptedChange,
    AnswerRecord,
    BlockRecord,
    BundleInfo,
    BundleStatus,
    ContenderRecord,
    EqualityRecord,
    Finding,
    PilotRecord,
    RunRecord,
    WireRecord,
    check_format,
    read_record,
    schedule_fits,
)
from wirelab.bundle.seal import (
    HASHES,
    REPORT,
    Mismatch,
    break_seal,
    check_seal,
    digest,
    seal_folder,
    was_sealed,
)
from wirelab.measure.qualification import FILE as QUALIFICATION
from wirelab.measure.qualification import Qualification
from wirelab.measure.result import RESULT, EngineResult, TargetResult
from wirelab.problems import Problem, ProblemsError
from wirelab.schedule import Schedule

SCHEDULE: TypeAdapter[Schedule] = TypeAdapter(Annotated[Schedule, AfterValidator(schedule_fits)])
BLOCKS = "blocks"
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
        to the files to copy. The folder must not exist yet, or be empty, or hold an attempt that
        measured nothing; it appears complete or not at all. The bundle is locked until `close`.
        """
        if _measured_nothing(folder):
            shutil.rmtree(folder)
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise ProblemsError(
                [Problem(str(folder), "", "there already", "a new folder", "choose another name")]
            )
        folder.parent.mkdir(parents=True, exist_ok=True)
        partial = folder.with_name(f"{files.PARTIAL}{folder.name}")
        shutil.rmtree(partial, ignore_errors=True)
        (partial / BLOCKS).mkdir(parents=True)
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
        """Open a bundle for reading.

        Raises `ProblemsError` when `path` is none of this format, or holds symbolic links, which
        could lead a reader, or a report that is written, anywhere.
        """
        bundle = cls(Path(path))
        _refuse_links(bundle.path)
        check_format(bundle.path / "bundle.json")
        _ = bundle.info
        return bundle

    @classmethod
    def resume(cls, path: Path | str, *, accept_changes: bool = False) -> Self:
        """Lock a bundle to go on writing it; nothing in it changes before `unseal`.

        Raises `ProblemsError` where a file is not what it was when the bundle was sealed, unless
        `accept_changes`.
        """
        folder = cls.open(path).path
        bundle = cls(folder, _lock(folder))
        changes = bundle.alterations()
        if changes and not accept_changes:
            bundle.close()
            hint = "restore the file, or go on with --accept-changes, which the bundle records"
            raise ProblemsError(
                Problem(str(folder), it.path, it.reason, "as it was sealed", hint) for it in changes
            )
        return bundle

    def unseal(self) -> None:
        """Sweep away unfinished work and break the seal, since files will be added.

        What was altered since the seal is recorded for good. `seal` again at the end.
        """
        for partial in self.path.rglob(f"{files.PARTIAL}*"):
            if partial.is_dir():
                shutil.rmtree(partial)
            else:
                partial.unlink(missing_ok=True)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        accepted = tuple(
            AcceptedChange(accepted_utc=now, path=it.path, reason=it.reason)
            for it in self.alterations()
        )
        if accepted:
            self._update_info(accepted_changes=(*self.info.accepted_changes, *accepted))
        break_seal(self.path)

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
        """All blocks that were planned, in order, and what was left out."""
        return self._read("schedule.json", SCHEDULE)

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
    def equality(self) -> list[EqualityRecord]:
        """What contenders' answers prove without a reference; empty where there is one."""
        return self._read("equality.json", TypeAdapter(list[EqualityRecord]), missing=[])

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

    def block_records(self) -> list[BlockRecord]:
        """Every recorded attempt at a block, in the order of the schedule."""
        records = [
            self._read(f"{BLOCKS}/{folder.name}/block.json", TypeAdapter(BlockRecord))
            for folder in self._block_folders()
        ]
        return sorted(records, key=lambda r: (r.block.number, r.block.position, r.attempt))

    def last_attempts(self) -> list[BlockRecord]:
        """Return the last attempt at every block: the one that counts."""
        return list({record.block.id: record for record in self.block_records()}.values())

    def finished_block_ids(self) -> set[str]:
        """Scheduled blocks that need not be carried out again: all but those that broke off."""
        return {record.block.id for record in self.last_attempts() if not record.failure}

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
        self._update_info(status=status)

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

    def write_equality(self, rows: Iterable[EqualityRecord]) -> None:
        """Write equality.json; a resumed study verifies again and replaces it."""
        self._write_rows("equality.json", rows)

    def write_wire(self, rows: Iterable[WireRecord]) -> None:
        """Write wire.json, once all bytes have been counted."""
        self._write_rows("wire.json", rows)

    def partial_block(self, block_id: str) -> Path:
        """Return a fresh folder for the files of a block that is about to start.

        It counts for nothing until `record_block` gives it its name.
        """
        folder = self.path / BLOCKS / f"{files.PARTIAL}{block_id}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def record_block(self, record: BlockRecord) -> Path:
        """Complete a block: add block.json to its partial folder and give the folder its name.

        Raises `FileExistsError` when this attempt has been recorded before.
        """
        partial = self.path / BLOCKS / f"{files.PARTIAL}{record.block.id}"
        final = self.path / BLOCKS / record.folder_name
        if final.exists():
            raise FileExistsError(f"{record.folder_name} is recorded already in {self.path}")
        partial.mkdir(parents=True, exist_ok=True)
        files.write_json(partial / "block.json", record.model_dump(mode="json"))
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

    def make_private(self) -> None:
        """Let only the owner read the bundle: it names a user of somebody's database."""
        files.make_private(self.path)

    def seal(self, status: BundleStatus = "complete") -> None:
        """Set the final status and write the content hash of every file."""
        self.set_status(status)
        seal_folder(self.path)

    def check(self) -> list[Mismatch]:
        """List every file that is missing, changed or new since the seal; empty when whole."""
        return check_seal(self.path)

    def alterations(self) -> list[Mismatch]:
        """List what is not as it was when the bundle was sealed; empty while it is not sealed.

        A complete bundle whose seal is missing has been altered, too.
        """
        if was_sealed(self.path):
            return check_seal(self.path)
        if self.info.status == "complete":
            return [Mismatch(HASHES, "missing, although the bundle is complete")]
        return []

    @property
    def digest(self) -> str | None:
        """One hash for the whole bundle (of hashes.json), to cite it by; None before the seal."""
        return digest(self.path)

    def result(self, block: BlockRecord, run: RunRecord) -> TargetResult:
        """Return what the engine measured of a run. Raises `ProblemsError` when it left nothing."""
        path = f"{block.run_folder(run)}/{RESULT}"
        return self._read(path, TypeAdapter(EngineResult)).target(run.run.id)

    # -- data frames -------------------------------------------------------------------------

    def runs(self) -> pd.DataFrame:
        """Return one row per run and attempt: cell, block, status, reasons, start, stolen time."""
        return frames.runs(self.block_records())

    def metrics(self) -> pd.DataFrame:
        """Return one row per measured run with its scalars; times in µs, memory in bytes."""
        return frames.metrics(self.path, self.block_records())

    def slices(self) -> pd.DataFrame:
        """Return one row per slice: cell, block, permutation, times, counts, CPU, stolen time."""
        return frames.slices(self.path, self.block_records())

    def series(self) -> pd.DataFrame:
        """Return one row per run and second of its window, where it had one."""
        return frames.series(self.path, self.block_records())

    def samples(self, run_id: str) -> pd.DataFrame:
        """Return one row per transaction of a run; times in ns since its slice began."""
        for record in reversed(self.block_records()):
            for run in record.runs:
                if run.run.id == run_id:
                    return frames.samples(self.path / record.run_folder(run), run_id)
        wanted = "the id of a run: see runs()"
        raise ProblemsError([Problem(str(self.path), "samples", run_id, wanted)])

    def wire(self) -> pd.DataFrame:
        """Return one row per counted connection: bytes each way for a number of transactions."""
        return pd.DataFrame([row.model_dump() for row in self.wire_records])

    # -- inside ------------------------------------------------------------------------------

    def _block_folders(self) -> list[Path]:
        blocks = self.path / BLOCKS
        if not blocks.is_dir():
            return []
        return [
            folder
            for folder in blocks.iterdir()
            if not folder.name.startswith(files.PARTIAL) and (folder / "block.json").is_file()
        ]

    def _update_info(self, **changes: object) -> None:
        info = self.info.model_copy(update=changes)
        files.write_json(self.path / "bundle.json", info.model_dump(mode="json"))

    def _write_rows(self, name: str, rows: Iterable[BaseModel]) -> None:
        files.write_json(self.path / name, [row.model_dump(mode="json") for row in rows])

    def _read(self, name: str, model: TypeAdapter[Parsed], missing: Parsed | None = None) -> Parsed:
        path = self.path / name
        if missing is not None and not path.exists():
            return missing
        return read_record(path, model)


def _refuse_links(folder: Path) -> None:
    wanted = "a regular file or folder: wirelab writes no symbolic links into a bundle"
    links = [path for path in sorted(folder.rglob("*")) if path.is_symlink()]
    if links:
        raise ProblemsError(
            Problem(str(folder), str(path.relative_to(folder)), "a symbolic link", wanted)
            for path in links
        )


def _measured_nothing(folder: Path) -> bool:
    """Tell whether a folder is a bundle that nobody writes and that holds no measured run."""
    if not (folder / "bundle.json").is_file():
        return False
    try:
        os.close(_lock(folder))
        records = Bundle(folder).block_records()
    except ProblemsError:
        return False
    return all(run.status == "skipped" for record in records for run in record.runs)


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
