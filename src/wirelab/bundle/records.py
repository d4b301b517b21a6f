"""The small JSON files of a bundle, as validated values."""

import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    Field,
    TypeAdapter,
    ValidationError,
)

from wirelab.bundle.capacity import CapacityRecord
from wirelab.bundle.link import LinkRecord
from wirelab.bundle.run_reasons import AnyApartReason, AnyReason
from wirelab.inputs.problems import Problem, ProblemsError
from wirelab.inputs.validation import from_pydantic
from wirelab.planning.schedule import Block, Run, Schedule
from wirelab.record import Record
from wirelab.terminal.untrusted import LONGEST, read_whole, visible_json

_PATH_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._~@+-]*")

Parsed = TypeVar("Parsed")

BundleStatus = Literal["planned", "running", "complete", "interrupted"]
DECIDED, BUDGET_SPENT = "decided", "budget spent"
ENDED_EVENTS = (DECIDED, BUDGET_SPENT)
"""The events that say why a study ended although not all of its blocks were measured."""

RunStatus = Literal["valid", "invalid", "skipped"]


class AcceptedChange(Record):
    """A file that changed after the bundle was sealed, and whose change the user accepted."""

    accepted_utc: str
    path: str
    reason: str


class EarlierSequence(Record):
    """Blocks that no longer count: of another machine, or of other versions, than later ones.

    `attempts` has the last attempt at each block, by its id; `changed` says what changed.
    """

    ended_utc: str
    changed: tuple[str, ...]
    attempts: Mapping[str, int]


class BundleInfo(Record):
    """bundle.json: which execution of which study this folder contains."""

    format: Literal["wirelab-bundle/3"] = "wirelab-bundle/3"
    id: str
    study: str
    domain: str
    """The domain's name, or the path of its folder."""
    design: str
    seed: int
    created_utc: str
    wirelab_version: str
    command: tuple[str, ...] = ()
    status: BundleStatus = "planned"
    accepted_changes: tuple[AcceptedChange, ...] = ()
    """Changes after sealing that were accepted with --accept-changes; never removed."""
    earlier: tuple[EarlierSequence, ...] = ()
    """What was measured before a resumed study had another machine, or other versions."""


class RoleUsage(Record):
    """Resources that one role (contender, proxy, forwarder, store, engine) used for a run.

    CPU time is that of recorded transactions. Each service of a contender also has a role of its
    own, `contender-SERVICE`.
    """

    cpu_us: float | None = None
    cpu_us_per_transaction: float | None = None
    memory_median_bytes: float | None = None
    memory_peak_bytes: float | None = None
    storage_bytes_per_transaction: float | None = None
    """Bytes read from and written to disks, without those served by the page cache."""


def _fit_for_a_path(name: str) -> str:
    if not _PATH_NAME.fullmatch(name) or ".." in name:
        raise ValueError("letters, digits and . _ ~ @ + - without .., valid as a folder's name")
    return name


def _block_fits(block: Block) -> Block:
    _fit_for_a_path(block.id)
    return block


def _run_fits(run: Run) -> Run:
    _fit_for_a_path(run.id)
    return run


def schedule_fits(schedule: Schedule) -> Schedule:
    """Return a schedule if its ids can be folder names; raise `ValueError` otherwise."""
    for block in schedule.blocks:
        _block_fits(block)
        for run in block.runs:
            _run_fits(run)
    return schedule


class RunRecord(Record):
    """The outcome of one run of a block: a cell's part of block.json.

    `session` is the number, from 1, of a session of the block, whose cells ran at the same time.
    """

    run: Annotated[Run, AfterValidator(_run_fits)]
    status: RunStatus
    reasons: tuple[AnyReason, ...] = ()
    session: int = Field(default=1, ge=1)
    start_s: float | None = None
    """Time from requesting the contender's start to its first correct answer; up to 2 % or 10 ms
    too long, the interval between two polls."""
    launch_s: float | None = None
    """The part of `start_s` that wirelab and the environment took until the program ran."""
    restore_s: float | None = None
    """Time to create the contender's database; None if it shared one."""
    roles: Mapping[str, RoleUsage] = {}
    idle_cpu_share: float | None = None
    """Share of one CPU that the contender used while others had their turns."""
    cache: Mapping[str, int] = {}
    """Number of requests in the whole session by the status of the proxy's cache: HIT, MISS,
    EXPIRED, REVALIDATED; "-" for requests that it may not answer. Empty without a caching proxy."""
    context: Mapping[str, Any] = {}
    capacity: CapacityRecord | None = None
    """None if the load does not measure capacity."""


