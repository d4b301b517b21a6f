"""What is recorded of a run whose load asks for its capacity: trials, overloads, the search."""

from collections.abc import Mapping

from wirelab.bundle.record import Record
from wirelab.measure.events import CapacityFound, Judged


class TrialRecord(Record):
    """A contender that was asked for so many requests a second, for so long."""

    rate_per_s: float
    seconds: float
    judged: Judged
    """How it did by the objective."""
    failed: int
    never_sent: int
    """No connection was free for them."""
    errors: Mapping[str, int]
    p99_us: float | None


class OverloadRecord(Record):
    """A contender that was asked for more than it sustains."""

    times: float
    """What it sustains, so often."""
    trial: TrialRecord
    recovery_s: float | None = None
    """From the end of the load until a trial at half of what it sustains kept the objective; None
    where that did not come in time."""


class CapacityRecord(Record):
    """What one start of a contender sustains."""

    objective: str
    rate_per_s: float | None
    """The rate that half of the trials keep; None where the trials do not show it."""
    trials: tuple[TrialRecord, ...] = ()
    overload: tuple[OverloadRecord, ...] = ()
    ended: str = ""
    """Why it ended under an overload, when all else had been measured; "" where it did not."""
    search: CapacityFound | None = None
    """How the order of magnitude was found, in the block in which it was."""
