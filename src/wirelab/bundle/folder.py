"""Write a bundle, the folder of one execution of a study, so that it survives crashes.

A file appears under its name only when it is complete, and a block's folder only when all its files
are. A process killed at any moment therefore leaves a bundle that can be read, and resumed with the
missing blocks.
"""

import fcntl
import json
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel

from wirelab.bundle import files
from wirelab.bundle.contents import BLOCKS, EVENTS, Contents
from wirelab.bundle.preparation import (
    AnswerRecord,
    CallRecord,
    ContenderRecord,
    EqualityRecord,
    PilotRecord,
    WireRecord,
)
from wirelab.bundle.records import (
    AcceptedChange,
    BlockRecord,
    BundleInfo,
    BundleStatus,
    EarlierSequence,
    MachineRecord,
)
from wirelab.bundle.seal import break_seal, finish_seal, prepare_seal
from wirelab.inputs.output_folder import create_folder
from wirelab.inputs.problems import Problem, ProblemsError
from wirelab.measure.qualification import FILE as QUALIFICATION
from wirelab.measure.qualification import Qualification
from wirelab.planning.schedule import Schedule
from wirelab.verify.findings.finding import Finding

INFO = "bundle.json"


class Bundle(Contents):
    """One execution of a study on disk. Use `create`, `resume` or `open`."""

    def __init__(self, path: Path, lock: int | None = None) -> None:
        super().__init__(path)
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
        """Create a bundle with everything that is known before the first run.

        `study_files` and `domain_files` map names inside the bundle's study/ and domain/ folders
        to the files to copy. The folder must not exist yet, be empty, or contain a bundle without
        any measurement. It appears complete or not at all. The bundle is locked until `close`.
        """
        require_new_folder(folder)
        if _measured_nothing(folder):
            shutil.rmtree(folder)
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
                (INFO, info.model_dump(mode="json")),
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
    def resume(cls, path: Path | str, *, accept_changes: bool = False) -> Self:
        """Lock a bundle to continue writing it; nothing in it changes before `unseal`.

        Raises `ProblemsError` if a file has changed since the bundle was sealed, unless
        `accept_changes`.
        """
        folder = cls.open(path).path
        bundle = cls(folder, _lock(folder))
        changes = bundle.alterations()
        if changes and not accept_changes:
            bundle.close()
            hint = "restore the file, or continue with --accept-changes, which the bundle records"
            raise ProblemsError(
                Problem(str(folder), change.path, change.reason, "as it was sealed", hint)
                for change in changes
            )
        return bundle

    def unseal(self) -> None:
        """Break the seal, since files will be added, and delete unfinished work.

        Changes since sealing are recorded permanently. Call `seal` again at the end.
        """
        now = datetime.now(UTC).isoformat(timespec="seconds")
        accepted = tuple(
            AcceptedChange(accepted_utc=now, path=altered.path, reason=altered.reason)
            for altered in self.alterations()
        )
        break_seal(self.path)
        changes = (*self.info.accepted_changes, *accepted)
        self._update_info(status="running", accepted_changes=changes)
        for partial in self.path.rglob(f"{files.PARTIAL}*"):
            if partial.is_dir():
                shutil.rmtree(partial)
            else:
                partial.unlink(missing_ok=True)

    def close(self) -> None:
        """Release the lock. The bundle can still be read."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- writing ---------------------------------------------------------------------------

    def set_status(self, status: BundleStatus) -> None:
        """Set the status of this execution."""
        self._update_info(status=status)

    def write_schedule(self, schedule: Schedule) -> None:
        """Replace the schedule by a longer one that continues it, for a later look."""
        files.write_json(self.path / "schedule.json", asdict(schedule))

    def begin_sequence(
        self, changed: Sequence[str], schedule: Schedule, host: Mapping[str, Any]
    ) -> None:
        """Let no block so far count, since `changed` says that this is another experiment now.

        `schedule` and `host` are those of the new sequence. Capacities and counts, which the
        earlier one had once, are removed; blocks and their files stay.
        """
        attempts: dict[str, int] = {}
        for record in self.block_records():
            attempts[record.block.id] = max(record.attempt, attempts.get(record.block.id, 0))
        now = datetime.now(UTC).isoformat(timespec="seconds")
        ended = EarlierSequence(ended_utc=now, changed=tuple(changed), attempts=attempts)
        for name in ("pilot.json", "wire.json", "calls.json"):
            (self.path / name).unlink(missing_ok=True)
        shutil.rmtree(self.path / "pilot", ignore_errors=True)
        self.write_schedule(schedule)
        files.write_json(self.path / "host.json", dict(host))
        self._update_info(earlier=(*self.info.earlier, ended))
        self.append_event("new sequence", changed=list(changed))

    def write_contenders(self, contenders: Mapping[str, ContenderRecord]) -> None:
        """Replace contenders.json, once the built versions are known."""
        rows = {name: record.model_dump(mode="json") for name, record in contenders.items()}
        files.write_json(self.path / "contenders.json", rows)

    def write_qualification(self, qualification: Qualification) -> None:
        """Write qualification.json, the ceilings that later runs are compared with."""
        files.write_json(self.path / QUALIFICATION, qualification.model_dump(mode="json"))

    def write_machines(self, machines: Iterable[MachineRecord]) -> None:
        """Write machines.json: which machines of a cluster take part, or no longer do."""
        self._write_rows("machines.json", machines)

    def write_findings(self, findings: Iterable[Finding]) -> None:
        """Write verify.json; a resumed study verifies again and replaces it."""
        self._write_rows("verify.json", findings)

    def write_environments(self, facts: Mapping[str, Mapping[str, str]]) -> None:
        """Write environments.json, once the contenders' environments are known."""
        files.write_json(self.path / "environments.json", {k: dict(v) for k, v in facts.items()})

    def write_pilot(self, rows: Iterable[PilotRecord]) -> None:
        """Write pilot.json: the capacities that are known so far."""
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

    def write_calls(self, rows: Iterable[CallRecord]) -> None:
        """Write calls.json, once the calls between services have been counted."""
        self._write_rows("calls.json", rows)

    def partial_block(self, block_id: str) -> Path:
        """Return a fresh folder for the files of a block that is about to start.

        Readers ignore it until `record_block` gives it its final name.
        """
        folder = self.path / BLOCKS / f"{files.PARTIAL}{block_id}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def record_block(self, record: BlockRecord) -> Path:
        """Complete a block: add block.json to its partial folder, and rename the folder.

        Raises `FileExistsError` if this attempt has already been recorded.
        """
        partial = self.path / BLOCKS / f"{files.PARTIAL}{record.block.id}"
        final = self.path / BLOCKS / record.folder_name
        if final.exists():
            raise FileExistsError(f"{self.path} already contains {record.folder_name}")
        partial.mkdir(parents=True, exist_ok=True)
        files.write_json(partial / "block.json", record.model_dump(mode="json"))
        files.flush_tree(partial)
        partial.rename(final)
        files.flush_folder(final.parent)
        return final

    def append_event(self, kind: str, **fields: Any) -> None:
        """Add a line to events.jsonl: the time (UTC), the kind of event, and its fields."""
        event = {"at_utc": datetime.now(UTC).isoformat(timespec="milliseconds"), "event": kind}
        line = json.dumps(event | fields, ensure_ascii=False, default=str).encode() + b"\n"
        path = self.path / EVENTS
        with path.open("ab+", buffering=0) as file:
            if file.tell():
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":  # a crash left the last line incomplete
                    line = b"\n" + line
            file.write(line)

    def make_private(self) -> None:
        """Make the bundle readable for the owner only, because it names a database user."""
        files.make_private(self.path)

    def seal(self, status: BundleStatus = "complete") -> None:
        """Set the final status and write the content hash of every file.

        No crash can leave a bundle with that status but without a seal.
        """
        info = self.info.model_copy(update={"status": status})
        content = files.json_bytes(info.model_dump(mode="json"))
        prepare_seal(self.path, **{INFO: content})
        files.write_atomically(self.path / INFO, content)
        finish_seal(self.path)

    def _update_info(self, **changes: object) -> None:
        info = self.info.model_copy(update=changes)
        files.write_json(self.path / INFO, info.model_dump(mode="json"))

    def _write_rows(self, name: str, rows: Iterable[BaseModel]) -> None:
        files.write_json(self.path / name, [row.model_dump(mode="json") for row in rows])


