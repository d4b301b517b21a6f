"""The small JSON files of a bundle, as validated values."""

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
    """A file that changed after the bundle was sealed, and whose change the user accepted."""

    accepted_utc: str
    path: str
    reason: str


class BundleInfo(Record):
    """bundle.json: which execution of which study this folder contains."""

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
    """Changes after sealing that were accepted with --accept-changes; never removed."""


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
        raise ValueError("letters, digits and . _ ~ @ + - without .., fit for a folder's name")
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
    reasons: tuple[str, ...] = ()
    session: int = Field(default=1, ge=1)
    start_s: float | None = None
    """Time from requesting the contender's start to its first correct answer."""
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


class LinkDirection(Record):
    """Packet counts for one direction of an emulated network."""

    packets: int
    """Packets offered to the emulator."""
    bytes: int
    delivered_packets: int
    delivered_bytes: int
    dropped_by_queue: int
    """Packets dropped because the link's queue was full, as declared."""
    lost: int
    """Packets dropped at random, as declared."""
    overrun: int
    """Packets dropped because the emulator held its maximum number of packets. This and the next
    two are failures of the emulator itself."""
    dropped_by_device: int
    """Packets that the emulator did not read in time."""
    refused: int
    """Packets that the kernel did not accept at the other end."""
    queue_high_water_bytes: int
    held_high_water_packets: int
    lateness_us: Mapping[str, float]
    """How much later than intended packets were delivered: p50, p99, max."""


class LinkRecord(Record):
    """How the network of a session was emulated."""

    network: str
    seconds: float
    cpu_seconds: float
    """CPU time of the emulator, including the kernel's work on its behalf."""
    ignored: int
    """Packets addressed to neither end."""
    real_time: bool
    """Whether the emulator ran with real-time priority."""
    congestion_control: str
    """The congestion control algorithm of the kernel's TCP."""
    down: LinkDirection
    up: LinkDirection


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
    """Whether so much time was stolen that the block is measured once more."""
    other_share: float | None = None
    """The share of the CPUs' time used by programs that have no role in this session."""
    frequency_change_share: float | None = None
    """The largest change of a CPU's clock rate, as a share of its highest rate."""
    link: LinkRecord | None = None
    """None if no network was emulated."""

    @property
    def is_measured(self) -> bool:
        """Whether any of its cells was measured: if not, the record says nothing but the link."""
        return self != SessionRecord(link=self.link)


class BlockRecord(Record):
    """block.json: the outcome of one attempt at a scheduled block."""

    block: Annotated[Block, AfterValidator(_block_fits)]
    attempt: int = Field(default=1, ge=1)
    started_utc: str
    finished_utc: str
    runs: tuple[RunRecord, ...]
    sessions: tuple[SessionRecord, ...] = ()
    notes: tuple[str, ...] = ()
    """Notes for readers of the report."""
    failure: str = ""
    """Why a session ended early for all of its runs: the store or the engine failed."""
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
        return () if self.failure else tuple(it for it in self.sessions if it.is_measured)

    @property
    def folder_name(self) -> str:
        """The folder under blocks/: the block's id, and the attempt if it is not the first."""
        return self.block.id if self.attempt == 1 else f"{self.block.id}.attempt-{self.attempt}"

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
    missing: Mapping[str, str] = {}
    lost: str = ""


class ContenderRecord(Record):
    """One entry of contenders.json: a contender and its versions."""

    title: str
    protocol: str
    stack: str
    address: str = ""
    """The address of a server that wirelab did not start."""
    not_controlled: tuple[Literal["fresh_start", "restored_store", "processes"], ...] = ()
    """What wirelab does not control: whether each block starts the contender afresh, whether its
    store has the same state each time, whether its CPU time and memory are known."""
    settings: Mapping[str, Any] = {}
    versions: Mapping[str, Mapping[str, str]] = {}
    """Packages and their versions, by environment."""

    @property
    def version_lines(self) -> list[str]:
        """Each package with its version, or one version per environment if they differ."""
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

    `sent` and `received` count all bytes on the sockets over the life of the connection, as seen by
    the client; `payload_*` count message bodies only. `segment_bytes` is the size of each TCP
    segment's headers on the machine that counted; `syn_extra_bytes` is how much larger one side's
    SYN is.
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
    """One row of calls.json: what one service requests from another for one transaction.

    `calls` are requests on the wire; `sent_bytes` and `received_bytes` are bytes of the TCP streams
    between the two, as seen by the caller. All are means over some transactions on open
    connections.
    """

    contender: str
    workload: str
    caller: str
    service: str
    calls: float
    sent_bytes: float
    received_bytes: float


class PilotRecord(Record):
    """One row of pilot.json: a contender's maximum throughput, measured before the blocks.

    `clients` is the number of clients, which sent as fast as they were answered. An open load that
    is a share of the capacity refers to the smallest `throughput_per_s` of a place's contenders.
    """

    cell: Cell
    clients: int
    transactions: int
    throughput_per_s: float
    latency_mean_us: float


class AnswerRecord(Record):
    """One row of answers.json: a transaction of a workload, and the size of the correct answer.

    `leaves` is the number of objects in the answer that contain no other object.
    """

    workload: str
    operation: str
    parameter_set: int
    leaves: int


class EqualityRecord(Record):
    """One row of equality.json: what the answers of a workload prove without a reference.

    All pairs of `contenders` were compared, with `parameter_sets` parameter sets. `answered`,
    `distinct_answers` and `leaves` (non-empty values) are the minimum over the contenders.
    `quarantined` parts differed between two answers of one contender, `ignored` parts are declared
    as such; neither were compared. `left_out` contenders do not offer the operation.
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
    """One row of verify.json: what verification found, where, and how severe it is."""

    model_config = ConfigDict(frozen=True, extra="allow")

    severity: str
    reason: str
    where: str = ""
    symptom: str = ""
    """The name of a known problem of servers; "" for other findings."""


FORMAT = "wirelab-bundle/2"


def check_format(path: Path) -> None:
    """Reject a bundle of another format, whatever else it contains."""
    found = read_record(path, TypeAdapter(dict[str, Any])).get("format")
    if found != FORMAT:
        hint = "it was measured by another version of wirelab: read it with that, or measure again"
        raise ProblemsError([Problem(str(path), "format", found, FORMAT, hint)])


def read_record(
    path: Path, model: TypeAdapter[Parsed], longest_text: int | None = LONGEST
) -> Parsed:
    """Read a JSON file into `model`; raise `ProblemsError` with file, key and value.

    Its strings are untrusted: control characters are made visible, and long strings are truncated.
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
