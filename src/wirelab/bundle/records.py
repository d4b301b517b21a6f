"""The small JSON files of a bundle as validated values."""

import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
)

from wirelab.bundle.capacity import CapacityRecord
from wirelab.bundle.record import Record
from wirelab.problems import Problem, ProblemsError, from_pydantic
from wirelab.schedule import Block, Run, Schedule
from wirelab.study import Cell
from wirelab.untrusted import LONGEST, visible_json

_PATH_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._~@+-]*")

Parsed = TypeVar("Parsed")

BundleStatus = Literal["planned", "running", "complete", "interrupted"]
RunStatus = Literal["valid", "invalid", "skipped"]


class AcceptedChange(Record):
    """A file that was not what it was when the bundle was sealed, and that a person accepted."""

    accepted_utc: str
    path: str
    reason: str


class BundleInfo(Record):
    """bundle.json: which execution of which study this folder holds."""

    format: Literal["wirelab-bundle/2"] = "wirelab-bundle/2"
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
    """Changes after a seal that were accepted with --accept-changes; never removed."""


class RoleUsage(Record):
    """What one role (contender, proxy, forwarder, store, engine) consumed for a run.

    CPU time is that of recorded transactions. Each service of a contender has a role of its own
    besides, `contender-SERVICE`.
    """

    cpu_us: float | None = None
    cpu_us_per_transaction: float | None = None
    memory_median_bytes: float | None = None
    memory_peak_bytes: float | None = None
    storage_bytes_per_transaction: float | None = None
    """Read from and written to disks, past the page cache."""


def _fit_for_a_path(name: str) -> str:
    if not _PATH_NAME.fullmatch(name) or ".." in name:
        raise ValueError("letters, digits and . _ ~ @ + - without .., fit for a folder's name")
    return name


def _block_fits(block: Block) -> Block:
    _fit_for_a_path(block.id)
    return block


def _run_fits(run: Run) -> Run:
    _fit_for_a_path(run.id)
    return run


def schedule_fits(schedule: Schedule) -> Schedule:
    """Accept a schedule whose ids can be names of folders; raise `ValueError` otherwise."""
    for block in schedule.blocks:
        _block_fits(block)
        for run in block.runs:
            _run_fits(run)
    return schedule


class RunRecord(Record):
    """How one run of a block went: a cell's part of block.json.

    `session` counts, from 1, those of the block: cells of one session were up at once.
    """

    run: Annotated[Run, AfterValidator(_run_fits)]
    status: RunStatus
    reasons: tuple[str, ...] = ()
    session: int = Field(default=1, ge=1)
    start_s: float | None = None
    """From when the contender's start was asked for to its first right answer."""
    launch_s: float | None = None
    """The part of `start_s` that laboratory and environment took until its program ran."""
    restore_s: float | None = None
    """What making its database took; None where it shared one."""
    roles: Mapping[str, RoleUsage] = {}
    idle_cpu_share: float | None = None
    """Of one CPU, what the contender used while others had their turns."""
    cache: Mapping[str, int] = {}
    """Requests of the whole session by what the cache of a proxy had: HIT, MISS, EXPIRED,
    REVALIDATED; "-" for those that it may not answer. Empty without such a proxy."""
    context: Mapping[str, Any] = {}
    capacity: CapacityRecord | None = None
    """None where the load does not ask for it."""


class LinkDirection(Record):
    """What came of the packets of one direction of an emulated network."""

    packets: int
    """Those that were offered to it."""
    bytes: int
    delivered_packets: int
    delivered_bytes: int
    dropped_by_queue: int
    """The queue before the line was full: as declared."""
    lost: int
    """At random: as declared."""
    overrun: int
    """The emulator held as many packets as it may. This and the next two are its own failures."""
    dropped_by_device: int
    """The emulator did not read them in time."""
    refused: int
    """The kernel did not take them at the other end."""
    queue_high_water_bytes: int
    held_high_water_packets: int
    lateness_us: Mapping[str, float]
    """How much later than its time a packet was delivered: p50, p99, max."""


