"""Loads: the clients, and the times of their requests."""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, NonNegativeFloat, PositiveFloat, PositiveInt

from wirelab.inputs.file_model import FileModel, Misfit
from wirelab.inputs.objective import check_objective

Wait = Literal["precise", "spin"]
"""How the load generator waits for the next request of an open load. `precise` sleeps until the
exact time and costs some CPU time per request; `spin` polls and occupies a CPU."""


class ClosedLoad(FileModel):
    """`kind = "closed"`: clients that send their next request when the last one is answered.

    By default each client has its own connection. With `connections` they share that number:
    as streams over HTTP/2, one request after the other over HTTP/1.1.
    """

    kind: Literal["closed"]
    """Selects this kind of load."""
    title: str
    """Name in reports."""
    clients: PositiveInt
    """Number of clients."""
    connections: PositiveInt | None = None
    """Number of connections that the clients share, at most as many as there are clients. Default:
    one for each client. Not with `reuse_connections = false`."""
    think_time_us: NonNegativeFloat = 0.0
    """Pause of a client between an answer and its next request, in µs."""
    reuse_connections: bool = True
    """False opens a new connection for every request, as a first visit does."""
    client: Literal["engine", "k6"] = "engine"
    """The program that sends: wirelab's load engine, or k6, which runs JavaScript for each request
    and decodes each gRPC answer. Use k6 where a paper did, since its times include what k6 costs.
    It sends single requests over HTTP/1.1 and gRPC, each user on its own connection, checks their
    status alone, and needs `separate = true`."""

    def misfits(self) -> Iterator[Misfit]:
        """Yield what contradicts `connections`, or what k6 cannot do."""
        if self.client == "k6" and (self.connections is not None or not self.reuse_connections):
            key = "connections" if self.connections is not None else "reuse_connections = false"
            yield Misfit.excluding(['client = "k6"', key], "k6's users keep one connection each")
        if self.connections is not None and self.connections > self.clients:
            expected = f"at most the number of clients, {self.clients}"
            yield Misfit("connections", self.connections, expected)
        if self.connections is not None and not self.reuse_connections:
            why = "clients share connections, or open a new one for every request"
            yield Misfit.excluding(["connections", "reuse_connections = false"], why)


class OpenLoad(FileModel):
    """`kind = "constant"` or `"poisson"`: requests that arrive at a rate, answered or not.

    Exactly one of `rate_per_s` and `share_of_capacity` is required. With the latter, a pilot
    measures the capacity of all contenders, and all get the same share of the smallest one.
    """

    kind: Literal["constant", "poisson"]
    """`constant` spaces requests evenly; `poisson` sends them at random times, as independent users
    do."""
    title: str
    """Name in reports."""
    rate_per_s: PositiveFloat | None = None
    """Requests per second."""
    share_of_capacity: Annotated[float, Field(gt=0, le=1)] | None = None
    """Share of the smallest capacity in a block, above 0 and at most 1. Use it so that no contender
    is overloaded."""
    connections: PositiveInt = 1
    """Number of connections."""
    reuse_connections: bool = True
    """False opens a new connection for every request."""
    wait: Wait = "precise"
    """How the load generator waits for the next request: `precise`, or `spin` (polls, occupies a
    CPU)."""

    def misfits(self) -> Iterator[Misfit]:
        """Yield whether the load has no rate, or two."""
        if self.rate_per_s is None and self.share_of_capacity is None:
            yield Misfit("rate_per_s", None, "a number, or share_of_capacity instead")
        if self.rate_per_s is not None and self.share_of_capacity is not None:
            yield Misfit.excluding(["rate_per_s", "share_of_capacity"])


