"""The engine's job: what `wirelab-load` is told to do, exactly as its file says it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from wirelab.measure.load import (
    Closed,
    Connections,
    Constant,
    Count,
    Cycle,
    JobModel,
    Order,
    Pacer,
    Poisson,
    Precision,
    Ramp,
    Replay,
    Shuffle,
    Stage,
    Stages,
    Staircase,
    Stop,
    Wait,
    WarmUp,
)
from wirelab.measure.request import (
    Body,
    Endpoint,
    Expect,
    Header,
    Message,
    Request,
    Stream,
    Tls,
    Transport,
)

__all__ = [
    "Agent",
    "Body",
    "Closed",
    "Connections",
    "Constant",
    "Cycle",
    "Endpoint",
    "Expect",
    "Header",
    "Job",
    "Message",
    "Order",
    "Pacer",
    "Permutations",
    "Poisson",
    "Precision",
    "Ramp",
    "Replay",
    "Request",
    "Role",
    "Shuffle",
    "Slice",
    "Stage",
    "Stages",
    "Staircase",
    "Stop",
    "Stream",
    "Target",
    "Tls",
    "Transaction",
    "Transport",
    "Wait",
    "WarmUp",
]


class Transaction(JobModel):
    """One logical operation: rounds of indices into the requests, parallel inside a round."""

    operation: str
    parameter_set: int = 0
    rounds: tuple[tuple[int, ...], ...]
    """A round begins when all requests of the last one are answered as expected; with one that is
    not, the transaction has failed and ends with its round. Requests of a round take whatever
    connections and streams are free."""


class Role(JobModel):
    """Whose CPU time is counted: that of a process tree, or of a control group."""

    pid: Count | None = None
    """The root of the process tree."""
    cgroup: Path | None = None
    """The file in which the kernel counts: `cpuacct.usage` (version 1), `cpu.stat` (version 2)."""

    @model_validator(mode="after")
    def _is_one_of_them(self) -> Self:
        if (self.pid is None) == (self.cgroup is None):
            raise ValueError("either a pid or a cgroup")
        if self.cgroup is not None and self.cgroup.name not in {"cpuacct.usage", "cpu.stat"}:
            raise ValueError("cgroup: a file called cpuacct.usage or cpu.stat")
        return self


class Target(Endpoint):
    """A server, and the load that is put on it in its turns."""

    name: str
    """Unique within the job."""
    connections: Connections = Connections()
    """They stay open from the beginning of the job to its end."""
    pacer: Pacer = Closed()
    wait: Wait = "precise"
    arrival: Literal["kernel", "engine"] | None = None
    """Who says when an answer came: the kernel, when it got the packet, or the engine, when it had
    been woken to read it. Default the kernel, but with clients (closed) the engine: their next
    request comes after it, so waking up is a part of their time."""
    order: Order = Cycle()
    requests: Annotated[tuple[Request, ...], Field(min_length=1)]
    transactions: Annotated[tuple[Transaction, ...], Field(min_length=1)]
    roles: Mapping[str, Role] = {}
    """Whose CPU time is read before and after each of its slices, by the name of the role."""

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
    """Slices by permutations: in each of them every target named has one slice, in this order.

    A target's slices go on in the list of its transactions where its last one stopped.
    """

    permutations: Annotated[tuple[tuple[int, ...], ...], Field(min_length=1)]
    """Of indices into the targets."""
    stop: Stop
    """Of each slice."""
    guard_us: Annotated[int, Field(ge=0)] = 0
    """How long load runs before each slice that is not recorded, and flows into it; then it goes on
    behind the slice, too, until the last recorded transaction has ended."""


class Agent(JobModel):
    """One of several engines that share the load of a job: they have the same job but for this.

    Connections and clients are divided among them; a constant rate, or any other schedule, is dealt
    out in turn; arrivals at random are independent streams, together of the whole rate.
    """

    number: Annotated[int, Field(ge=0)]
    """From 0."""
    of: Count
    """At most as many as the connections, and clients, of any target."""

    @model_validator(mode="after")
    def _is_one_of_them(self) -> Self:
        if self.number >= self.of:
            raise ValueError(f"number: below {self.of}")
        return self


class Job(JobModel):
    """job.json. What is to be done is said by exactly one of `stop`, `slices` and `control`."""

    format: Literal["wirelab-job/2"] = "wirelab-job/2"
    targets: Annotated[tuple[Target, ...], Field(min_length=1)]
    roles: Mapping[str, Role] = {}
    """Whose CPU time is read before and after every slice, whichever target's it is."""
    warm_up: WarmUp = WarmUp()
    """Of each target, before anything else. Not with `control`, which has a command for it."""
    stop: Stop | None = None
    """One window for each target, one after the other: a slice without a guard."""
    slices: Permutations | None = None
    control: bool = False
    """Commands come on standard input, one JSON object a line."""
    cpus: tuple[int, ...] = ()
    """For each target one worker on each; none: one worker, wherever the kernel puts it."""
    real_time: bool = False
    """Let no other program have these CPUs while the engine wants them, where that is permitted
    (SCHED_FIFO; needs the capability SYS_NICE). For CPUs that nothing under test needs. Not with
    `wait` = `spin`: the kernel throttles real-time threads that never sleep (RT throttling), for up
    to 50 ms of each second."""
    output: Path
    samples: bool = True
    seed: int = 1
    agent: Agent | None = None
    """Default: this engine carries all of the load."""

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
    def _says_what_is_to_be_done(self) -> Self:
        if [self.stop is not None, self.slices is not None, self.control].count(True) != 1:
            raise ValueError("exactly one of stop, slices and control")
        if self.control and self.warm_up != WarmUp():
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
        """Return the content of that file."""
        # With control, commands say what a plain job has to say itself.
        without = {"warm_up", "stop", "slices"} if self.control else set()
        return self.model_dump_json(indent=1, exclude=without, exclude_none=True) + "\n"


class Slice(JobModel):
    """One turn of a target, as the command `slices` has it: guard, recorded part, drain."""

    target: Annotated[int, Field(ge=0)]
    """Index into the job's targets."""
    first: Annotated[int, Field(ge=0)] | None = None
    """Where in the list of the target's transactions the recorded part begins, modulo its length
    and counted over all workers; default where its last slice stopped."""
    guard_us: Annotated[int, Field(ge=0)] = 0
    """How long load runs before the recorded part, into which it flows; then it goes on behind that
    part, too, until the last recorded transaction has ended. 0 for a load with a shape (ramp,
    staircase, stages, replay)."""
    begin_monotonic_ns: Annotated[int, Field(ge=0)] | None = None
    """When load begins, guard included: a time to come, by the kernel's monotonic clock; default as
    soon as possible."""
    stop: Stop
    """It counts and times the recorded part alone."""
    seed: Annotated[int, Field(ge=0)] | None = None
    """Of a Poisson pacer, in place of its own: the same for all targets of a permutation."""
    rate_per_s: Annotated[float, Field(ge=0.001, le=1e8)] | None = None
    """The rate of this slice, in place of the target's own load: at random times with a target
    whose pacer is `poisson`, else evenly spaced."""
    clients: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    """So many clients in this slice, in place of the target's own load: each has its next
    transaction as soon as its last one has ended."""
    objective: str | None = None
    """What the slice is held against: conditions such as `p99<50ms`, or `p99<50ms,failed<0.1%`."""
