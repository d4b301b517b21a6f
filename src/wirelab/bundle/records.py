"""The small JSON files of a bundle as validated values."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
)

from wirelab.problems import Problem, ProblemsError, from_pydantic
from wirelab.schedule import Run
from wirelab.study import Cell

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._~@+-]*")

Parsed = TypeVar("Parsed")

BundleStatus = Literal["planned", "running", "complete", "interrupted"]
RunStatus = Literal["valid", "invalid", "skipped"]


class Record(BaseModel):
    """A value read from or written to a file: frozen, and nothing unknown in it."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class BundleInfo(Record):
    """bundle.json: which execution of which study this folder holds."""

    format: Literal["wirelab-bundle/1"] = "wirelab-bundle/1"
    id: str
    study: str
    design: str
    seed: int
    created_utc: str
    wirelab_version: str
    command: tuple[str, ...] = ()
    status: BundleStatus = "planned"


class RoleUsage(Record):
    """What one role (contender, proxy, forwarder, store, engine) consumed in a run's window."""

    cpu_us: float | None = None
    cpu_us_per_transaction: float | None = None
    memory_median_bytes: float | None = None
    memory_peak_bytes: float | None = None
    storage_bytes_per_transaction: float | None = None
    """Read from and written to disks, past the page cache."""


def _fit_for_a_path(run: Run) -> Run:
    if not _RUN_ID.fullmatch(run.id):
        raise ValueError(
            "a run id of letters, digits and . _ ~ @ + -, fit for the name of a folder"
        )
    return run


class RunRecord(Record):
    """run.json: how one attempt at a scheduled run went."""

    run: Annotated[Run, AfterValidator(_fit_for_a_path)]
    status: RunStatus
    reasons: tuple[str, ...] = ()
    attempt: int = Field(default=1, ge=1)
    started_utc: str
    finished_utc: str
    start_s: float | None = None
    """From when the contender's start was asked for to its first right answer."""
    launch_s: float | None = None
    """The part of `start_s` that laboratory and environment took until its program ran."""
    roles: Mapping[str, RoleUsage] = {}
    steal_share: float = 0.0
    context: Mapping[str, Any] = {}

    @property
    def folder_name(self) -> str:
        """The folder under runs/: the run's id, and the attempt where it is not the first."""
        return self.run.id if self.attempt == 1 else f"{self.run.id}.attempt-{self.attempt}"


class ContenderRecord(Record):
    """One entry of contenders.json: what was under test, and in which versions."""

    title: str
    protocol: str
    stack: str
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


class Finding(Record):
    """One row of verify.json: what verification found, where, and how grave it is."""

    model_config = ConfigDict(frozen=True, extra="allow")

    severity: str
    reason: str
    where: str = ""


def read_record(path: Path, model: TypeAdapter[Parsed]) -> Parsed:
    """Read a JSON file into `model`; raise `ProblemsError` naming file, key and value."""
    try:
        return model.validate_json(path.read_bytes())
    except OSError as error:
        hint = "give the folder that `wirelab run` wrote"
        problem = Problem(str(path), "", error.strerror, "a file of a bundle", hint)
        raise ProblemsError([problem]) from None
    except ValidationError as error:
        raise ProblemsError(from_pydantic(str(path), error)) from None
