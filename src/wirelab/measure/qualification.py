"""The engine's maximum throughput on this machine, measured against servers that do nothing.

`wirelab qualify` measures and stores it; `wirelab run` compares every run with it. It is valid only
for the machine, the CPUs and the engine that it was measured with.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from wirelab.engine.job import Endpoint, Stream, Target
from wirelab.engine.result import TargetResult
from wirelab.installation.programs import cache_folder, find_program
from wirelab.lab.host import Host
from wirelab.lab.processes.cpu import CpuPlan, format_cpus

FILE = "qualification.json"


class QualificationModel(BaseModel):
    """A part of a qualification."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class CeilingSetting(QualificationModel):
    """The machine and the engine that the figures are valid for."""

    cpu: str
    logical_cpus: int
    kernel: str
    engine_cpus: tuple[int, ...]
    system_cpus: tuple[int, ...]
    engine_version: str
    engine_sha256: str
    """Hash of the program's file, since one version can be built in several ways."""

    @classmethod
    def read(cls, host: Host, plan: CpuPlan) -> "CeilingSetting":
        """Describe this machine and the engine that would be used. Raises `LabError`."""
        with find_program("wirelab-load").open("rb") as program:
            digest = hashlib.file_digest(program, "sha256").hexdigest()
        return cls(
            cpu=host.cpu.model,
            logical_cpus=host.cpu.logical,
            kernel=host.kernel,
            engine_cpus=plan.engine,
            system_cpus=plan.system,
            engine_version=host.versions["wirelab-load"],
            engine_sha256=digest,
        )

    def differences(self, other: "CeilingSetting") -> list[str]:
        """Describe in words what differs: `other`'s value first, then this one's."""
        changed = []
        for name, title in (
            ("cpu", "processor"),
            ("logical_cpus", "number of CPUs"),
            ("kernel", "kernel"),
            ("engine_cpus", "CPUs of the engine"),
            ("system_cpus", "CPUs of the system under test"),
            ("engine_version", "engine"),
            ("engine_sha256", "build of the engine"),
        ):
            other_value, own_value = _shown(getattr(other, name)), _shown(getattr(self, name))
            if other_value != own_value:
                changed.append(f"{title} {other_value} instead of {own_value}")
        return changed


class Ceiling(QualificationModel):
    """One transport over a number of connections: the medians of several rounds."""

    name: str
    transport: str
    tls: bool = False
    connections: int
    streams_per_connection: int
    items_per_transaction: int = 1
    """Number of messages or events in each answer; 1 if the answer was not a stream."""
    in_turn: bool = False
    """Whether each item of the stream was requested by a separate message, after the previous
    item had arrived."""
    transactions_per_s: float
    """Throughput in the best round, in transactions of one request each."""
    engine_cpu_us_per_transaction: float
    engine_busy_share: float
    """Share of its CPUs' time that the engine used. Below 1, the server or the path to it was the
    limit."""
    latency_p50_us: float
    little_closure: float
    rounds: int

    @property
    def ceiling_per_s(self) -> float:
        """Requests a second at which the engine's CPUs would be fully used.

        If the server was the limit, this is extrapolated from the engine's CPU time.
        """
        return self.transactions_per_s / min(1.0, max(self.engine_busy_share, 1e-9))

    @property
    def is_stream(self) -> bool:
        """Whether answers were streams of items."""
        return self.items_per_transaction > 1

    @property
    def items_per_s(self) -> float:
        """Items a second that the engine received."""
        return self.transactions_per_s * self.items_per_transaction

    @property
    def items_ceiling_per_s(self) -> float:
        """Items a second at which the engine's CPUs would be fully used."""
        return self.ceiling_per_s * self.items_per_transaction

    @property
    def engine_cpu_us_per_item(self) -> float:
        """The engine's CPU time for one item, including its share of the request."""
        return self.engine_cpu_us_per_transaction / self.items_per_transaction


