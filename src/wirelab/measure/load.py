"""The load of a job: connections, pacers, orders, and what ends it."""

from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Count = Annotated[int, Field(ge=1)]


class JobModel(BaseModel):
    """A part of a job."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Connections(JobModel):
    """How many connections, and how they are used."""

    count: Count = 1
    streams_per_connection: Count = 1
    """How many requests at most are under way on each: streams of HTTP/2, HTTP/3 and gRPC, or
    WebSocket messages that wait for their answers, which come in the order of asking; 1 with
    http1."""
    reuse: bool = True
    """False: a fresh connection for each request, whose set-up is timed as `connect`."""
    connect_timeout_ms: Count = 5_000
    request_timeout_ms: Count = 10_000


class Closed(JobModel):
    """Clients that send their next transaction when the last one was answered."""

    kind: Literal["closed"] = "closed"
    clients: Count = 1
    think_time_us: Annotated[int, Field(ge=0)] = 0
    """From the end of each of a client's transactions to the intended start of its next."""


class Constant(JobModel):
    """Transactions at equal distances, whether the server keeps up or not."""

    kind: Literal["constant"] = "constant"
    rate_per_s: Annotated[float, Field(gt=0)]


class Poisson(JobModel):
    """Transactions at random, with the gaps of independent users."""

    kind: Literal["poisson"] = "poisson"
    rate_per_s: Annotated[float, Field(gt=0)]
    seed: int = 1


class Ramp(JobModel):
    """A rate that grows or falls evenly for so many seconds; then the last one stays."""

    kind: Literal["ramp"] = "ramp"
    from_rate_per_s: Annotated[float, Field(gt=0)]
    to_rate_per_s: Annotated[float, Field(gt=0)]
    seconds: Annotated[float, Field(gt=0)]


class Staircase(JobModel):
    """So many constant rates, evenly spread between two, one after the other."""

    kind: Literal["staircase"] = "staircase"
    from_rate_per_s: Annotated[float, Field(gt=0)]
    to_rate_per_s: Annotated[float, Field(gt=0)]
    steps: Annotated[int, Field(ge=2)]
    step_seconds: Annotated[float, Field(gt=0)]


class Stage(JobModel):
    """A time with one rate, or with one that changes evenly; 0 is a pause."""

    from_rate_per_s: Annotated[float, Field(ge=0)]
    to_rate_per_s: Annotated[float, Field(ge=0)]
    seconds: Annotated[float, Field(gt=0)]


class Stages(JobModel):
    """Stages one after the other; with the last of them the slice ends."""

    kind: Literal["stages"] = "stages"
    stages: Annotated[tuple[Stage, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _has_load(self) -> Self:
        if not any(stage.from_rate_per_s + stage.to_rate_per_s > 0 for stage in self.stages):
            raise ValueError("a rate above 0 in one stage at least")
        return self


class Replay(JobModel):
    """Transactions at the times of a list; with the last of them the slice ends."""

    kind: Literal["replay"] = "replay"
    times_us: Annotated[tuple[Annotated[float, Field(ge=0)], ...], Field(min_length=1)]
    """From the start of the slice, ascending."""

    @model_validator(mode="after")
    def _ascend(self) -> Self:
        if any(later < earlier for earlier, later in pairwise(self.times_us)):
            raise ValueError("times that do not go back")
        return self


Pacer = Annotated[
    Closed | Constant | Poisson | Ramp | Staircase | Stages | Replay, Field(discriminator="kind")
]

Wait = Literal["precise", "tick", "spin", "sleep_then_spin"]
"""How an open load's next transaction is waited for: by a sleep that ends on time; by a tick each
millisecond (cheap, and up to 1 ms late); by polling (a whole CPU); by sleeping and then polling.
"""


class WarmUp(JobModel):
    """Load that is not recorded; both must be reached."""

    transactions: Annotated[int, Field(ge=0)] = 0
    seconds: Annotated[float, Field(ge=0)] = 0.0


class Precision(JobModel):
    """Ends a slice as soon as a figure of the response times is known well enough.

    By batch means, so that requests which have much in common are not taken for many.
    """

    of: Literal["mean", "p50", "p90", "p95", "p99", "p999"] = "mean"
    half_width: Annotated[float, Field(ge=0.0001, le=0.5)]
    """Of the 95 % interval, as a share of the figure itself."""


class Stop(JobModel):
    """What ends a slice; the first one reached. Only a replay and stages need none."""

    transactions: Count | None = None
    seconds: Annotated[float, Field(gt=0)] | None = None
    transactions_per_client: Count | None = None
    precision: Precision | None = None
    """With it, `seconds` is the longest that it may take."""

    @model_validator(mode="after")
    def _is_bounded(self) -> Self:
        if self.precision is not None and self.seconds is None:
            raise ValueError("seconds: the longest time that the precision may take")
        return self

    @property
    def ends(self) -> bool:
        """Whether it says when."""
        conditions = (self.transactions, self.seconds, self.transactions_per_client)
        return any(condition is not None for condition in conditions)


class Cycle(JobModel):
    """The transactions as listed, again and again."""

    kind: Literal["cycle"] = "cycle"


class Shuffle(JobModel):
    """Every pass over the transactions in another order."""

    kind: Literal["shuffle"] = "shuffle"
    seed: int = 1


Order = Annotated[Cycle | Shuffle, Field(discriminator="kind")]
