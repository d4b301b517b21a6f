"""Which runs of a session still get turns, and why others do not."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from wirelab.bundle.run_reasons import RunReason, in_words
from wirelab.planning.schedule import Run


@dataclass
class Roster:
    """The runs of a session, and those that have been given up."""

    runs: Sequence[Run]
    reasons: dict[str, RunReason] = field(default_factory=dict)
    """The reasons, by id, why runs get no more turns."""
    ended_late: dict[str, RunReason] = field(default_factory=dict)
    """The reasons, by id, why runs ended under an overload; their measurements remain valid."""
    is_measured: bool = False
    """Whether only overloads are left."""

    def left(self) -> list[Run]:
        """Return the runs that still get turns."""
        ended = self.reasons | self.ended_late
        return [run for run in self.runs if run.id not in ended]

    def give_up(self, run: Run, reason: RunReason) -> None:
        """Give a run no further turns; of several reasons, the first one is kept."""
        why = self.ended_late if self.is_measured else self.reasons
        why.setdefault(run.id, reason)

    def why_empty(self) -> str | None:
        """Return why no run is left to measure; None if one is left, or if all are measured."""
        return None if self.is_measured or self.left() else in_words(self.reasons.values())
