"""The engine's job: the file that defines the work of `wirelab-load`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from wirelab.engine.load import (
    Closed,
    Connections,
    Constant,
    Count,
    Cycle,
    JobModel,
    JobWarmUp,
    Order,
    Pacer,
    Poisson,
    Precision,
    Replay,
    Shuffle,
    Stage,
    Stages,
    Stop,
)
from wirelab.engine.request import (
    Body,
    Endpoint,
    Expect,
    Header,
    Message,
    Request,
    SessionStart,
    Stream,
    Tls,
    Transport,
)
from wirelab.study.loads import Wait

__all__ = [
    "AgentShare",
    "Body",
    "Closed",
    "Connections",
    "Constant",
    "Cycle",
    "Endpoint",
    "Expect",
    "Header",
    "Job",
    "JobWarmUp",
    "Message",
    "Order",
    "Pacer",
    "Permutations",
    "Poisson",
    "Precision",
    "Replay",
    "Request",
    "Role",
    "SessionStart",
    "Shuffle",
    "Slice",
    "Stage",
    "Stages",
    "Stop",
    "Stream",
    "Target",
    "Tls",
    "TransactionRounds",
    "Transport",
]


class TransactionRounds(JobModel):
    """One logical operation: rounds of indices into the requests, parallel inside a round."""

    operation: str
    parameter_set: int = 0
    rounds: tuple[tuple[int, ...], ...]
    """A round begins when all requests of the previous one are answered as expected. If one is not,
    the transaction fails and ends with that round. Requests of a round use any free connections
    and streams."""


class Role(JobModel):
    """What to count CPU time of: a process tree, or a control group."""

    pid: Count | None = None
    """The root of the process tree."""
    cgroup: Path | None = None
    """The control group's CPU time file: `cpuacct.usage` (version 1), `cpu.stat` (version 2)."""

    @model_validator(mode="after")
    def _is_one_of_them(self) -> Self:
        if (self.pid is None) == (self.cgroup is None):
            raise ValueError("either a pid or a cgroup")
        if self.cgroup is not None and self.cgroup.name not in {"cpuacct.usage", "cpu.stat"}:
            raise ValueError("cgroup: a file called cpuacct.usage or cpu.stat")
        return self


class Target(Endpoint):
    """A server, and the load to send to it in its turns."""

    name: str
    """Unique within the job."""
    connections: Connections = Connections()
    """Connections stay open from the beginning of the job to its end."""
    pacer: Pacer = Closed()
    wait: Wait = "precise"
    """How to wait for the next transaction of a load with a schedule: a sleep that ends on time, or
    polling (uses a whole CPU)."""
    arrival: Literal["kernel", "engine"] | None = None
    """Whose clock dates the arrival of answers: the kernel's, when the packet arrives, or the
    engine's, when the engine wakes up and reads it. Default: the kernel's; for closed load the
    engine's, because a client sends its next request after that, so waking up is part of its
    time."""
    order: Order = Cycle()
    session: SessionStart | None = None
    """Default: clients need no session."""
    requests: Annotated[tuple[Request, ...], Field(min_length=1)]
    transactions: Annotated[tuple[TransactionRounds, ...], Field(min_length=1)]
    roles: Mapping[str, Role] = {}
    """Roles, by name, whose CPU time to read before and after each slice of this target."""

    @model_validator(mode="after")
    def _rounds_point_at_requests(self) -> Self:
        known = range(len(self.requests))
        for transaction in self.transactions:
            indices = [index for round_ in transaction.rounds for index in round_]
            if not indices or any(index not in known for index in indices):
                raise ValueError(f"rounds of indices into the {len(known)} requests")
        return self

    @model_validator(mode="after")
    def _is_dated_by_the_engine_if_closed(self) -> Self:
        if self.arrival == "kernel" and isinstance(self.pacer, Closed):
            raise ValueError("arrival: engine, or a pacer with a schedule")
        return self


class Permutations(JobModel):
    """Slices by permutations: in each, every listed target gets one slice, in this order.

    Each slice continues in the target's list of transactions where its previous slice stopped.
    """

    permutations: Annotated[tuple[tuple[int, ...], ...], Field(min_length=1)]
    """Indices into the targets."""
    stop: Stop
    """What ends each slice."""
    guard_us: Annotated[int, Field(ge=0)] = 0
    """How long unrecorded load runs before each slice, without a gap. With a guard, load also
    continues after the slice until the last recorded transaction has ended."""


class AgentShare(JobModel):
    """One of several engines that share the load of a job; their jobs differ only in this.

    Connections and clients are divided among the engines. The transactions of a constant rate, or
    of any other schedule, are assigned in turn. Random arrivals are independent streams that add up
    to the whole rate.
    """

    number: Annotated[int, Field(ge=0)]
    """This engine's number, from 0."""
    of: Count
    """Number of engines. At most the number of connections, and of clients, of any target."""

    @model_validator(mode="after")
    def _is_one_of_them(self) -> Self:
        if self.number >= self.of:
            raise ValueError(f"number: below {self.of}")
        return self


