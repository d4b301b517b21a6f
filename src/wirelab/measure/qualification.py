"""What the engine can do at most on this machine, measured against servers that do nothing.

`wirelab qualify` measures it and keeps it; `wirelab run` holds every run against it. It is worth
something only for the machine, the CPUs and the engine it was measured with.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from wirelab.lab.cpu import CpuPlan, format_cpus
from wirelab.lab.host import Host
from wirelab.measure.job import Endpoint, Stream, Target
from wirelab.measure.result import TargetResult
from wirelab.programs import cache_folder, find_program

FILE = "qualification.json"


class QualificationModel(BaseModel):
    """A part of a qualification."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Setting(QualificationModel):
    """The machine and the engine that figures hold for."""

    cpu: str
    logical_cpus: int
    kernel: str
    engine_cpus: tuple[int, ...]
    system_cpus: tuple[int, ...]
    engine_version: str
    engine_sha256: str
    """Of the program's file: a version may be built in several ways."""

    @classmethod
    def read(cls, host: Host, plan: CpuPlan) -> "Setting":
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

    def differences(self, other: "Setting") -> list[str]:
        """Say in words what is not the same there: of `other` first."""
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
            theirs, ours = _shown(getattr(other, name)), _shown(getattr(self, name))
            if theirs != ours:
                changed.append(f"{title} {theirs} instead of {ours}")
        return changed


class Ceiling(QualificationModel):
    """One transport over a number of connections: the medians of several rounds."""

    name: str
    transport: str
    tls: bool = False
    connections: int
    streams_per_connection: int
    items_per_transaction: int = 1
    """How many messages or events each answer was a stream of; 1: it was none."""
    in_turn: bool = False
    """A stream each of whose items was asked for by a message of its own, after the last one."""
    transactions_per_s: float
    """Of one request each, as many as the engine got answered; the best round."""
    engine_cpu_us_per_transaction: float
    engine_busy_share: float
    """Below 1 the server was the limit, or the way to it and back."""
    latency_p50_us: float
    little_closure: float
    rounds: int

    @property
    def ceiling_per_s(self) -> float:
        """Requests a second at which the engine's CPUs would be full.

        Where the server was the limit, by the CPU time that a transaction costs the engine.
        """
        return self.transactions_per_s / min(1.0, max(self.engine_busy_share, 1e-9))

    @property
    def is_stream(self) -> bool:
        """Whether answers were streams of items."""
        return self.items_per_transaction > 1

    @property
    def items_per_s(self) -> float:
        """Items a second that the engine took in."""
        return self.transactions_per_s * self.items_per_transaction

    @property
    def items_ceiling_per_s(self) -> float:
        """Items a second at which the engine's CPUs would be full."""
        return self.ceiling_per_s * self.items_per_transaction

    @property
    def engine_cpu_us_per_item(self) -> float:
        """The request's own part spread over its items."""
        return self.engine_cpu_us_per_transaction / self.items_per_transaction


class Qualification(QualificationModel):
    """qualification.json."""

    format: Literal["wirelab-qualification/1", "wirelab-qualification/2"] = (
        "wirelab-qualification/2"
    )
    """1 knows nothing of streams: bundles that have it are read, runs to come need 2."""
    measured_utc: str
    setting: Setting
    ceilings: tuple[Ceiling, ...]

    def ceiling_of(
        self, target: Endpoint, streams_per_connection: int, stream: Stream | None = None
    ) -> Ceiling | None:
        """Find the ceiling that a load is held against; None where none was measured for it.

        `stream`: the one for items of such streams. Items that come by themselves come many at a
        time, over however many streams of a connection.
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
        """Return how much of the engine's ceilings a target took; None where one is not known.

        By its requests a second, and the items a second of its streams: a stream costs the engine
        a request and its items.
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


def keep(qualification: Qualification, folder: Path | None = None) -> Path:
    """Keep a qualification for later runs (in wirelab's cache) and return its file."""
    path = (folder or cache_folder()) / FILE
    partial = path.with_suffix(".partial")
    partial.write_text(qualification.model_dump_json(indent=1) + "\n")
    return partial.replace(path)


def forget(folder: Path | None = None) -> tuple[Path, bool]:
    """Remove the qualification that was kept; return its file, and whether there was one."""
    path = (folder or cache_folder()) / FILE
    there = path.exists()
    path.unlink(missing_ok=True)
    return path, there


def kept(setting: Setting, folder: Path | None = None) -> tuple[Qualification | None, str]:
    """Return the qualification that was kept, if it holds here and now, and else why there is none.

    `setting`: this machine and its engine.
    """
    path = (folder or cache_folder()) / FILE
    remedy = "`wirelab qualify` measures what the engine can do at most"
    unheld = "so no run is held against the engine's ceiling"
    try:
        qualification = Qualification.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None, f"this machine is not qualified, {unheld}; {remedy}"
    except (OSError, ValidationError) as error:
        return None, f"{path} cannot be read, {unheld}; {remedy}: {error}"
    if qualification.format == "wirelab-qualification/1":
        return None, f"the qualification is an old one, without streams, {unheld}; {remedy} again"
    differences = qualification.setting.differences(setting)
    if differences:
        stale = "; ".join(differences)
        return None, f"the qualification no longer holds ({stale}), {unheld}; {remedy} again"
    return qualification, ""


def _shown(value: str | int | Sequence[int]) -> str:
    if isinstance(value, str):
        return value[:16] if len(value) == len(hashlib.sha256().hexdigest()) else value
    return str(value) if isinstance(value, int) else format_cpus(value)
