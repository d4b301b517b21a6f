"""Did the runs settle? The class of every run's course over its window, counted by cell."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from wirelab.analysis import words
from wirelab.analysis.model import Caution, Setting
from wirelab.bundle import Bundle
from wirelab.statistics import Settling, classify_settling
from wirelab.study import Cell

SLOTS = 20
"""A window of fewer seconds than this is cut into so many parts."""

LEAST_IN_A_SLOT = 10
"""So many transactions make a median worth classifying."""

TITLES = {
    Settling.FLAT: "flat",
    Settling.WARM_UP: "still warming up",
    Settling.SLOW_DOWN: "slowing down",
    Settling.NO_STEADY_STATE: "without a steady state",
    Settling.TOO_SHORT: "too short to judge",
}
"""How the classes are called in a report."""


@dataclass(frozen=True, slots=True)
class Settled:
    """The runs of one contender in one setting, by class; `reasons` of the unsettled ones."""

    setting: str
    label: str
    protocol: str
    runs: Mapping[Settling, int]
    reasons: tuple[str, ...]


def classify_runs(
    bundle: Bundle, settings: Sequence[Setting], runs: Mapping[Cell, pd.DataFrame]
) -> tuple[Settled, ...]:
    """Classify every run that counts, by the median service time in the parts of its window."""
    found = []
    for setting in settings:
        for row in setting.rows:
            names = runs[row.summary.cell]["run_id"]
            states = [classify_settling(course(bundle, str(name))) for name in names]
            found.append(
                Settled(
                    setting=setting.title,
                    label=row.summary.label,
                    protocol=row.summary.protocol,
                    runs=Counter(state.settling for state in states),
                    reasons=tuple(
                        f"{name}: {state.reason}"
                        for name, state in zip(names, states, strict=True)
                        if state.settling is Settling.NO_STEADY_STATE
                    ),
                )
            )
    return tuple(found)


def course(bundle: Bundle, run_id: str) -> list[float]:
    """Return the medians of a run's service time (µs) over its window; none where it is too thin.

    A part is a second of the window, or a part of a shorter one: short enough that there are
    enough parts to see a trend in, long enough that each holds several transactions.
    """
    seconds = bundle.result(run_id).series
    if len(seconds) >= SLOTS and min(second.transactions for second in seconds) >= LEAST_IN_A_SLOT:
        return [second.service_p50_us for second in seconds]
    if not bundle.samples_path(run_id).is_file():
        return []
    samples = bundle.service_times(run_id)
    slots = min(SLOTS, len(samples) // LEAST_IN_A_SLOT)
    if slots == 0:
        return []
    # Equally many transactions each: parts of equal time could be empty where answers are slow.
    parts = np.array_split(samples.sort_values("end_ns")["service_us"].to_numpy(), slots)
    return [float(np.median(part)) for part in parts]


def total(settled: Sequence[Settled]) -> dict[str, int]:
    """Count all runs by the words for their class, in the order of `TITLES`."""
    counted: Counter[Settling] = Counter()
    for each in settled:
        counted.update(each.runs)
    return {title: counted[kind] for kind, title in TITLES.items() if counted[kind]}


def settling_cautions(settled: Sequence[Settled]) -> Iterator[Caution]:
    """Warn of runs that were measured while the server still changed."""
    counted: Counter[Settling] = Counter()
    for each in settled:
        counted.update(each.runs)
    moving = counted[Settling.NO_STEADY_STATE] + counted[Settling.WARM_UP]
    if moving:
        worst = max(settled, key=lambda each: each.runs.get(Settling.NO_STEADY_STATE, 0))
        yield Caution(
            "minor",
            "Servers had not settled when they were measured",
            f"{words.plural(counted[Settling.NO_STEADY_STATE], 'run')} of {counted.total()} without"
            f" a steady state and {counted[Settling.WARM_UP]} with a warm-up inside the window;"
            f" the most at {worst.label}, {worst.setting}",
        )
