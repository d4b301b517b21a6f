"""Read a bundle: its records, its data frames, and whether it is intact."""

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

import pandas as pd
from pydantic import AfterValidator, TypeAdapter

from wirelab.bundle import files, frames
from wirelab.bundle.preparation import (
    AnswerRecord,
    CallRecord,
    ContenderRecord,
    EqualityRecord,
    PilotRecord,
    WireRecord,
)
from wirelab.bundle.records import (
    NO_BUNDLE,
    BlockRecord,
    BundleInfo,
    MachineRecord,
    RunRecord,
    check_format,
    read_record,
    schedule_fits,
    unreadable,
)
from wirelab.bundle.seal import (
    HASHES,
    REPORT,
    UNFINISHED,
    AlteredFile,
    check_seal,
    digest,
    was_prepared,
    was_sealed,
)
from wirelab.engine.result import RESULT, EngineResult, TargetResult
from wirelab.inputs.problems import Problem, ProblemsError
from wirelab.measure.qualification import FILE as QUALIFICATION
from wirelab.measure.qualification import Qualification
from wirelab.planning.schedule import Schedule
from wirelab.terminal.untrusted import read_whole, visible, visible_json
from wirelab.verify.findings.finding import Finding

SCHEDULE: TypeAdapter[Schedule] = TypeAdapter(Annotated[Schedule, AfterValidator(schedule_fits)])
BLOCKS = "blocks"
EVENTS = "events.jsonl"

Parsed = TypeVar("Parsed")


