"""Whether runs reached a steady state: the class of every run's course, counted by cell."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wirelab.analysis.model import Setting
from wirelab.analysis.values import RunValues
from wirelab.bundle import Contents
from wirelab.statistics import Settling, classify_settling
from wirelab.study import Cell

SLOTS = 30
"""Number of parts into which a window is divided."""

LEAST_IN_A_SLOT = 10
"""Minimum number of transactions for a median that can be classified."""

TITLES = {
    Settling.FLAT: "flat",
    Settling.SETTLED_LATER: "settled later",
    Settling.NO_STEADY_STATE: "without a steady state",
    Settling.TOO_SHORT: "too short to judge",
}
"""The names of the classes in a report."""


@dataclass(frozen=True, slots=True)
class SettlingSummary:
    """The runs of one contender in one setting, by class, with `reasons` for the unsettled ones.

    `by_slices`: their courses are those of slices, instead of parts of a window.
    """

    setting: str
    label: str
    protocol: str
    runs: Mapping[Settling, int]
    reasons: tuple[str, ...]
    by_slices: bool


def classify_runs(
    bundle: Contents, settings: Sequence[Setting], values: RunValues
) -> tuple[SettlingSummary, ...]:
    """Classify every valid run by its course: the times of its slices, or of its window."""
    summaries = []
    for setting in settings:
        for row in setting.rows:
            cell = row.summary.cell
            states = {
                int(str(block)): classify_settling(course(bundle, values, cell, int(str(block))))
                for block in values.runs[cell].index
            }
            summaries.append(
                SettlingSummary(
                    setting=setting.title,
                    label=row.summary.label,
                    protocol=row.summary.protocol,
                    runs=Counter(state.settling for state in states.values()),
                    reasons=tuple(
                        f"block {block}: {state.reason}"
                        for block, state in states.items()
                        if state.settling is Settling.NO_STEADY_STATE
                    ),
                    by_slices=any(len(_slices(values, cell, int(str(b)))) > 1 for b in states),
                )
            )
    return tuple(summaries)


def course(bundle: Contents, values: RunValues, cell: Cell, block: int) -> list[float]:
    """Return the course of a run in µs: the medians of its slices, or of parts of its window.

    The window is divided into parts with equally many transactions, since parts of equal duration
    could be empty if answers are slow. Empty if there are too few transactions.
    """
    logs = _slices(values, cell, block)
    if len(logs) > 1:
        return [float(each) for each in np.exp(logs[np.isfinite(logs)])]
    samples = bundle.samples(str(values.runs[cell].loc[block, "run_id"]))
    slots = min(SLOTS, len(samples) // LEAST_IN_A_SLOT)
    if slots == 0:
        return []
    parts = np.array_split(samples.sort_values("end_ns")["service_us"].to_numpy(), slots)
    return [float(np.median(part)) for part in parts]


def _slices(values: RunValues, cell: Cell, block: int) -> NDArray[np.float64]:
    """Return the logarithms of the medians of a run's slices; empty without slices."""
    sessions = values.turns.get(cell, {}).get(block, ())
    return sessions[0].logs("latency_typical_us", cell) if sessions else np.empty(0)


def total(settled: Sequence[SettlingSummary]) -> dict[str, int]:
    """Count all runs by the words for their class, in the order of `TITLES`."""
    counted: Counter[Settling] = Counter()
    for each in settled:
        counted.update(each.runs)
    return {title: counted[kind] for kind, title in TITLES.items() if counted[kind]}


def unsettled(settled: Sequence[SettlingSummary]) -> list[str]:
    """Name every unsettled run: contender, setting, block and reason."""
    return [
        f"{each.label} at “{each.setting}”, {reason}" for each in settled for reason in each.reasons
    ]