class LinkRecord(Record):
    """How the network of a session was emulated."""

    network: str
    seconds: float
    cpu_seconds: float
    """What the emulator used, with what the kernel did in its name."""
    ignored: int
    """Packets that were for neither end."""
    real_time: bool
    """Whether the emulator went before all other programs."""
    congestion_control: str
    """That of the kernel's TCP."""
    down: LinkDirection
    up: LinkDirection


class SessionRecord(Record):
    """What held for all cells of a block that were up at once."""

    slice_seconds: float | None = None
    """How long a slice recorded; None where slices ended by count, or there were none."""
    slice_transactions: int | None = None
    permutations: int = 0
    """That count; 0 where each run had a window."""
    rehearsals: int = 0
    """Permutations before them, until the contenders were steady."""
    unsettled: tuple[str, ...] = ()
    """Ids of the runs that were not steady when the rehearsal had to end."""
    steal_share: float = 0.0
    """The part of the CPUs' time that the host gave to other machines."""
    median_stolen_share: float = 0.0
    """The same of the median permutation."""
    too_stolen: bool = False
    """Whether that was so much that the block is measured once more."""
    other_share: float | None = None
    """The part of the CPUs' time that programs used which are no role of this session."""
    frequency_change_share: float | None = None
    """The largest change of a CPU's clock rate, as a part of its highest."""
    link: LinkRecord | None = None
    """None where no network was emulated."""

    @property
    def is_measured(self) -> bool:
        """Whether any of its cells was measured: if not, the record says nothing but the link."""
        return self != SessionRecord(link=self.link)


class BlockRecord(Record):
    """block.json: how one attempt at a scheduled block went."""

    block: Annotated[Block, AfterValidator(_block_fits)]
    attempt: int = Field(default=1, ge=1)
    started_utc: str
    finished_utc: str
    runs: tuple[RunRecord, ...]
    sessions: tuple[SessionRecord, ...] = ()
    notes: tuple[str, ...] = ()
    """What a reader of the report should know of it."""
    failure: str = ""
    """Why a session broke off for all of its runs: the store or the engine failed."""
    machine: str = ""
    """The name of the machine of a cluster that carried it out; "" on a single machine."""

    @property
    def seconds(self) -> float:
        """What it took, from the first database to the end of the last server."""
        started, finished = map(datetime.fromisoformat, (self.started_utc, self.finished_utc))
        return (finished - started).total_seconds()

    @property
    def measured_sessions(self) -> tuple[SessionRecord, ...]:
        """The sessions in which something was measured; none of a block that broke off."""
        return () if self.failure else tuple(it for it in self.sessions if it.is_measured)

    @property
    def folder_name(self) -> str:
        """The folder under blocks/: the block's id, and the attempt where it is not the first."""
        return self.block.id if self.attempt == 1 else f"{self.block.id}.attempt-{self.attempt}"

    def run_folder(self, run: RunRecord) -> str:
        """Return the folder of a run's session, below that of the bundle."""
        return f"blocks/{self.folder_name}/{run.session}"


class MachineRecord(Record):
    """One row of machines.json: a machine of a cluster, and how it took part.

    `host` is what host.json says of a single machine. `missing` gives the reasons why contenders
    were not measured there, by contender and place; `lost` why the machine took no further part.
    """

    name: str
    host: Mapping[str, Any]
    missing: Mapping[str, str] = {}
    lost: str = ""


class ContenderRecord(Record):
    """One entry of contenders.json: what was under test, and in which versions."""

    title: str
    protocol: str
    stack: str
    address: str = ""
    """Where it was found, for a server that wirelab did not start."""
    not_controlled: tuple[Literal["fresh_start", "restored_store", "processes"], ...] = ()
    """What does not hold for it: that each block starts it afresh, that its store has the same
    state each time, that its CPU time and memory are known."""
    settings: Mapping[str, Any] = {}
    versions: Mapping[str, Mapping[str, str]] = {}
    """By environment: packages and their versions."""

    @property
    def version_lines(self) -> list[str]:
        """Each package with its version, or with those of each environment where they differ."""
        lines = []
        for package in dict.fromkeys(name for found in self.versions.values() for name in found):
            by_place = {place: found.get(package, "") for place, found in self.versions.items()}
            if len(set(by_place.values())) == 1:
                lines.append(f"{package} {next(iter(by_place.values()))}")
            else:
                places = ", ".join(f"{place} {version}" for place, version in by_place.items())
                lines.append(f"{package} ({places})")
        return lines