class Contents:
    """Reads a bundle; `Bundle` adds writing."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def open(cls, path: Path | str, special: Sequence[str] | None = None) -> Self:
        """Open a bundle for reading.

        Raises `ProblemsError` if `path` is not a bundle of this format, or contains symbolic links,
        through which reads and writes could leave the bundle, or pipes, whose reading may never
        end. `special` are the names of such files, if the caller has already searched for them.
        """
        bundle = cls(Path(path))
        if not bundle.path.is_dir():
            what = "it is not a folder" if bundle.path.exists() else "no such folder"
            sentence = f"cannot read the bundle {bundle.path}: {what}"
            raise ProblemsError([Problem.stated(sentence, NO_BUNDLE)])
        if not os.path.lexists(bundle.path / "bundle.json"):
            sentence = f"cannot read the bundle {bundle.path}: it has no bundle.json"
            raise ProblemsError([Problem.stated(sentence, NO_BUNDLE)])
        _refuse_special(bundle.path, _special(bundle.path) if special is None else special)
        check_format(bundle.path / "bundle.json")
        _ = bundle.info
        return bundle

    # -- records ------------------------------------------------------------------------------

    @property
    def info(self) -> BundleInfo:
        """The identity and status of this execution."""
        return self._read("bundle.json", TypeAdapter(BundleInfo))

    @property
    def schedule(self) -> Schedule:
        """All planned blocks, in order, and what was left out."""
        return self._read("schedule.json", SCHEDULE)

    @property
    def contenders(self) -> dict[str, ContenderRecord]:
        """The systems under test, by contender id."""
        return self._read("contenders.json", TypeAdapter(dict[str, ContenderRecord]))

    @property
    def host(self) -> dict[str, Any]:
        """The description of the machine; of a cluster, that of the first one."""
        return self._read("host.json", TypeAdapter(dict[str, Any]))

    @property
    def machines(self) -> list[MachineRecord]:
        """The machines of a cluster that took part; empty for a single machine."""
        return self._read("machines.json", TypeAdapter(list[MachineRecord]), missing=[])

    @property
    def findings(self) -> list[Finding]:
        """What verification found; empty before it ran, or when all answers agree."""
        return self._read("verify.json", TypeAdapter(list[Finding]), missing=[])

    @property
    def environments(self) -> dict[str, dict[str, str]]:
        """Facts about environments, proxies and networks, by level; empty if host.json says all."""
        facts = TypeAdapter(dict[str, dict[str, str]])
        return self._read("environments.json", facts, missing={})

    @property
    def answers(self) -> list[AnswerRecord]:
        """The planned transactions; empty before verification."""
        return self._read("answers.json", TypeAdapter(list[AnswerRecord]), missing=[])

    @property
    def equality(self) -> list[EqualityRecord]:
        """What contenders' answers prove without a reference; empty if there is a reference."""
        return self._read("equality.json", TypeAdapter(list[EqualityRecord]), missing=[])

    @property
    def wire_records(self) -> list[WireRecord]:
        """Bytes per connection and number of transactions; empty if none were counted."""
        return self._read("wire.json", TypeAdapter(list[WireRecord]), missing=[])

    @property
    def call_records(self) -> list[CallRecord]:
        """Calls between services by contender and workload; empty if none were counted."""
        return self._read("calls.json", TypeAdapter(list[CallRecord]), missing=[])

    @property
    def qualification(self) -> Qualification | None:
        """The engine's ceilings on the machine; None if they were not known."""
        if not (self.path / QUALIFICATION).exists():
            return None
        return self._read(QUALIFICATION, TypeAdapter(Qualification))

    @property
    def pilot_records(self) -> list[PilotRecord]:
        """The contenders' maximum throughput; empty if no load is a share of it."""
        return self._read("pilot.json", TypeAdapter(list[PilotRecord]), missing=[])

    @property
    def study_folder(self) -> Path:
        """Copies of the study's files, from which alone the study can be loaded."""
        return self.path / "study"

    @property
    def domain_folder(self) -> Path:
        """Copies of the domain's description, interfaces and contender manifests."""
        return self.path / "domain"

    @property
    def report_folder(self) -> Path:
        """The default folder for reports of this bundle."""
        return self.path / REPORT

    def block_records(self, block: str = "") -> list[BlockRecord]:
        """Return every recorded attempt at a block, in the order of the schedule.

        `block`: the id of the only block to read; "" reads all.
        """
        records = [
            self.block_record(folder)
            for folder in self.block_folders()
            if block in ("", folder.name.partition(".attempt-")[0])
        ]
        return sorted(records, key=lambda r: (r.block.number, r.block.position, r.attempt))

    def block_record(self, folder: Path) -> BlockRecord:
        """Return the recorded attempt in a folder of a block."""
        return read_record(folder / "block.json", TypeAdapter(BlockRecord))

    def current_records(self, block: str = "") -> list[BlockRecord]:
        """Return the attempts at a block, or at all, without those of an earlier sequence."""
        earlier = self.info.earlier[-1].attempts if self.info.earlier else {}
        records = self.block_records(block)
        return [each for each in records if each.attempt > earlier.get(each.block.id, 0)]

    def next_attempt(self, block: str) -> int:
        """Return the number of the next attempt at a block; a folder may have been removed."""
        return 1 + max((record.attempt for record in self.block_records(block)), default=0)

    def last_attempts(self, block: str = "") -> list[BlockRecord]:
        """Return the attempt at every block that counts: the last, of those that did not break off.

        Where all broke off, it is the last of them. Attempts of an earlier sequence do not count.
        `block`: the id of the only block that is read.
        """
        return attempts_that_count(self.current_records(block))

    def finished_block_ids(self) -> set[str]:
        """Return the blocks that need not run again: all recorded ones but those that failed."""
        return {record.block.id for record in self.last_attempts() if not record.failures}

    def events(self) -> list[dict[str, Any]]:
        """Return the events with their times; lines that are not JSON are skipped.

        Raises `ProblemsError` if they cannot be read.
        """
        path = self.path / EVENTS
        try:
            lines = read_whole(path).splitlines()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise unreadable(path, error) from None
        events = []
        for line in lines:
            try:
                event = json.loads(visible_json(line))
            except (ValueError, RecursionError):
                continue
            if isinstance(event, dict):
                events.append(event)
        return events

    # -- the seal -----------------------------------------------------------------------------

    def check(self) -> list[AlteredFile]:
        """List every file that is missing, changed or new since sealing; empty if intact."""
        return check_seal(self.path)

    def alterations(self) -> list[AlteredFile]:
        """List what has changed since the bundle was sealed; empty if it is not sealed yet.

        A complete bundle without a seal has been altered, too, unless a crash came between writing
        the final status and naming the seal.
        """
        if was_sealed(self.path):
            return check_seal(self.path)
        if self.info.status == "complete":
            if was_prepared(self.path):
                return check_seal(self.path, UNFINISHED)
            return [AlteredFile(HASHES, "missing, although the bundle is complete")]
        return []

    @property
    def digest(self) -> str | None:
        """One hash of the whole bundle (that of hashes.json), to cite it; None before sealing."""
        return digest(self.path)

    def result(self, block: BlockRecord, run: RunRecord) -> TargetResult:
        """Return the engine's result of a run. Raises `ProblemsError` if there is none."""
        path = self.path / block.run_folder(run) / RESULT
        result = read_record(path, TypeAdapter(EngineResult), longest_text=None)
        return frames.target_of(result, run, path)

    # -- data frames --------------------------------------------------------------------------

    def runs(self) -> pd.DataFrame:
        """Return one row per run and attempt: cell, block, status, reasons, start, stolen time."""
        return frames.runs(self.block_records())

    def counting(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of one of these frames that belong to the attempts that count."""
        if frame.empty:
            return frame
        counting = {
            (record.block.id, record.attempt)
            for block in frame["block_id"].unique()
            for record in self.last_attempts(block)
        }
        attempts = zip(frame["block_id"], frame["attempt"], strict=True)
        return frame[[attempt in counting for attempt in attempts]]

    def metrics(self, block: str = "") -> pd.DataFrame:
        """Return one row per measured run and attempt; times in µs, memory in bytes.

        Times are over all requests of a run; those of reports combine its slices.

        `block`: the id of the only block to read; "" reads all.
        """
        return frames.metrics(self.path, self.block_records(block))

    def slices(self, block: str = "") -> pd.DataFrame:
        """Return one row per slice of every attempt: cell, permutation, times, CPU, stolen time.

        `block`: the id of the only block to read; "" reads all.
        """
        return frames.slices(self.path, self.block_records(block))

    def series(self) -> pd.DataFrame:
        """Return one row per run, attempt and second of its window, if it had one."""
        return frames.series(self.path, self.block_records())

    def samples(self, run_id: str) -> pd.DataFrame:
        """Return one row per transaction of a run; times in ns since its slice began."""
        for record in reversed(self.last_attempts()):
            for run in record.runs:
                if run.run.id == run_id:
                    return frames.samples(self.path / record.run_folder(run), run_id)
        expected = "the id of a run: see runs()"
        raise ProblemsError([Problem(str(self.path), "samples", run_id, expected)])

    def wire(self) -> pd.DataFrame:
        """Return one row per counted connection: bytes each way for a number of transactions."""
        return pd.DataFrame([row.model_dump() for row in self.wire_records])

    def block_folders(self) -> list[Path]:
        """Return the folder of every recorded attempt at a block, without unfinished ones."""
        blocks = self.path / BLOCKS
        if not blocks.is_dir():
            return []
        folders = (each for each in blocks.iterdir() if not each.name.startswith("."))
        return sorted(each for each in folders if each.is_dir())

    # -- inside -------------------------------------------------------------------------------

    def _read(self, name: str, model: TypeAdapter[Parsed], missing: Parsed | None = None) -> Parsed:
        path = self.path / name
        if missing is not None and not path.exists():
            return missing
        return read_record(path, model)


def _special(folder: Path) -> list[str]:
    special = [path for path in sorted(folder.rglob("*")) if files.is_special(path)]
    return [str(path.relative_to(folder)) for path in special]


def _refuse_special(folder: Path, special: Sequence[str]) -> None:
    expected = "a regular file or folder: wirelab writes nothing else into a bundle"
    if special:
        raise ProblemsError(
            Problem(str(folder), visible(name), _kind_of(folder / name), expected)
            for name in special
        )


def _kind_of(path: Path) -> str:
    return "a symbolic link" if path.is_symlink() else "a pipe, socket or device"


def attempts_that_count(records: Iterable[BlockRecord]) -> list[BlockRecord]:
    """Return one record for every block: the last that did not break off, else the last."""
    counting: dict[str, BlockRecord] = {}
    for record in records:
        known = counting.get(record.block.id)
        if known is None or known.failures or not record.failures:
            counting[record.block.id] = record
    return list(counting.values())
