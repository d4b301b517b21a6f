"""Disturbances of the measurement: other activity of the machine, and runs that were lost."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from wirelab.analysis.cautions.caution import Caution
from wirelab.analysis.cautions.evidence import Evidence
from wirelab.analysis.model import Disturbance
from wirelab.analysis.values import RunValues
from wirelab.bundle import BlockRecord, attempts_that_count

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


def summarise_disturbance(records: Sequence[BlockRecord], values: RunValues) -> Disturbance:
    """Summarise the effects of the host, other programs and faults.

    Shares cover every measured session, whether or not its runs are valid: `records` are all
    attempts at all blocks. Lost runs are those of the attempts that count.
    """
    counting = attempts_that_count(records)
    sessions = [each for record in records for each in record.measured_sessions]
    stolen = [each.steal_share for each in sessions] or [0.0]
    others = [each.other_share for each in sessions if each.other_share is not None]
    statuses = [run.status for record in counting for run in record.runs]
    clocks = [each.frequency_change_share or 0.0 for each in sessions]
    return Disturbance(
        stolen_share=float(np.mean(stolen)),
        stolen_span=(min(stolen), max(stolen)),
        worst_stolen_share=values.worst_stolen_share,
        in_turns=any(map(_had_turns, records)),
        other_share=max(others, default=None),
        clock_change_share=max(clocks, default=0.0),
        repeated_blocks=len({record.block.id for record in records if record.attempt > 1}),
        lost_runs=len(statuses) - statuses.count("valid"),
        started_lost_runs=_lost(counting),
    )


def is_strong(disturbance: Disturbance) -> bool:
    """Return whether a disturbance probably changed times noticeably."""
    other = disturbance.other_share or 0.0
    return disturbance.stolen_share > STOLEN or other > OTHER_PROGRAMS


def _lost(records: Sequence[BlockRecord]) -> int:
    """Count the runs without a value of contenders that were started, also later skipped ones."""
    runs = [run for record in records for run in record.runs if run.status != "valid"]
    faulty = {run.run.cell for run in runs if run.status == "invalid"}
    return sum(run.run.cell in faulty for run in runs)


def _had_turns(record: BlockRecord) -> bool:
    """Return whether several runs took turns in a session, whether or not they count."""
    members = Counter(run.session for run in record.runs)
    return any(
        session.permutations and members[number] > 1
        for number, session in enumerate(record.sessions, start=1)
    )
