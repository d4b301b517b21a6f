"""Other activity of the machine while a study was measured, and runs that were lost."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from wirelab.analysis.values import RunValues
from wirelab.bundle import BlockRecord, attempts_that_count
from wirelab.statistics import CLOCK_CHANGE_LIMIT
from wirelab.terminal import words

NOTABLE = 0.01
"""A smaller share of stolen time, or of other programs, is not mentioned."""
QUIET = "Nothing disturbed the measurement."


@dataclass(frozen=True, slots=True)
class Disturbance:
    """Other activity of the machine, over all sessions, as shares of the CPUs' time."""

    stolen_share: float
    """Share stolen by the host, of all measured time."""
    stolen_span: tuple[float, float]
    """The smallest and the largest stolen share of a session."""
    worst_stolen_share: float
    """The stolen share of the permutation, or of the run without turns, that lost the most."""
    in_turns: bool
    """Whether any contenders took turns."""
    other_share: float | None
    """The largest share used by programs that are not part of a session."""
    clock_change_share: float
    """The largest change of a CPU's clock rate in a session."""
    repeated_blocks: int
    lost_runs: int
    """Runs lost because of a fault, in the last attempts at all blocks."""
    started_lost_runs: int
    """Those of contenders that were started, unlike refused ones: nothing disturbed those."""

    @property
    def is_notable(self) -> bool:
        """Whether there is anything worth mentioning."""
        return bool(self.machine) or self.started_lost_runs > 0

    @property
    def sentence(self) -> str:
        """All that is worth mentioning."""
        lost = self.started_lost_runs
        runs = [f"{words.plural(lost, 'run does', 'runs do')} not count"] if lost else []
        parts = [*self.machine, *runs]
        return f"{words.capital(words.listed(parts))}." if parts else QUIET

    @property
    def without_runs(self) -> str:
        """The sentence without the runs that do not count, which have a caution; "" if empty."""
        return f"{words.capital(words.listed(self.machine))}." if self.machine else ""

    @property
    def worst_stolen(self) -> str:
        """The largest stolen share, and of what it is."""
        of = "permutation" if self.in_turns else "run"
        return f"{words.percent(self.worst_stolen_share)} of a {of}"

    @property
    def machine(self) -> list[str]:
        """What happened besides the loss of runs, in clauses."""
        return list(self._clauses())

    def _clauses(self) -> Iterator[str]:
        stolen, worst, other = self.stolen_share, self.worst_stolen_share, self.other_share
        if max(stolen, worst) >= NOTABLE:
            most = f" (up to {self.worst_stolen})" if worst > stolen else ""
            yield f"the host stole {words.percent(stolen)} of the CPU time{most}"
        if other is not None and other >= NOTABLE:
            yield f"other programs used up to {words.percent(other)} of the CPUs"
        if self.clock_change_share > CLOCK_CHANGE_LIMIT:
            change = words.percent(self.clock_change_share)
            yield f"a CPU's clock rate changed by up to {change}"
        if repeated := self.repeated_blocks:
            yield f"{words.plural(repeated, 'block was', 'blocks were')} repeated"


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
