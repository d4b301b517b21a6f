"""Loads: who sends requests, and when."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt, model_validator

from wirelab.study.levels import FileModel
from wirelab.study.objective import Objective

Wait = Literal["precise", "tick", "spin", "sleep_then_spin"]
"""How the load generator waits for the next request of an open load. Precise sleep costs some CPU
time for every request, a tick of 1 ms little, polling a whole CPU.
"""


class ClosedLoad(FileModel):
    """Clients that each wait for the answer, and perhaps think, before they send again.

    Each has a connection of its own, or they share so many `connections`: as streams over HTTP/2,
    one after the other over HTTP/1.1.
    """

    kind: Literal["closed"]
    title: str
    clients: PositiveInt
    connections: PositiveInt | None = None
    think_time_us: NonNegativeFloat = 0.0
    reuse_connections: bool = True

    @model_validator(mode="after")
    def _no_idle_connections(self) -> Self:
        if self.connections is not None and self.connections > self.clients:
            raise ValueError("no more connections than clients")
        if self.connections is not None and not self.reuse_connections:
            raise ValueError("connections that are shared, or a new one for every request")
        return self


class OpenLoad(FileModel):
    """Requests that arrive at a rate, whether or not earlier ones have been answered.

    The rate is either absolute, or a share of the smallest capacity that a pilot finds among the
    contenders, so that all of them get the same rate and none is overloaded.
    """

    kind: Literal["constant", "poisson"]
    title: str
    rate_per_s: PositiveFloat | None = None
    share_of_capacity: Annotated[float, Field(gt=0, le=1)] | None = None
    connections: PositiveInt = 1
    reuse_connections: bool = True
    wait: Wait = "precise"

    @model_validator(mode="after")
    def _one_rate(self) -> Self:
        if (self.rate_per_s is None) == (self.share_of_capacity is None):
            raise ValueError("exactly one of rate_per_s and share_of_capacity")
        return self


class RampLoad(FileModel):
    """Requests that arrive ever more (or less) often for so many seconds, then at the last rate."""

    kind: Literal["ramp"]
    title: str
    from_rate_per_s: PositiveFloat
    to_rate_per_s: PositiveFloat
    seconds: PositiveFloat
    connections: PositiveInt = 1
    reuse_connections: bool = True
    wait: Wait = "precise"


class StaircaseLoad(FileModel):
    """Requests that arrive at one constant rate after the other, each for so many seconds."""

    kind: Literal["staircase"]
    title: str
    from_rate_per_s: PositiveFloat
    to_rate_per_s: PositiveFloat
    steps: Annotated[int, Field(ge=2)]
    step_seconds: PositiveFloat
    connections: PositiveInt = 1
    reuse_connections: bool = True
    wait: Wait = "precise"


class CapacityLoad(FileModel):
    """As many requests a second as a contender answers within an objective such as `p99<50ms`.

    In each block, trials at nine rates near what a contender sustains take turns, `repeats` of each
    rate. The first block begins with a search for the order of magnitude, of at most
    `search_seconds` for each contender; it says how long trials are, too, unless `trial_seconds`
    does. Then response times are measured, at half of the smallest capacity for all, and last what
    becomes of contenders that are asked for 1.5 and 2 times what they sustain. No more requests are
    under way than there are `connections`: ask for plenty.
    """

    RATES: ClassVar[int] = 9
    OVERLOADS: ClassVar[tuple[float, ...]] = (1.5, 2.0)
    """What contenders are asked for at last, as multiples of what they sustain."""
    LONGEST_RECOVERY_S: ClassVar[float] = 10.0
    """So long it is watched, after an overload, whether a contender keeps the objective again."""

    kind: Literal["capacity"]
    title: str
    objective: Objective
    connections: PositiveInt = 32
    repeats: PositiveInt = 2
    search_seconds: PositiveFloat = 40.0
    trial_seconds: Annotated[float, Field(ge=0.05)] | None = None
    reuse_connections: bool = True
    wait: Wait = "precise"

    def at_rate(self, rate_per_s: float) -> OpenLoad:
        """Return the load of requests that come evenly spaced, over the same connections."""
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
