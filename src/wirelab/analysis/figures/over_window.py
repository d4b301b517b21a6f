"""How time and rate of each contender went over the window or the turns of a block."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from wirelab.analysis.figures.time_series import Courses
from wirelab.analysis.model import Setting
from wirelab.study import CapacityLoad, Cell, ClosedLoad, Study


@dataclass(frozen=True, slots=True)
class WindowLine:
    """One contender: medians over the blocks, by second or by turn."""

    label: str
    times_us: Mapping[float, float]
    rates_per_s: Mapping[float, float]


@dataclass(frozen=True, slots=True)
class OverWindow:
    """A setting: the median time of transactions and their rate, by second or by turn."""

    setting: str
    title: str
    unit: Literal["second", "turn"]
    time_title: Literal["response time", "service time"]
    """What the time counts from: the intended start of a transaction, or the actual one."""
    lines: tuple[WindowLine, ...]


def over_windows(
    study: Study, settings: Sequence[Setting], courses: Courses
) -> tuple[OverWindow, ...]:
    """Return the settings that were measured for more than one second or turn.

    Searches for a capacity are left out: their turns have different rates.
    """
    windows = []
    for setting in settings:
        cells = {row.summary.label: row.summary.cell for row in setting.rows}
        first = next(iter(cells.values()))
        load = study.loads[first.load]
        if isinstance(load, CapacityLoad):
            continue
        in_turns = courses.in_turns(first)
        lines = (
            WindowLine(
                label,
                _medians(courses, "latency_p50_us", cell),
                _medians(courses, "throughput_per_s", cell),
            )
            for label, cell in cells.items()
        )
        drawn = tuple(line for line in lines if len(line.times_us) > 1)
        if drawn:
            windows.append(
                OverWindow(
                    setting.key,
                    setting.title,
                    "turn" if in_turns else "second",
                    "response time" if in_turns or isinstance(load, ClosedLoad) else "service time",
                    drawn,
                )
            )
    return tuple(windows)


def _medians(courses: Courses, metric: str, cell: Cell) -> dict[float, float]:
    return {time: median(values) for time, values in courses.of(metric, cell).items()}
