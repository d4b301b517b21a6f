"""Disturbances of the measurement: other activity of the machine, and runs that were lost."""

from collections.abc import Iterator
from dataclasses import dataclass

from wirelab.analysis.cautions.caution import Caution
from wirelab.analysis.cautions.evidence import Evidence
from wirelab.analysis.disturbance import Disturbance

OTHER_PROGRAMS = 0.10
STOLEN = 0.05
"""The shares of CPU time, used by other programs and stolen by the host, above which a disturbance
is strong."""


@dataclass(frozen=True)
class Disturbed(Caution):
    """The machine was busy with other work; the intervals already reflect it."""

    TITLE = "The machine was disturbed"
    disturbance: Disturbance
    compares: bool

    def _detail(self) -> str:
        if not self.compares:
            effect = "This makes intervals wider, and may have made the server slower"
        elif self.disturbance.in_turns:
            effect = (
                "Contenders took turns, so this affected all of them alike: it makes intervals"
                " wider and absolute times longer, and favours no contender"
            )
        else:
            effect = (
                "Runs were measured one after the other, so this affected them unequally: it makes"
                " intervals wider, and a single block may favour any contender"
            )
        return f"{self.disturbance.without_runs} {effect}"


def disturbed(evidence: Evidence) -> Iterator[Caution]:
    """Find a strong disturbance."""
    if is_strong(evidence.disturbance):
        yield Disturbed(evidence.disturbance, evidence.compares)


def is_strong(disturbance: Disturbance) -> bool:
    """Return whether a disturbance probably changed times noticeably."""
    other = disturbance.other_share or 0.0
    return disturbance.stolen_share > STOLEN or other > OTHER_PROGRAMS
