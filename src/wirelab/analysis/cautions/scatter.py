"""Times that differ between blocks: for all contenders, for one server, or for one start of it."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from wirelab.analysis.model import Caution, CellSummary
from wirelab.analysis.settings import setting_key
from wirelab.statistics import MINIMUM_BLOCKS
from wirelab.study import Cell
from wirelab.terminal import words

SCATTER = 0.10
"""A smaller standard deviation between blocks, as a share of the mean, is not mentioned."""

Summaries = Mapping[Cell, CellSummary]


def scatter_cautions(
    summaries: Summaries, titles: Mapping[Cell, str], running: Collection[str], *, more: str
) -> Iterator[Caution]:
    """Report times that differ between blocks, by what differs.

    `running` are the contenders that wirelab did not start. `more` advises how to measure more; ""
    if that does not help.
    """
    settings: dict[str, dict[Cell, CellSummary]] = {}
    for cell, summary in summaries.items():
        settings.setdefault(setting_key(cell), {})[cell] = summary
    shared: list[str] = []
    of_starts: list[str] = []
    of_servers: list[str] = []
    of_twins: list[str] = []
    for members in settings.values():
        common = common_factors(members, running)
        title = titles[next(iter(members))]
        if _spread(common.values()) > SCATTER:
            shared.append(f"“{title}” ({_farthest(common)})")
        apart = {cell for cell in members if _differs_from_twin(cell, members, running)}
        of_twins += [
            f"“{title}” ({words.percent(_spread(_ratios_to_twin(cell, members)))})"
            for cell in apart
            if cell.twin
        ]
        for cell, summary in members.items():
            own = {block: time / common[block] for block, time in summary.run_times_us.items()}
            if _spread(own.values()) > SCATTER and cell not in apart:
                found = of_servers if cell.contender in running else of_starts
                scatter = words.percent(_spread(own.values()))
                outlier = _outlier(own, summary.run_times_us)
                found.append(f"{summary.label} at “{title}” ({scatter}{outlier})")
    yield from _shared(shared, more)
    yield from _own(summaries, of_starts, of_servers, more)
    yield from _twins(of_twins, more)


def common_factors(summaries: Summaries, running: Collection[str]) -> dict[int, float]:
    """Return, by block, the change of time that all servers of a setting have in common.

    It is the change of the server that changed least, relative to its median block; 1 if some were
    faster and some slower, or if there is one server only. A server that wirelab did not start is
    the same one as its twin.
    """
    servers = {replace(it, twin=it.twin and it.contender not in running) for it in summaries}
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


def _shared(found: Sequence[str], more: str) -> Iterator[Caution]:
    if found:
        yield Caution(
            "minor",
            "Some blocks were slower or faster for all contenders",
            f"{words.first_few(found)}. The speed of the machine may have changed. Contenders are"
            " compared within blocks, so this affects no comparison, only absolute times. What to"
            f" do about those: {_listed('end other programs', more)}",
        )


def _own(
    summaries: Summaries,
    of_starts: Sequence[str],
    of_servers: Sequence[str],
    more: str,
) -> Iterator[Caution]:
    by_mean = all(summary.latency_us == summary.mean_us for summary in summaries.values())
    measure = "mean" if by_mean else "typical"
    several = len({cell.contender for cell in summaries}) > 1
    remainder = ", without what all contenders of a block have in common" if several else ""
    for found, title, why in (
        (
            of_starts,
            "Starts of the same server differ a lot",
            "Each block starts the servers afresh" + (f". What to do: {more}" if more else ""),
        ),
        (
            of_servers,
            "Response times differ a lot between blocks",
            "wirelab did not restart these servers: they, their other load or their machines"
            f" changed meanwhile. What to do: {_listed('end what else uses them', more)}",
        ),
    ):
        if found:
            yield Caution(
                "minor",
                title,
                f"standard deviation of the {measure} response time between blocks, as a share of"
                f" it{remainder}: {words.first_few(found)}. {why}",
            )


def _twins(found: Sequence[str], more: str) -> Iterator[Caution]:
    if found:
        yield Caution(
            "minor",
            "The baseline and its twin differ within blocks",
            "standard deviation of the ratio of their times between blocks:"
            f" {words.first_few(found)}. Both are the same server in the same blocks, so changes of"
            " the server or the machine from block to block do not explain this. Each has its own"
            " connections, which may lead to different processes or hosts behind the address, or"
            f" too little was measured in a block. What to do: {f'{more}; ' if more else ''}if the"
            " address has several processes or hosts, measure one of them",
        )


def _listed(first: str, more: str) -> str:
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


def _farthest(common: Mapping[int, float]) -> str:
    """Name the block that differs most from the others for all contenders."""
    block = max(common, key=lambda each: abs(math.log(common[each])))
    bound = "at least" if common[block] > 1 else "at most"
    return (
        f"most in block {block}, in which each took {bound} {words.times(common[block])} the time"
        " of its median block"
    )


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
