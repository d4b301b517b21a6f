"""The time series of a metric in a run: by second, or by turn."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from wirelab.analysis.values import RunValues
from wirelab.bundle import Contents
from wirelab.study import Cell

MOST_POINTS = 60
"""Maximum number of points in a line; in longer runs, a point is the mean of several of them."""

OF_SECONDS = {"latency_p50_us": "service_p50_us", "latency_p99_us": "response_p99_us"}
OF_SLICES = {"latency_p50_us": "median_us", "latency_p99_us": "p99_us"}
"""The columns of the frames for metrics that are times."""

Course = Mapping[float, float]
"""The values of a run by time."""


@dataclass(frozen=True)
class Courses:
    """The time series of a bundle's runs. Its frames are read on first use."""

    bundle: Contents
    values: RunValues

    def of(self, metric: str, cell: Cell) -> Mapping[float, list[float]]:
        """Return the values of all blocks by time: seconds of a window, or turn numbers."""
        in_turns = self.in_turns(cell)
        found = self._slices if in_turns else self._series
        course = _of_turns if in_turns else _of_window
        return _collected([course(found[run], metric) for run in self._runs(cell) if run in found])

    def in_turns(self, cell: Cell) -> bool:
        """Return whether the times of a cell are turn numbers; a window is a single turn."""
        runs = (self._slices[run] for run in self._runs(cell) if run in self._slices)
        return any((run["permutation"] > 1).any() for run in runs)

    def _runs(self, cell: Cell) -> list[str]:
        return list(self.values.runs[cell]["run_id"]) if cell in self.values.runs else []

    @cached_property
    def _series(self) -> Mapping[str, pd.DataFrame]:
        return dict(_by_run(self.bundle.counting(self.bundle.series())))

    @cached_property
    def _slices(self) -> Mapping[str, pd.DataFrame]:
        frame = self.bundle.counting(self.bundle.slices())
        return dict(_by_run(frame[frame["recorded"]] if "recorded" in frame else frame))


def _by_run(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the rows of each run."""
    if frame.empty:
        return
    if "session" in frame:  # a baseline shared by groups has several sessions: the first counts
        frame = frame[frame["session"] == frame.groupby("run_id")["session"].transform("min")]
    for run, rows in frame.groupby("run_id"):
        yield str(run), rows


def _of_window(run: pd.DataFrame, metric: str) -> Course:
    whole = run.sort_values("second").iloc[:-1]  # the last second is usually incomplete
    if metric in OF_SECONDS:  # a second in which nothing was answered has no time
        whole = whole[whole["transactions"] > 0]
    values = whole[OF_SECONDS.get(metric, "transactions")]
    seconds = zip(whole["second"], values, strict=True)
    return {float(second) + 0.5: float(value) for second, value in seconds}


def _of_turns(run: pd.DataFrame, metric: str) -> Course:
    if metric in OF_SLICES:
        values = run[OF_SLICES[metric]]
    else:
        values = run["transactions"] / ((run["ended_ns"] - run["started_ns"]) / 1e9)
    return dict(zip(run["permutation"].astype(float).tolist(), values.tolist(), strict=True))


def _collected(courses: Iterable[Course]) -> dict[float, list[float]]:
    """Collect the values of several runs by their times; many times become means of several."""
    known = [
        {time: value for time, value in course.items() if math.isfinite(value)}
        for course in courses
    ]
    times = sorted({time for course in known for time in course})
    each = max(1, math.ceil(len(times) / MOST_POINTS))
    found: dict[float, list[float]] = {}
    for first in range(0, len(times), each):
        together = times[first : first + each]
        means = [
            _mean([course[time] for time in together if time in course])
            for course in known
            if not course.keys().isdisjoint(together)
        ]
        found[_mean(together)] = means
    return found


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