class Qualification(QualificationModel):
    """qualification.json."""

    format: Literal["wirelab-qualification/1", "wirelab-qualification/2"] = (
        "wirelab-qualification/2"
    )
    """Format 1 has no streams. It can be read from bundles; new runs need format 2."""
    measured_utc: str
    setting: CeilingSetting
    ceilings: tuple[Ceiling, ...]

    def ceiling_of(
        self, target: Endpoint, streams_per_connection: int, stream: Stream | None = None
    ) -> Ceiling | None:
        """Find the ceiling to compare a load with; None if none was measured for it.

        `stream`: find the ceiling for the items of such streams. For items that the server pushes,
        the number of streams per connection is irrelevant: many items arrive at a time.
        """
        in_turn = stream is not None and stream.in_turn
        multiplexed = streams_per_connection > 1 and (stream is None or in_turn)
        for ceiling in self.ceilings:
            if (
                ceiling.transport == target.transport
                and ceiling.tls == target.is_secure
                and ceiling.is_stream == (stream is not None)
                and ceiling.in_turn == in_turn
                and (ceiling.streams_per_connection > 1) == multiplexed
            ):
                return ceiling
        return None

    def share_reached(self, target: Target, result: TargetResult) -> float | None:
        """Return the share of the engine's ceilings that a target used; None if one is unknown.

        It adds the shares for requests and for items of streams: a stream costs the engine a
        request and its items.
        """
        streams = target.connections.streams_per_connection
        by_request = self.ceiling_of(target, streams)
        if by_request is None:
            return None
        requests = sum(len(round_) for each in target.transactions for round_ in each.rounds)
        requests_per_s = result.throughput_per_s * requests / len(target.transactions)
        share = requests_per_s / by_request.ceiling_per_s
        if result.items is None:
            return share
        streamed = [request.stream for request in target.requests if request.stream is not None]
        slowest = max(streamed, key=lambda stream: stream.in_turn)
        by_item = self.ceiling_of(target, streams, slowest)
        if by_item is None:
            return None
        items_per_s = result.items.received_per_s
        if not slowest.in_turn:
            items_per_s += result.items.sent_per_s
        return share + items_per_s / by_item.items_ceiling_per_s


def save_qualification(qualification: Qualification, folder: Path | None = None) -> Path:
    """Store a qualification for later runs (in wirelab's cache) and return its file."""
    path = (folder or cache_folder()) / FILE
    partial = path.with_suffix(".partial")
    partial.write_text(qualification.model_dump_json(indent=1) + "\n")
    return partial.replace(path)


def remove_qualification(folder: Path | None = None) -> tuple[Path, bool]:
    """Remove the stored qualification; return its file, and whether it existed."""
    path = (folder or cache_folder()) / FILE
    there = path.exists()
    path.unlink(missing_ok=True)
    return path, there


def load_qualification(
    setting: CeilingSetting, folder: Path | None = None
) -> tuple[Qualification | None, str]:
    """Return the stored qualification if it is valid for `setting`, otherwise the reason.

    `setting`: this machine and its engine.
    """
    path = (folder or cache_folder()) / FILE
    effect = "so runs are not compared with the engine's maximum throughput"
    remedy = "to measure it, run `wirelab qualify`"
    try:
        qualification = Qualification.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None, f"this machine is not qualified, {effect}; {remedy}"
    except (OSError, ValidationError) as error:
        return None, f"cannot read {path}, {effect}; {remedy}: {error}"
    if qualification.format == "wirelab-qualification/1":
        return None, f"the qualification has an old format without streams, {effect}; {remedy}"
    differences = qualification.setting.differences(setting)
    if differences:
        stale = "; ".join(differences)
        return None, f"the qualification is no longer valid ({stale}), {effect}; {remedy}"
    return qualification, ""


def _shown(value: str | int | Sequence[int]) -> str:
    if isinstance(value, str):
        return value[:16] if len(value) == len(hashlib.sha256().hexdigest()) else value
    return str(value) if isinstance(value, int) else format_cpus(value)
