"""The events that the engine reports while it runs: warm-ups, slices, and capacity searches.

Slices are also rows of the result.
"""

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict

SearchOutcome = Literal["found", "every rate", "no rate", "unfinished"]
"""How the search for one goal ended: `unfinished` if it stopped before the bounds were found."""


class ResultModel(BaseModel):
    """A part of a result."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Warm(ResultModel):
    """`warm`: an event, the outcome of a warm-up."""

    target: int
    """Index into the job's targets."""
    seconds: float
    transactions: int
    failed: int
    errors: Mapping[str, int]
    status: int | None
    """Status (of HTTP or gRPC) of the first transaction that failed and had one; None if none."""
    mean_us: float | None
    """Mean response time of the transactions that succeeded; None if none did."""
    median_us: float | None
    p99_us: float | None


class Judged(ResultModel):
    """A slice's result against its objective."""

    due: int
    """Transactions due in the slice: sent, never sent, or dropped."""
    good: int
    """Transactions answered correctly within the first limit; without a limit, all answered
    correctly."""
    loss_ratio: float
    """The share that was late, failed or never sent. It exceeds the share that the first condition
    allows if and only if some condition is not met."""
    is_kept: bool


class SliceItems(ResultModel):
    """The items of the streams of one slice."""

    first_median_us: float | None
    """From the intended start to the first item, of streams that succeeded; None if none did."""
    first_p99_us: float | None
    gap_median_us: float | None
    """Between consecutive items; None if no stream had two."""
    gap_p99_us: float | None
    stalls: int


class SliceRow(ResultModel):
    """One slice: an event `slice`, and a row of the result."""

    number: int
    """Counted from 0, over all slices of the job."""
    target: int
    """Index into the job's targets."""
    recorded: bool
    """False for a rehearsal, which no total, histogram or sample contains."""
    first: int
    """Index into the list of transactions at which the recorded part began."""
    started_ns: int
    """Start of the recorded part by the engine's clock, in nanoseconds since the engine started."""
    ended_ns: int
    """End of the last recorded transaction, or of the stop rule if that is later."""
    guard_ns: int
    drain_ns: int
    """Time from the end of recording until every transaction has ended. If the slice has a guard,
    unrecorded load continues during it until the last recorded transaction has ended."""
    transactions: int
    """Transactions that started in the recorded part. All following keys are about them."""
    failed: int
    errors: Mapping[str, int]
    late: int
    never_sent: int
    dropped: int
    """Transactions in flight when the job was interrupted in this slice; not in any other count."""
    mean_us: float | None
    """Mean response time of the transactions that succeeded; None if none did. Percentiles are
    observed values (inverted CDF); beyond 1,048,576 transactions per worker they are accurate to
    one thousandth."""
    median_us: float | None
    p90_us: float | None
    p99_us: float | None
    min_us: float | None
    max_us: float | None
    first_byte_mean_us: float | None
    bytes_sent: int
    """Bytes on the sockets, without TLS."""
    bytes_received: int
    engine_cpu_us: float
    """CPU time of the engine's workers, from the start of the guard to the end of the drain."""
    cpu_us: Mapping[str, float | None]
    """CPU time by role, from the reading before the guard to the one after the drain; None if the
    role no longer exists."""
    share_recorded: float
    """Recorded transactions as a share of all between these readings; the others belong to the
    guard, or came after the last recorded one."""
    clock_gap_us: float
    """Sum of intervals above 1 ms in which the engine had work but did not run: its CPU was stolen,
    or another program was using it."""
    steal_us: tuple[float, ...]
    """Stolen time between the readings, for each CPU of the machine."""
    items: SliceItems | None = None
    """None if no items of streams came."""
    judged: Judged | None = None
    """None for a slice without an objective."""

    @property
    def recorded_s(self) -> float:
        """The duration of the recorded part, in s."""
        return (self.ended_ns - self.started_ns) / 1e9

    @property
    def whole_s(self) -> float:
        """The duration from the start of the guard to the end of the drain, in s."""
        return (self.guard_ns + self.ended_ns - self.started_ns + self.drain_ns) / 1e9


class Rung(ResultModel):
    """Closed load: each client sends its next request as soon as its last one is answered."""

    clients: int
    rate_per_s: float
    is_kept: bool


class Bounds(ResultModel):
    """The outcome of a search for one goal."""

    exceed_ratio: float
    """The share of a rate's trials that may miss the objective."""
    lower_per_s: float | None
    """The highest rate that is sustained."""
    upper_per_s: float | None
    """The lowest rate that is not sustained."""
    throughput_per_s: float | None
    """Transactions a second answered in time at the lower bound: the conditional throughput of
    RFC 9971."""
    outcome: SearchOutcome


class Trial(ResultModel):
    """One trial of a search."""

    at_s: float
    """Seconds since the search began."""
    rate_per_s: float
    seconds: float
    due: int
    good: int
    loss_ratio: float
    is_kept: bool
    """`due`, `good`, `loss_ratio` and `is_kept` are as in a slice's `judged`."""
    failed: int
    never_sent: int
    errors: Mapping[str, int]
    median_us: float | None
    p99_us: float | None
    engine_busy_share: float


class CapacityFound(ResultModel):
    """`capacity`: an event, the outcome of a search for capacity.

    The JSON of `--find-capacity` is the same, without `target`.
    """

    format: Literal["wirelab-capacity/1"]
    target: int | None = None
    """Index into the job's targets."""
    interrupted: bool
    out_of_time: bool
    """Time ran out before all bounds were found."""
    url: str
    load: str
    objective: str
    allowed_loss_ratio: float
    trial_s: float
    duration_sum_s: float
    """Total duration of a rate's trials after which the rate is classified, whatever the
    outcome."""
    seed: int
    seconds: float
    ladder: tuple[Rung, ...]
    goals: tuple[Bounds, ...]
    """The main goal comes first."""
    trials: tuple[Trial, ...]
    change: float | None
    """Throughput of the ladder's best rung at the end, divided by that at the beginning. Below
    1/1.3 or above 1.3, the server's performance changed during the search, and the bounds mix
    both."""
    warnings: tuple[str, ...]
