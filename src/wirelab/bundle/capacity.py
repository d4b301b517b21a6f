"""Records of a run whose load measures capacity: trials, overloads, the search."""

from collections.abc import Mapping

from wirelab.bundle.run_reasons import AnyReason
from wirelab.engine.events import CapacityFound, Judged
from wirelab.record import Record


class TrialRecord(Record):
    """One trial: a contender under a given rate for a given time."""

    rate_per_s: float
    seconds: float
    judged: Judged
    """The result against the objective."""
    failed: int
    never_sent: int
    """Transactions for which no connection was free."""
    errors: Mapping[str, int]
    p99_us: float | None


class OverloadRecord(Record):
    """One overload: a contender under more load than it sustains."""

    times: float
    """The rate, as a multiple of what the contender sustains."""
    trial: TrialRecord
    recovery_s: float | None = None
    """Time from the end of the overload until a trial at half of the sustained rate met the
    objective; None if that did not happen in time."""


class CapacityRecord(Record):
    """The rate that one start of a contender sustains."""

    objective: str
    rate_per_s: float | None
    """The rate at which half of the trials meet the objective; None if they do not show it."""
    trials: tuple[TrialRecord, ...] = ()
    overload: tuple[OverloadRecord, ...] = ()
    ended: AnyReason | None = None
    """Why the contender ended under an overload, after everything else had been measured; None if
    it did not."""
    search: CapacityFound | None = None
    """The search that found the order of magnitude, in the block in which it ran."""
