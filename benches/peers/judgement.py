"""Ratios between generators in the same machine state, and whether a goal was met by them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

import numpy as np

from benches.peers.generators import OURS
from benches.peers.goal import Goal, LimitGoal, Quantity, RatioGoal
from benches.peers.result import Measured, Run
from benches.peers.state import State, fastest_us, state_of
from wirelab.statistics.comparison import compare

Verdict = Literal["met", "missed", "not measured", "not built"]


@dataclass(frozen=True, slots=True)
class Ratio:
    """CPU time per request of one generator over that of another."""

    value: float
    low: float | None
    high: float | None
    """The 95 % interval; None from a single pair."""
    pairs: int
    """Rounds in which both ran in the same state of the machine."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a goal."""

    goal: Goal
    verdict: Verdict
    value: float | None = None
    ratio: Ratio | None = None
    reason: str = ""


class Comparison:
    """The last attempts of a session, and the state of the machine in each."""

    def __init__(self, runs: Sequence[Run]) -> None:
        """Take every run of a session; of several attempts at one, the last counts."""
        self.runs = tuple({(run.case, run.generator, run.round): run for run in runs}.values())
        self._fastest_us = fastest_us(runs) if runs else 0.0

    def state(self, run: Run) -> State:
        """Tell in which state a run took place."""
        return state_of(run, self._fastest_us)

    def of(self, case: str, generator: str) -> list[Run]:
        """Return the runs of one generator, in the order of the rounds."""
        return [run for run in self.runs if (run.case, run.generator) == (case, generator)]

    def measured(self, case: str, generator: str) -> list[Measured]:
        """Return what they measured."""
        return [run.measured for run in self.of(case, generator) if run.measured is not None]

    def ratio(self, case: str, generator: str, to: str) -> Ratio | None:
        """Compare round by round; only rounds count in which both met the same known state."""
        a, b = [], []
        others = {run.round: run for run in self.of(case, to)}
        for run in self.of(case, generator):
            other = others.get(run.round)
            if other is None or run.measured is None or other.measured is None:
                continue
            if self.state(run) == self.state(other) != "mixed":
                a.append(run.measured.cpu_us_per_request)
                b.append(other.measured.cpu_us_per_request)
        if not a:
            return None
        compared = compare(np.log(a) - np.log(b))
        low, high = compared.interval95 or (None, None)
        return Ratio(compared.ratio, low, high, len(a))

    def judge(self, goals: Iterable[Goal]) -> list[Outcome]:
        """Hold the session against its goals."""
        return [self._judge(goal) for goal in goals]

    def _judge(self, goal: Goal) -> Outcome:
        name = OURS if isinstance(goal, RatioGoal) else goal.generator
        runs = self.of(goal.case, name)
        lacking = next((run for run in runs if run.status == "not built"), None)
        if lacking is not None:
            return Outcome(goal, "not built", reason=lacking.reason)
        if isinstance(goal, LimitGoal):
            return self._judge_limit(goal)
        ratio = self.ratio(goal.case, OURS, goal.to)
        if ratio is None:
            return Outcome(goal, "not measured", reason=self._why_no_ratio(goal))
        met = ratio.value < goal.at_most if goal.strictly else ratio.value <= goal.at_most
        return Outcome(goal, "met" if met else "missed", ratio.value, ratio)

    def _judge_limit(self, goal: LimitGoal) -> Outcome:
        measured = self.measured(goal.case, goal.generator)
        values = [quantity(each, goal.quantity) for each in measured]
        known = [value for value in values if value is not None]
        if not known:
            return Outcome(goal, "not measured", reason=f"no run of {goal.generator} gave it")
        value = median(known)
        return Outcome(goal, "met" if abs(value) <= goal.at_most else "missed", value)

    def _why_no_ratio(self, goal: RatioGoal) -> str:
        for name in (OURS, goal.to):
            if not self.measured(goal.case, name):
                return f"no run of {name}"
        return "in no round both met the same state of the machine"


def quantity(measured: Measured, name: Quantity) -> float | None:
    """Return one quantity of a run, None where it has none."""
    if name == "peak memory, MB":
        return measured.memory_peak_bytes / 1e6
    seen, p50_us, p99_us = measured.fidelity, measured.p50_us, measured.p99_us
    if seen is None or p50_us is None or p99_us is None:
        return None
    match name:
        case "schedule error p99, µs":
            return seen.schedule_error_p99_us
        case "reported p50 − true p50, µs":
            return p50_us - seen.true_p50_us
        case "reported p50 ÷ true p50 − 1":
            return p50_us / seen.true_p50_us - 1
        case "reported p99 ÷ true p99 − 1":
            return p99_us / seen.true_p99_us - 1
