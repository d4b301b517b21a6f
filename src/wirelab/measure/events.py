"""What the engine says while it is at work: warm-ups, slices, and what a search for capacity found.

Each is an event of its conversation; slices are rows of its result, too.
"""

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict


class ResultModel(BaseModel):
    """A part of a result."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Warm(ResultModel):
    """What a warm-up came to: the event `warm`."""

    target: int
    """Index into the job's targets."""
    seconds: float
    transactions: int
    failed: int
    errors: Mapping[str, int]
    mean_us: float | None
    """Response times of the transactions that succeeded; None without any."""
    median_us: float | None
    p99_us: float | None


class Judged(ResultModel):
    """How a slice did by its objective."""

    due: int
    """All that should have been sent in it: those sent, never sent and dropped."""
    good: int
    """Answered rightly within the first limit; without a limit, answered rightly."""
    loss_ratio: float
    """The share that was late, failed or never sent; above the share that the first condition
    allows exactly if some condition is not kept."""
    is_kept: bool


class SliceRow(ResultModel):
    """One slice: an event `slice`, and a row of the result."""

    number: int
    """From 0, over all slices of the job."""
    target: int
    """Index into the job's targets."""
    recorded: bool
    """False: a rehearsal, which is in no total, histogram or sample."""
    first: int
    """Where in the list of transactions the recorded part began."""
    started_ns: int
    """Of the recorded part, by the engine's clock: nanoseconds since it was started."""
    ended_ns: int
    """The end of the last recorded transaction, or of the stop rule if that is later."""
    guard_ns: int
    drain_ns: int
    """From when nothing more was recorded until everything had ended. Behind a guard, load goes on
    in it, unrecorded, until the last recorded transaction has ended."""
    transactions: int
    """They started in the recorded part, as all that follows is about them."""
    failed: int
    errors: Mapping[str, int]
    late: int
    never_sent: int
    dropped: int
    """Under way when the job was interrupted in this slice; in none of the other counts."""
    mean_us: float | None
    """Response times of the transactions that succeeded; None without any. Percentiles are values
    that occurred (inverted CDF); beyond 1,048,576 transactions of a worker they are right within a
    thousandth."""
    median_us: float | None
    p90_us: float | None
    p99_us: float | None
    min_us: float | None
    max_us: float | None
    first_byte_mean_us: float | None
    bytes_sent: int
    """On the sockets, without TLS."""
    bytes_received: int
    engine_cpu_us: float
    """Of the engine's workers, from the start of the guard to the end of the drain."""
    cpu_us: Mapping[str, float | None]
    """By role, from the reading before the guard to the one after the drain; None: it is gone."""
    share_recorded: float
    """Recorded transactions as a share of all between these readings: the others are those of the
    guard, and those behind the last recorded one."""
    clock_gap_us: float
    """The sum of intervals above 1 ms in which the engine did not get to run although it had work:
    its CPU was stolen, or another program had it."""
    steal_us: tuple[float, ...]
    """By CPU of the machine, between the readings: what the hypervisor gave to others."""
    judged: Judged | None = None
    """None for a slice without an objective."""


class Rung(ResultModel):
    """So many clients, each with its next request as soon as it has its answer."""

    clients: int
    rate_per_s: float
    is_kept: bool


class Bounds(ResultModel):
    """What a search has found for one goal."""

    exceed_ratio: float
    """The share of a rate's trials that may miss the objective."""
    lower_per_s: float | None
    """The highest rate that is sustained."""
    upper_per_s: float | None
    """The lowest rate that is not."""
    throughput_per_s: float | None
    """What of the lower bound was answered in time: the conditional throughput of RFC 9971."""
    outcome: Literal["found", "every rate", "no rate", "unfinished"]


class Trial(ResultModel):
    """One trial of a search."""

    at_s: float
    """Since the search began."""
    rate_per_s: float
    seconds: float
    due: int
    good: int
    loss_ratio: float
    is_kept: bool
    """This and the three before it are those of a slice's `judged`."""
    failed: int
    never_sent: int
    errors: Mapping[str, int]
    median_us: float | None
    p99_us: float | None
    engine_busy_share: float


class CapacityFound(ResultModel):
    """What a search came to: the event `capacity`.

    The JSON of `--find-capacity` is the same without `target`.
    """

    format: Literal["wirelab-capacity/1"]
    target: int | None = None
    """Index into the job's targets."""
    interrupted: bool
    out_of_time: bool
    """The time was over before all bounds were found."""
    url: str
    load: str
    objective: str
    allowed_loss_ratio: float
    trial_s: float
    duration_sum_s: float
    """With so much time in trials a rate is classified, whatever they came to."""
    seed: int
    seconds: float
    ladder: tuple[Rung, ...]
    goals: tuple[Bounds, ...]
    """The headline first."""
    trials: tuple[Trial, ...]
    change: float | None
    """What the ladder's best rung did at the end over what it did at the beginning; below 1/1.3 or
    above 1.3 the server is not what it was, and the bounds mix both."""
    warnings: tuple[str, ...]
