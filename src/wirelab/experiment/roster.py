"""Which runs of a session still have turns, and why the others have none."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from wirelab.schedule import Run


@dataclass
class Roster:
    """The runs of a session, as far as they have not been given up."""

    runs: Sequence[Run]
    reasons: dict[str, str] = field(default_factory=dict)
    """Why runs, by id, have no turns any more."""
    ended_late: dict[str, str] = field(default_factory=dict)
    """Why runs, by id, ended under an overload, which takes nothing from what was measured."""
    is_measured: bool = False
    """Whether only overloads are left."""

    def left(self) -> list[Run]:
        """Return the runs that still have turns."""
        gone = self.reasons | self.ended_late
        return [run for run in self.runs if run.id not in gone]

    def give_up(self, run: Run, reason: str) -> None:
        """Give a run no further turn; of several reasons, the first counts."""
        why = self.ended_late if self.is_measured else self.reasons
        why.setdefault(run.id, reason)

    def why_nobody(self) -> str | None:
        """Say why there is nobody left to measure; None where somebody is, or all is measured."""
        return None if self.is_measured or self.left() else "; ".join(self.reasons.values())