class RampLoad(FileModel):
    """`kind = "ramp"`: requests at a rate that rises or falls steadily, then stays.

    Needs a design with `separate = true`.
    """

    kind: Literal["ramp"]
    """Selects this kind of load."""
    title: str
    """Name in reports."""
    from_rate_per_s: PositiveFloat
    """First rate, in requests per second."""
    to_rate_per_s: PositiveFloat
    """Last rate, in requests per second; it may be lower than the first."""
    seconds: PositiveFloat
    """Duration of the change in seconds; the load then continues at the last rate."""
    connections: PositiveInt = 1
    """Number of connections."""
    reuse_connections: bool = True
    """False opens a new connection for every request."""
    wait: Wait = "precise"
    """How the load generator waits for the next request; see `kind = "constant"`."""


class StaircaseLoad(FileModel):
    """`kind = "staircase"`: requests at one constant rate after another.

    Needs a design with `separate = true`.
    """

    kind: Literal["staircase"]
    """Selects this kind of load."""
    title: str
    """Name in reports."""
    from_rate_per_s: PositiveFloat
    """Rate of the first step, in requests per second."""
    to_rate_per_s: PositiveFloat
    """Rate of the last step, in requests per second."""
    steps: Annotated[int, Field(ge=2)]
    """Number of steps, at least two."""
    step_seconds: PositiveFloat
    """Duration of each step in seconds."""
    connections: PositiveInt = 1
    """Number of connections."""
    reuse_connections: bool = True
    """False opens a new connection for every request."""
    wait: Wait = "precise"
    """How the load generator waits for the next request; see `kind = "constant"`."""


class CapacityLoad(FileModel):
    """`kind = "capacity"`: the highest rate at which a contender meets an objective.

    The first block begins with a search for each contender's order of magnitude. In each block,
    trials at nine rates near it take turns. Then response times are measured, for all contenders at
    half of the smallest capacity. At the end each contender gets 1.5 and 2 times the rate that it
    sustains, and wirelab measures how soon it meets the objective again.
    """

    RATES: ClassVar[int] = 9
    OVERLOADS: ClassVar[tuple[float, ...]] = (1.5, 2.0)
    """The overload rates at the end, as multiples of what a contender sustains."""
    LONGEST_CHOSEN_TRIAL_S: ClassVar[float] = 60.0
    """The longest trial that a search may choose: a block has nine or more of them."""
    LONGEST_RECOVERY_S: ClassVar[float] = 10.0
    """How long, after an overload, a contender may take to meet the objective again."""

    kind: Literal["capacity"]
    """Selects this kind of load."""
    title: str
    """Name in reports."""
    objective: Annotated[str, AfterValidator(check_objective)]
    """Limits that must all be met, such as `p99<50ms` or `p99<50ms,failed<0.1%`: `p50`, `p90`,
    `p95`, `p99` and `p999` with a time in us, ms or s, and `failed` with a share."""
    connections: PositiveInt = 32
    """Number of connections, which limits the requests in flight. A request that finds none free is
    lost; choose a generous number."""
    repeats: PositiveInt = 2
    """Number of trials of each contender at each rate, in each block."""
    search_seconds: PositiveFloat = 40.0
    """Longest duration of the search for each contender, in seconds."""
    trial_seconds: Annotated[float, Field(ge=0.05)] | None = None
    """Duration of a trial in seconds, at least 0.05. Longer trials are more exact. Default: the
    search chooses it; a contender that needs more than 60 s has no capacity."""
    reuse_connections: bool = True
    """False opens a new connection for every request."""
    wait: Wait = "precise"
    """How the load generator waits for the next request; see `kind = "constant"`."""

    def is_too_slow(self, trial_s: float) -> bool:
        """Return whether the trials that a search chose are too long, as the server is slow."""
        return self.trial_seconds is None and trial_s > self.LONGEST_CHOSEN_TRIAL_S

    def at_rate(self, rate_per_s: float) -> OpenLoad:
        """Return the load of evenly spaced requests over the same connections."""
        return OpenLoad(
            kind="constant",
            title=self.title,
            rate_per_s=rate_per_s,
            connections=self.connections,
            reuse_connections=self.reuse_connections,
            wait=self.wait,
        )


Load = Annotated[
    ClosedLoad | OpenLoad | RampLoad | StaircaseLoad | CapacityLoad, Field(discriminator="kind")
]
