"""Which cells make a curve over the number of clients, and what such curves are called."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from wirelab.analysis.settings import load_label, varying_levels
from wirelab.study import Cell, ClosedLoad, Factor, Study
from wirelab.terminal import words


def over_clients(study: Study, cells: Iterable[Cell]) -> list[Mapping[Cell, int]]:
    """Group cells that differ in contender and number of clients only; each with that number."""
    groups: dict[tuple[Cell, tuple[str, ...]], dict[Cell, int]] = {}
    for cell in cells:
        load = study.loads[cell.load]
        if isinstance(load, ClosedLoad):
            key = (replace(cell, contender="", load=""), tuple(_manner(load)))
            groups.setdefault(key, {})[cell] = load.clients
    return list(groups.values())


def curve_title(study: Study, cell: Cell, cells: Sequence[Cell], over: Factor) -> str:
    """Name a curve over the levels of a factor: its workload, and what varies besides it.

    The load is named, too; over loads, only what clients do besides waiting for answers.
    """
    load = study.loads[cell.load]
    if over != "load":
        named = [load_label(study, cell.load)]
    else:
        named = list(_manner(load)) if isinstance(load, ClosedLoad) else []
    levels = varying_levels(study, cell, cells, without=("load", over))
    return " · ".join((study.workloads[cell.workload].heading, *levels, *named))


def _manner(load: ClosedLoad) -> Iterator[str]:
    """Describe how clients send, unless each keeps its own connection."""
    if not load.reuse_connections:
        yield "a new connection for every request"
    if load.connections is not None:
        yield f"{words.plural(load.connections, 'connection')} for all"
    if load.think_time_us:
        yield f"{words.duration(load.think_time_us)} of think time"
