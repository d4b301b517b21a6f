"""The load of a job: connections, pacers, orders, and stop rules."""

from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Count = Annotated[int, Field(ge=1)]


class JobModel(BaseModel):
    """A part of a job."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Connections(JobModel):
    """The number of connections, and how to use them."""

    count: Count = 1
    streams_per_connection: Count = 1
    """Maximum number of requests in flight on each connection: streams of HTTP/2, HTTP/3 and gRPC,
    or WebSocket messages that wait for their answers, which arrive in the order of the requests.
    Must be 1 with http1, and if `reuse` is false."""
    reuse: bool = True
    """False: use a fresh connection for each request, and time its set-up as `connect`."""
    connect_timeout_ms: Count = 5_000
    request_timeout_ms: Count = 10_000


class Closed(JobModel):
    """Clients that each start their next transaction when the last one was answered."""

    kind: Literal["closed"] = "closed"
    clients: Count = 1
    think_time_us: Annotated[int, Field(ge=0)] = 0
    """Time from the end of a client's transaction to the intended start of its next one."""


class Constant(JobModel):
    """Transactions at equal intervals, whether or not the server keeps up."""

    kind: Literal["constant"] = "constant"
    rate_per_s: Annotated[float, Field(gt=0)]


class Poisson(JobModel):
    """Transactions at random times, as from independent users."""

    kind: Literal["poisson"] = "poisson"
    rate_per_s: Annotated[float, Field(gt=0)]
    seed: Annotated[int, Field(ge=0)] | None = None
    """Seed of the times. Default: the job's seed."""


class Stage(JobModel):
    """A period with a constant or linearly changing rate; a rate of 0 is a pause."""

    from_rate_per_s: Annotated[float, Field(ge=0)]
    to_rate_per_s: Annotated[float, Field(ge=0)]
    seconds: Annotated[float, Field(gt=0)]


class Stages(JobModel):
    """Stages, one after the other; the slice ends with the last one."""

    kind: Literal["stages"] = "stages"
    stages: Annotated[tuple[Stage, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _has_load(self) -> Self:
        if not any(stage.from_rate_per_s + stage.to_rate_per_s > 0 for stage in self.stages):
            raise ValueError("a rate above 0 in at least one stage")
        return self


class Replay(JobModel):
    """Transactions at listed times; the slice ends with the last one."""

    kind: Literal["replay"] = "replay"
    times_us: Annotated[tuple[Annotated[float, Field(ge=0)], ...], Field(min_length=1)]
    """Times since the start of the slice, in ascending order."""

    @model_validator(mode="after")
    def _ascend(self) -> Self:
        if any(later < earlier for earlier, later in pairwise(self.times_us)):
            raise ValueError("times in ascending order")
        return self


Pacer = Annotated[Closed | Constant | Poisson | Stages | Replay, Field(discriminator="kind")]


class JobWarmUp(JobModel):
    """Load that is not recorded; it ends when both limits are reached."""

    transactions: Annotated[int, Field(ge=0)] = 0
    seconds: Annotated[float, Field(ge=0)] = 0.0


class Precision(JobModel):
    """Ends a slice as soon as a statistic of the response times is known precisely enough.

    The precision is estimated by batch means, so that correlated requests do not count as
    independent ones.
    """

    of: Literal["mean", "p50", "p90", "p95", "p99", "p999"] = "mean"
    half_width: Annotated[float, Field(ge=0.0001, le=0.5)]
    """Half the width of the 95 % interval, as a share of the statistic."""


class Stop(JobModel):
    """What ends a slice: the first limit reached. Only a replay and stages need none."""

    transactions: Count | None = None
    seconds: Annotated[float, Field(gt=0)] | None = None
    transactions_per_client: Count | None = None
    precision: Precision | None = None
    """If given, `seconds` is required: the longest time that reaching it may take."""

    @model_validator(mode="after")
    def _is_bounded(self) -> Self:
        if self.precision is not None and self.seconds is None:
            raise ValueError("seconds: the longest time that the precision may take")
        return self

    @property
    def ends(self) -> bool:
        """Whether any limit is set."""
        conditions = (self.transactions, self.seconds, self.transactions_per_client)
        return any(condition is not None for condition in conditions)


class Cycle(JobModel):
    """The transactions in the listed order, repeatedly."""

    kind: Literal["cycle"] = "cycle"


class Shuffle(JobModel):
    """The transactions in a new random order in every pass."""

    kind: Literal["shuffle"] = "shuffle"
    seed: Annotated[int, Field(ge=0)] | None = None
    """Seed of the orders. Default: the job's seed."""


Order = Annotated[Cycle | Shuffle, Field(discriminator="kind")]