class SessionRecord(Record):
    """What all cells of one session of a block have in common."""

    slice_seconds: float | None = None
    """Duration of a slice's recorded part; None if slices ended by count, or there were none."""
    slice_transactions: int | None = None
    permutations: int = 0
    """Number of recorded permutations; 0 if each run had a window."""
    rehearsals: int = 0
    """Number of unrecorded permutations before them, until the contenders were steady."""
    unsettled: tuple[str, ...] = ()
    """Ids of the runs that were not steady when the rehearsal had to end."""
    steal_share: float = 0.0
    """The share of the CPUs' time that the host gave to other machines."""
    median_stolen_share: float = 0.0
    """The stolen share of the median permutation."""
    too_stolen: bool = False
    """Whether so much time was stolen that the block is repeated."""
    other_share: float | None = None
    """The share of the CPUs' time used by programs that have no role in this session."""
    frequency_change_share: float | None = None
    """The largest change of a CPU's clock rate, as a share of its highest rate."""
    link: LinkRecord | None = None
    """None if no network was emulated."""

    @property
    def is_measured(self) -> bool:
        """Whether any of its cells was measured; if not, only the link's record is meaningful."""
        return self != SessionRecord(link=self.link)


def _is_moment(text: str) -> str:
    if datetime.fromisoformat(text).tzinfo is None:
        raise ValueError("a time with its offset from UTC")
    return text


Moment = Annotated[str, AfterValidator(_is_moment)]
"""A time in ISO format with its offset, such as `2026-11-25T18:11:41+00:00`."""


class BlockRecord(Record):
    """block.json: the outcome of one attempt at a scheduled block."""

    block: Annotated[Block, AfterValidator(_block_fits)]
    attempt: int = Field(default=1, ge=1)
    started_utc: Moment
    finished_utc: Moment
    runs: tuple[RunRecord, ...]
    sessions: tuple[SessionRecord, ...] = ()
    apart: tuple[AnyApartReason, ...] = ()
    """Why not all of its runs were measured at the same time."""
    failures: tuple[AnyReason, ...] = ()
    """Why sessions ended early for all of their runs: the store or the engine failed."""
    machine: str = ""
    """The name of the cluster's machine that measured the block; "" on a single machine."""

    @property
    def seconds(self) -> float:
        """The block's duration, from the first database to the end of the last server."""
        started, finished = map(datetime.fromisoformat, (self.started_utc, self.finished_utc))
        return (finished - started).total_seconds()

    @property
    def measured_sessions(self) -> tuple[SessionRecord, ...]:
        """The sessions in which something was measured; none of a block that broke off."""
        return (
            ()
            if self.failures
            else tuple(session for session in self.sessions if session.is_measured)
        )

    @property
    def folder_name(self) -> str:
        """The folder under blocks/: the block's id, and the attempt if it is not the first."""
        return self.block.id if self.attempt == 1 else f"{self.block.id}.attempt-{self.attempt}"

    def moved(self, folder: Path | str, to: Path | str) -> "BlockRecord":
        """Return it as it is after the folder of logs that its reasons quote has been moved."""
        runs = (
            run.model_copy(
                update={"reasons": tuple(reason.moved(folder, to) for reason in run.reasons)}
            )
            for run in self.runs
        )
        failures = tuple(each.moved(folder, to) for each in self.failures)
        return self.model_copy(update={"runs": tuple(runs), "failures": failures})

    def run_folder(self, run: RunRecord) -> str:
        """Return the folder of a run's session, relative to the bundle."""
        return f"blocks/{self.folder_name}/{run.session}"


class MachineRecord(Record):
    """One row of machines.json: a machine of a cluster, and how it took part.

    `host` has the content of a single machine's host.json. `missing` gives the reasons why
    contenders were not measured there, by contender and place; `lost` gives the reason why the
    machine took no further part.
    """

    name: str
    host: Mapping[str, Any]
    missing: Mapping[str, AnyReason] = {}
    lost: str = ""


FORMAT = "wirelab-bundle/3"
NO_BUNDLE = "give a folder that `wirelab run` or `wirelab compare` wrote"
"""The remedy for a path that is not a bundle."""


def check_format(path: Path) -> None:
    """Reject a bundle of another format, whatever else it contains."""
    written = read_record(path, TypeAdapter(dict[str, Any])).get("format")
    if written != FORMAT:
        hint = "another version of wirelab measured it: read it with that version, or measure again"
        raise ProblemsError([Problem(str(path), "format", written, FORMAT, hint)])


def read_record(
    path: Path, model: TypeAdapter[Parsed], longest_text: int | None = LONGEST
) -> Parsed:
    """Read a JSON file into `model`; raise `ProblemsError` with file, key and value.

    Its strings are untrusted: control characters are made visible, and long strings are truncated.
    """
    try:
        return model.validate_json(visible_json(read_whole(path), longest_text))
    except OSError as error:
        raise unreadable(path, error) from None
    except ValidationError as error:
        raise ProblemsError(from_pydantic(str(path), error)) from None
    except ValueError as error:
        raise ProblemsError([Problem(str(path), "", str(error), "JSON in UTF-8")]) from None


def unreadable(path: Path, error: OSError) -> ProblemsError:
    """Return the error that a file of a bundle cannot be read."""
    return ProblemsError([Problem.stated(f"cannot read {path}: {error.strerror}", NO_BUNDLE)])