class Job(JobModel):
    """job.json. Exactly one of `stop`, `slices` and `control` defines the work."""

    format: Literal["wirelab-job/2"] = "wirelab-job/2"
    targets: Annotated[tuple[Target, ...], Field(min_length=1)]
    roles: Mapping[str, Role] = {}
    """Roles, by name, whose CPU time to read before and after every slice of any target."""
    warm_up: JobWarmUp = JobWarmUp()
    """Warm-up of each target, before anything else; slices without `first` continue after it in
    the list. Not with `control`, which has a command."""
    stop: Stop | None = None
    """Measure one window for each target, one after the other: a slice without a guard."""
    slices: Permutations | None = None
    control: bool = False
    """Read commands from standard input, one JSON object a line."""
    cpus: tuple[int, ...] = ()
    """CPUs for the engine: each target gets one worker on each. Empty: one worker for each target,
    on any CPU."""
    real_time: bool = False
    """Give the engine's threads real-time priority on these CPUs, if permitted (SCHED_FIFO; needs
    the capability SYS_NICE). Only for CPUs that nothing under test needs. Not with `wait` = `spin`:
    the kernel throttles real-time threads that never sleep (RT throttling), for up to 50 ms of each
    second."""
    output: Path
    samples: bool = True
    seed: int = 1
    agent: AgentShare | None = None
    """Default: this engine generates all of the load."""

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        names = [target.name for target in self.targets]
        if len(set(names)) < len(names):
            raise ValueError("targets: names that are unique")
        for target in self.targets:
            if both := target.roles.keys() & self.roles.keys():
                raise ValueError(f"roles: {', '.join(sorted(both))} is a role of {target.name}")
        return self

    @model_validator(mode="after")
    def _has_an_action(self) -> Self:
        if [self.stop is not None, self.slices is not None, self.control].count(True) != 1:
            raise ValueError("exactly one of stop, slices and control")
        if self.control and self.warm_up != JobWarmUp():
            raise ValueError("warm_up: none with control, which has a command for it")
        return self

    @model_validator(mode="after")
    def _ends(self) -> Self:
        stop = self.stop or (self.slices.stop if self.slices else None)
        end_by_themselves = all(
            isinstance(target.pacer, Replay | Stages) for target in self.targets
        )
        if stop is not None and not stop.ends and not end_by_themselves:
            raise ValueError("stop: transactions, seconds or transactions_per_client")
        return self

    @model_validator(mode="after")
    def _permutations_are_of_targets(self) -> Self:
        if self.slices is not None:
            known = range(len(self.targets))
            for permutation in self.slices.permutations:
                if not permutation or any(index not in known for index in permutation):
                    raise ValueError(f"permutations: indices into the {len(known)} targets")
        return self

    def write(self, path: Path) -> None:
        """Write the file that the engine reads."""
        path.write_text(self.as_json())

    def as_json(self) -> str:
        """Return the content of the file that the engine reads."""
        # With `control`, commands replace these keys.
        without = {"warm_up", "stop", "slices"} if self.control else set()
        return self.model_dump_json(indent=1, exclude=without, exclude_none=True) + "\n"


class Slice(JobModel):
    """`slices` of a command: one turn of a target, with guard, recorded part and drain."""

    target: Annotated[int, Field(ge=0)]
    """Index into the job's targets."""
    first: Annotated[int, Field(ge=0)] | None = None
    """Index into the target's list of transactions at which the recorded part begins, modulo the
    list's length and counted over all workers. Default: where the previous slice stopped."""
    guard_us: Annotated[int, Field(ge=0)] = 0
    """How long unrecorded load runs before the recorded part, without a gap. With a guard, load
    also continues after that part until the last recorded transaction has ended. 0 for a load with
    a shape (stages, replay)."""
    begin_monotonic_ns: Annotated[int, Field(ge=0)] | None = None
    """When load begins, guard included: a future time of the kernel's monotonic clock. Default: as
    soon as possible."""
    stop: Stop
    """What ends the recorded part; it counts and times only that part."""
    seed: Annotated[int, Field(ge=0)] | None = None
    """Seed that replaces the Poisson pacer's own, the same for all targets of a permutation."""
    rate_per_s: Annotated[float, Field(ge=0.001, le=1e8)] | None = None
    """The rate of this slice, instead of the target's load: at random times if the target's
    pacer is `poisson`, otherwise evenly spaced."""
    clients: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    """Number of clients in this slice, instead of the target's load. Each starts its next
    transaction as soon as its last one has ended."""
    objective: str | None = None
    """Conditions to judge the slice by, such as `p99<50ms`, or `p99<50ms,failed<0.1%`."""
