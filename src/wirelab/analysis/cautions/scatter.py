"""Times that differ between blocks: for all contenders, for one server, or for one start of it."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from wirelab.analysis.cautions.caution import At, Caution
from wirelab.analysis.cautions.evidence import Evidence
from wirelab.analysis.cells import time_metric
from wirelab.analysis.model import CellSummary
from wirelab.analysis.settings import setting_key
from wirelab.statistics import MINIMUM_BLOCKS, SIGNIFICANCE, variance_components
from wirelab.study import Cell
from wirelab.terminal import words

SCATTER = 0.10
"""A smaller standard deviation between blocks, as a share of the mean, is not mentioned."""

Summaries = Mapping[Cell, CellSummary]


@dataclass(frozen=True)
class SharedScatter(Caution):
    """Some blocks were slower or faster for all contenders."""

    TITLE = "Some blocks were slower or faster for all contenders"
    settings: tuple[tuple[str, int, float], ...]
    """Settings with the block that differs most, and by which factor at least."""
    more: str
    """How to measure more; "" if that does not help."""

    def _detail(self) -> str:
        settings = [
            f"“{setting}” (most in block {block}, in which each took"
            f" {'at least' if factor > 1 else 'at most'} {words.times(factor)} the time of its"
            " median block)"
            for setting, block, factor in self.settings
        ]
        return (
            f"{words.first_few(settings)}. The speed of the machine may have changed. Contenders"
            " are compared within blocks, so this affects no comparison, only absolute times. What"
            f" to do about those: {_both('end other programs', self.more)}"
        )


@dataclass(frozen=True)
class OwnScatter(Caution):
    """The base of times of single contenders that differ between blocks."""

    places: tuple[At, ...]
    """With the standard deviation, and the block that is an outlier."""
    measure: str
    """The mean or the typical time."""
    without_common: bool
    """Whether changes that all contenders of a block have in common are left out."""
    more: str

    def _detail(self) -> str:
        remainder = ", without what all contenders of a block have in common"
        return (
            f"standard deviation of the {self.measure} response time between blocks, as a share of"
            f" it{remainder if self.without_common else ''}:"
            f" {words.first_few(list(map(str, self.places)))}. {self._why()}"
        )

    def _why(self) -> str:
        raise NotImplementedError


class StartsDiffer(OwnScatter):
    """Starts of the same server differ."""

    TITLE = "Starts of the same server differ a lot"

    def _why(self) -> str:
        remedy = f". What to do: {self.more}" if self.more else ""
        return f"Each block starts the servers afresh{remedy}"


class TimesDiffer(OwnScatter):
    """Times of servers that wirelab did not start differ."""

    TITLE = "Response times differ a lot between blocks"

    def _why(self) -> str:
        return (
            "wirelab did not restart these servers: they, their other load or their machines"
            f" changed meanwhile. What to do: {_both('end what else uses them', self.more)}"
        )


@dataclass(frozen=True)
class TwinsDiffer(Caution):
    """The baseline and its twin, one running server, differ within blocks."""

    TITLE = "The baseline and its twin differ within blocks"
    settings: tuple[tuple[str, float], ...]
    """With the standard deviation of the ratio of their times."""
    more: str

    def _detail(self) -> str:
        settings = [f"“{setting}” ({words.percent(spread)})" for setting, spread in self.settings]
        return (
            "standard deviation of the ratio of their times between blocks:"
            f" {words.first_few(settings)}. Both are the same server in the same blocks, so changes"
            " of the server or the machine from block to block do not explain this. Each has its"
            " own connections, which may lead to different processes or hosts behind the address,"
            " or too little was measured in a block. What to do:"
            f" {f'{self.more}; ' if self.more else ''}if the address has several processes or"
            " hosts, measure one of them"
        )


def scatter(evidence: Evidence) -> Iterator[Caution]:
    """Find times that differ between blocks, by what differs."""
    contenders, summaries = evidence.contenders, evidence.summaries
    running = [name for name, it in contenders.items() if "fresh_start" in it.not_controlled]
    settings: dict[str, dict[Cell, CellSummary]] = {}
    for cell, summary in summaries.items():
        settings.setdefault(setting_key(cell), {})[cell] = summary
    shared: list[tuple[str, int, float]] = []
    of_starts: list[At] = []
    of_servers: list[At] = []
    of_twins: list[tuple[str, float]] = []
    for members in settings.values():
        common = common_factors(members, running)
        title = evidence.titles[next(iter(members))]
        if _spread(common.values()) > SCATTER:
            block = max(common, key=lambda each: abs(math.log(common[each])))
            shared.append((title, block, common[block]))
        apart = {cell for cell in members if _differs_from_twin(cell, members, running)}
        of_twins += [
            (title, _spread(_ratios_to_twin(cell, members))) for cell in apart if cell.twin
        ]
        for cell, summary in members.items():
            own = {block: time / common[block] for block, time in summary.run_times_us.items()}
            is_large = _spread(own.values()) > SCATTER and cell not in apart
            if is_large and not _is_explained(cell, common, evidence):
                listed = of_servers if cell.contender in running else of_starts
                figures = words.percent(_spread(own.values())) + _outlier(own, summary.run_times_us)
                listed.append(At(summary.label, title, figures))
    more = evidence.more
    by_mean = all(summary.latency_us == summary.mean_us for summary in summaries.values())
    several = len({cell.contender for cell in summaries}) > 1
    if shared:
        yield SharedScatter(tuple(shared), more)
    measure = "mean" if by_mean else "typical"
    if of_starts:
        yield StartsDiffer(tuple(of_starts), measure, several, more)
    if of_servers:
        yield TimesDiffer(tuple(of_servers), measure, several, more)
    if of_twins:
        yield TwinsDiffer(tuple(of_twins), more)


def _is_explained(cell: Cell, common: Mapping[int, float], evidence: Evidence) -> bool:
    """Return whether its permutations alone may explain how a cell's blocks vary.

    An F test at 5 % of the blocks, without what all contenders of a block have in common. What took
    no turns has no permutations that could explain anything.
    """
    metric = time_metric(evidence.study)
    turns = evidence.values.turns.get(cell, {})
    logs = [
        sessions[0].logs(metric, cell) - math.log(common.get(block, 1.0))
        for block, sessions in turns.items()
    ]
    logs = [each for each in logs if np.count_nonzero(np.isfinite(each)) > 1]
    return len(logs) > 1 and variance_components(logs).p_no_difference >= SIGNIFICANCE


def common_factors(summaries: Summaries, running: Collection[str]) -> dict[int, float]:
    """Return, by block, the change of time that all servers of a setting have in common.

    It is the change of the server that changed least, relative to its median block; 1 if some were
    faster and some slower, or if there is one server only. A server that wirelab did not start is
    the same one as its twin.
    """
    servers = {
        replace(cell, twin=cell.twin and cell.contender not in running) for cell in summaries
    }
    changes: dict[int, list[float]] = {}
    for summary in summaries.values():
        middle = float(np.median(np.log(list(summary.run_times_us.values()) or [1.0])))
        for block, time in summary.run_times_us.items():
            changes.setdefault(block, []).append(math.log(time) - middle)
    return {
        block: math.exp(_least(logs)) if len(servers) > 1 and len(logs) > 1 else 1.0
        for block, logs in changes.items()
    }


def _least(changes: Sequence[float]) -> float:
    """Return the change that is closest to 0; 0 if they have different signs."""
    agree = min(changes) > 0 or max(changes) < 0
    return min(changes, key=abs) if agree else 0.0


def _both(first: str, more: str) -> str:
    return f"{first}, and {more}" if more else first


def _differs_from_twin(cell: Cell, summaries: Summaries, running: Collection[str]) -> bool:
    """Return whether the ratio to the same running server differs between blocks."""
    ratios = _ratios_to_twin(cell, summaries) if cell.contender in running else []
    return _spread(ratios) > SCATTER


def _ratios_to_twin(cell: Cell, summaries: Summaries) -> list[float]:
    """Return the ratio of a cell's times to those of its twin; empty without one."""
    twin = summaries.get(replace(cell, twin=not cell.twin))
    if twin is None:
        return []
    times, others = summaries[cell].run_times_us, twin.run_times_us
    return [times[block] / others[block] for block in times.keys() & others.keys()]


def _spread(values: Collection[float]) -> float:
    """Return the standard deviation over the mean; 0 if there are fewer than two."""
    array = np.array(list(values))
    return float(array.std(ddof=1) / array.mean()) if len(array) > 1 else 0.0


def _outlier(own: Mapping[int, float], times: Mapping[int, float]) -> str:
    """Name the block without which the others would scatter less than a third as much, if any.

    `own` are the `times` without what all contenders of a block have in common.
    """
    middle = float(np.median(list(own.values())))
    far = max(own, key=lambda block: abs(own[block] - middle))
    others = [time for block, time in own.items() if block != far]
    if len(own) < MINIMUM_BLOCKS or _spread(others) > _spread(own.values()) / 3:
        return ""
    rest = [time for block, time in times.items() if block != far]
    low, high = words.duration(min(rest)), words.duration(max(rest))
    return (
        f"; block {far} took {words.duration(times[far])}, "
        f"the {len(rest)} others between {low} and {high}"
    )