def default_folder(name: str) -> Path:
    """Create the default folder for a new bundle: below `bundles`, with the time.

    It is empty, and no other laboratory's that starts in the same second.
    """
    first = Path("bundles") / f"{name}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    create_folder(first.parent)
    for number in count(1):
        folder = first if number == 1 else first.with_name(f"{first.name}-{number}")
        with suppress(FileExistsError):
            folder.mkdir()
            break
    return folder


def require_new_folder(folder: Path) -> None:
    """Raise `ProblemsError` if a bundle cannot be created because the folder has content."""
    there = folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
    if there and not _measured_nothing(folder):
        hint = "choose another name, or remove what is there"
        raise ProblemsError([Problem.stated(f"{folder} exists already", hint)])


def _measured_nothing(folder: Path) -> bool:
    """Return whether a folder is a bundle that is not being written and has no measured run."""
    if not (folder / INFO).is_file():
        return False
    try:
        os.close(_lock(folder))
        records = Bundle(folder).block_records()
    except ProblemsError:
        return False
    return all(run.status == "skipped" for record in records for run in record.runs)


def _lock(folder: Path) -> int:
    """Lock the bundle for this process; the kernel releases it however the process ends."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        hint = "wait for it, or end it"
        raise ProblemsError(
            [Problem(str(folder), "", "in use", "a bundle that no other process writes", hint)]
        ) from None
    return descriptor
