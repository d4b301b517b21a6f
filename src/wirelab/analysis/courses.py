"""The time series of a metric in a run: by second, or by turn."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from wirelab.analysis.values import RunValues
from wirelab.bundle import Bundle
from wirelab.study import Cell

MOST_POINTS = 60
"""Maximum number of points in a line; in longer runs, a point is the mean of several seconds."""

OF_SECONDS = {"latency_p50_us": "service_p50_us", "latency_p99_us": "response_p99_us"}
OF_SLICES = {"latency_p50_us": "median_us", "latency_p99_us": "p99_us"}
"""The columns of the frames for metrics that are times."""


@dataclass(frozen=True)
class Courses:
    """The time series of a bundle's runs. Its frames are read on first use."""

    bundle: Bundle
    values: RunValues

    def of(self, metric: str, cell: Cell) -> Mapping[float, list[float]]:
        """Return the values of all blocks by time: seconds of a window, or turn numbers."""
        if self.in_turns(cell):
            return _collected(_of_turns(self._slices, self._runs(cell), metric))
        return _collected(_of_window(self._series, self._runs(cell), metric))

    def in_turns(self, cell: Cell) -> bool:
        """Return whether the times of a cell are turn numbers; a window is a single turn."""
        frame = self._slices
        if frame.empty:
            return False
        return bool((frame[frame["run_id"].isin(self._runs(cell))]["permutation"] > 1).any())

    def _runs(self, cell: Cell) -> list[str]:
        return list(self.values.runs[cell]["run_id"]) if cell in self.values.runs else []

    @cached_property
    def _series(self) -> pd.DataFrame:
        return self.bundle.counting(self.bundle.series())

    @cached_property
    def _slices(self) -> pd.DataFrame:
        frame = self.bundle.counting(self.bundle.slices())
        return frame[frame["recorded"]] if "recorded" in frame else frame


def _of_window(frame: pd.DataFrame, runs: list[str], metric: str) -> Iterator[dict[float, float]]:
    """Combine whole seconds, so that no line has too many points."""
    for _, run in _runs_of(frame, runs):
        whole = run.sort_values("second").iloc[:-1]  # the last second is usually incomplete
        if whole.empty:
            continue
        column = OF_SECONDS.get(metric, "transactions")
        each = math.ceil(len(whole) / MOST_POINTS)
        means = whole.groupby(whole["second"] // each)[column].mean()
        yield {(int(str(place)) + 0.5) * each: float(mean) for place, mean in means.items()}


def _of_turns(frame: pd.DataFrame, runs: list[str], metric: str) -> Iterator[dict[float, float]]:
    for _, run in _runs_of(frame, runs):
        if metric in OF_SLICES:
            values = run[OF_SLICES[metric]]
        else:
            values = run["transactions"] / ((run["ended_ns"] - run["started_ns"]) / 1e9)
        turns = zip(run["permutation"], values, strict=True)
        yield {float(turn): float(value) for turn, value in turns}


def _runs_of(frame: pd.DataFrame, runs: list[str]) -> Iterator[tuple[object, pd.DataFrame]]:
    """Yield the rows of each run."""
    if frame.empty:
        return
    known = frame[frame["run_id"].isin(runs)]
    if "session" in known:  # a baseline shared by groups has several sessions: the first counts
        known = known[known["session"] == known.groupby("run_id")["session"].transform("min")]
    yield from known.groupby("run_id")


def _collected(courses: Iterator[dict[float, float]]) -> dict[float, list[float]]:
    """Collect the values of several runs by their times."""
    found: dict[float, list[float]] = {}
    for course in courses:
        for time, value in course.items():
            if math.isfinite(value):
                found.setdefault(time, []).append(value)
    return dict(sorted(found.items()))
