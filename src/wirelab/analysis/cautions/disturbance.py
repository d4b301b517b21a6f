"""Disturbances of the measurement: one sentence with counts instead of a line for each run."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from wirelab.analysis.model import Disturbance
from wirelab.analysis.values import RunValues
from wirelab.bundle import BlockRecord, attempts_that_count
from wirelab.statistics import CLOCK_CHANGE_LIMIT
from wirelab.terminal import words

NOTABLE = 0.01
"""A smaller share of stolen time is not mentioned."""
OTHER_PROGRAMS = 0.10
STOLEN = 0.05
"""The shares of CPU time, used by other programs and stolen by the host, above which a disturbance
is strong."""

QUIET = "Nothing disturbed the measurement."


def summarise_disturbance(records: Sequence[BlockRecord], values: RunValues) -> Disturbance:
    """Summarise the effects of the host, other programs and faults.

    Shares cover every measured session, whether or not its runs are valid: `records` are all
    attempts at all blocks. Lost runs are those of the attempts that count. The sentence leaves out
    runs of contenders that were not started, such as refused ones: nothing disturbed those.
    """
    counting = attempts_that_count(records)
    sessions = [each for record in records for each in record.measured_sessions]
    stolen = [each.steal_share for each in sessions] or [0.0]
    others = [each.other_share for each in sessions if each.other_share is not None]
    repeated = len({record.block.id for record in records if record.attempt > 1})
    statuses = [run.status for record in counting for run in record.runs]
    other = max(others, default=None)
    clocks = [each.frequency_change_share or 0.0 for each in sessions]
    mean = float(np.mean(stolen))
    in_turns = any(map(_had_turns, records))
    machine = [
        *_stolen(mean, values.worst_stolen_share, in_turns=in_turns),
        *_shares(other, max(clocks, default=0.0)),
    ]
    if repeated:
        machine.append(f"{words.plural(repeated, 'block was', 'blocks were')} repeated")
    lost = _lost(counting)
    runs = f"{words.plural(lost, 'run does', 'runs do')} not count"
    parts = [*machine, runs] if lost else machine
    return Disturbance(
        stolen_share=mean,
        stolen_span=(min(stolen), max(stolen)),
        worst_stolen_share=values.worst_stolen_share,
        in_turns=in_turns,
        other_share=other,
        repeated_blocks=repeated,
        lost_runs=len(statuses) - statuses.count("valid"),
        is_notable=bool(parts),
        sentence=_sentence(parts) if parts else QUIET,
        without_runs=_sentence(machine) if machine else "",
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


def _sentence(parts: Sequence[str]) -> str:
    return f"{words.capital(words.listed(parts))}."


def worst_stolen(share: float, *, in_turns: bool) -> str:
    """Render the largest stolen share, and of what it is."""
    return f"{words.percent(share)} of a {'permutation' if in_turns else 'run'}"


def _stolen(stolen: float, worst: float, *, in_turns: bool) -> Iterator[str]:
    if max(stolen, worst) >= NOTABLE:
        part = f"the host stole {words.percent(stolen)} of the CPU time"
        if worst > stolen:
            part += f" (up to {worst_stolen(worst, in_turns=in_turns)})"
        yield part


def _shares(other: float | None, clock: float) -> Iterator[str]:
    if other is not None and other >= NOTABLE:
        yield f"other programs used up to {words.percent(other)} of the CPUs"
    if clock > CLOCK_CHANGE_LIMIT:
        yield f"a CPU's clock rate changed by up to {words.percent(clock)}"