class WireRecord(Record):
    """One row of wire.json: bytes of a fresh connection that carried some transactions.

    `sent` and `received` count everything the sockets carried in the life of the connection,
    from the client's side; `payload_*` count message bodies only. `segment_bytes` are the headers
    of each TCP segment on the machine that counted, `syn_extra_bytes` what the SYN of one side
    weighs more than that.
    """

    contender: str
    workload: str
    transactions: int
    repeat: int
    sent: int
    received: int
    segments_out: int
    segments_in: int
    payload_sent: int
    payload_received: int
    segment_bytes: int = 52
    syn_extra_bytes: int = 8


class CallRecord(Record):
    """One row of calls.json: what one transaction has a service ask of another.

    `calls` are requests on the wire, `sent_bytes` and `received_bytes` what the TCP streams between
    the two carried, seen from who calls: means of some transactions on connections that were open.
    """

    contender: str
    workload: str
    caller: str
    service: str
    calls: float
    sent_bytes: float
    received_bytes: float


class PilotRecord(Record):
    """One row of pilot.json: what a contender carried out at most, before the blocks.

    `clients` sent as fast as they were answered. An open load that asks for a share of the capacity
    takes it of the smallest `throughput_per_s` among the contenders of a place.
    """

    cell: Cell
    clients: int
    transactions: int
    throughput_per_s: float
    latency_mean_us: float


class AnswerRecord(Record):
    """One row of answers.json: a transaction of a workload, and the size of the right answer.

    `leaves` are the objects in it that hold no other.
    """

    workload: str
    operation: str
    parameter_set: int
    leaves: int


class EqualityRecord(Record):
    """One row of equality.json: what the answers of a workload prove, without a reference.

    All pairs of `contenders` were compared, with `parameter_sets` sets of which the least that a
    contender answered are `answered`. `distinct_answers` and `leaves` (values that are something)
    are the least of a contender. `quarantined` parts differed between two answers of one contender,
    `ignored` ones are declared so; neither were compared. `left_out` do not offer the operation.
    """

    workload: str
    operation: str
    contenders: tuple[str, ...]
    pairs: int
    parameter_sets: int
    answered: int
    distinct_answers: int
    leaves: int
    quarantined: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


class Finding(Record):
    """One row of verify.json: what verification found, where, and how grave it is."""

    model_config = ConfigDict(frozen=True, extra="allow")

    severity: str
    reason: str
    where: str = ""
    symptom: str = ""
    """The name of what is known to be wrong with such servers; "" for all else."""


FORMAT = "wirelab-bundle/2"


def check_format(path: Path) -> None:
    """Refuse a bundle in another format than ours, whatever else it holds."""
    found = read_record(path, TypeAdapter(dict[str, Any])).get("format")
    if found != FORMAT:
        hint = "it was measured by another version of wirelab: read it with that, or measure again"
        raise ProblemsError([Problem(str(path), "format", found, FORMAT, hint)])


def read_record(
    path: Path, model: TypeAdapter[Parsed], longest_text: int | None = LONGEST
) -> Parsed:
    """Read a JSON file into `model`; raise `ProblemsError` naming file, key and value.

    Its texts are untrusted: what is no text in them is made visible, and long ones are cut.
    """
    try:
        return model.validate_json(visible_json(path.read_bytes(), longest_text))
    except OSError as error:
        hint = "give the folder that `wirelab run` wrote"
        problem = Problem(str(path), "", error.strerror, "a file of a bundle", hint)
        raise ProblemsError([problem]) from None
    except ValidationError as error:
        raise ProblemsError(from_pydantic(str(path), error)) from None
    except ValueError as error:
        raise ProblemsError([Problem(str(path), "", str(error), "JSON in UTF-8")]) from None
