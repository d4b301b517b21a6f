"""How throughput grows with users, and with the server's CPUs: the Universal Scalability Law."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from wirelab.analysis.cells import THROUGHPUT, measured
from wirelab.analysis.figures.curves import curve_title, over_clients
from wirelab.analysis.values import RunValues
from wirelab.statistics import ScalabilityFit, fit_scalability
from wirelab.study import (
    CAPACITY,
    CPU_COUNTS,
    METRICS,
    CapacityLoad,
    Cell,
    ClosedLoad,
    Factor,
    Study,
)
from wirelab.terminal import words

Over = Literal["clients", "server CPUs"]

LEAST_LEVELS = 4
"""The law has three parameters; one more level shows whether it fits."""


@dataclass(frozen=True, slots=True)
class ScalingLine:
    """One contender: its throughputs by level, and the fitted law."""

    label: str
    throughputs: Mapping[int, float]
    fit: ScalabilityFit | None
    why_not: str
    """Why the law cannot be fitted; "" if it can."""


@dataclass(frozen=True, slots=True)
class Scaling:
    """One workload in one place at several numbers of users, or of CPUs for the server."""

    title: str
    over: Over
    quantity: str
    """What grows: transactions per second, or requests per second within an objective."""
    levels: tuple[int, ...]
    lines: tuple[ScalingLine, ...]


def scalings(
    study: Study, cells: Sequence[Cell], values: RunValues, labels: Mapping[str, str]
) -> tuple[Scaling, ...]:
    """Fit the law over numbers of users and of CPUs, if a study has more than one."""
    metric = CAPACITY if study.metric == CAPACITY else THROUGHPUT
    counted = [cell for cell in cells if not cell.twin and cell in values.runs]
    groups: list[tuple[Over, Mapping[Cell, int]]] = [
        ("clients", members)
        for members in over_clients(study, counted)
        if len(set(members.values())) > 1
    ]
    groups += [("server CPUs", members) for members in _over_cpus(study, counted)]
    return tuple(
        Scaling(
            title=_title(study, next(iter(members)), cells, over),
            over=over,
            quantity=METRICS[metric].title,
            levels=tuple(sorted(set(members.values()))),
            lines=tuple(_lines(members, values, labels, metric)),
        )
        for over, members in groups
    )


def _over_cpus(study: Study, cells: Iterable[Cell]) -> list[Mapping[Cell, int]]:
    """Group cells that differ in contender and number of CPUs only; each with that number."""
    groups: dict[Cell, dict[Cell, int]] = {}
    for cell in cells:
        # At a given rate the throughput is that rate, whatever CPUs there are.
        is_limited = isinstance(study.loads[cell.load], ClosedLoad | CapacityLoad)
        if cell.environment in CPU_COUNTS and is_limited:
            key = replace(cell, contender="", environment="")
            groups.setdefault(key, {})[cell] = CPU_COUNTS[cell.environment]
    return list(groups.values())


def _title(study: Study, cell: Cell, cells: Sequence[Cell], over: Over) -> str:
    factor: Factor = "load" if over == "clients" else "environment"
    return f"{curve_title(study, cell, cells, factor)} · over {over}"


def _lines(
    members: Mapping[Cell, int], values: RunValues, labels: Mapping[str, str], metric: str
) -> Iterator[ScalingLine]:
    by_contender: dict[str, dict[int, float]] = {}
    for cell, level in sorted(members.items(), key=lambda item: item[1]):
        if found := list(values.values(metric, cell).values()):
            by_contender.setdefault(cell.contender, {})[level] = measured(found).value
    for name in labels:
        if throughputs := by_contender.get(name):
            fit, why_not = _fit(throughputs)
            yield ScalingLine(labels[name], throughputs, fit, why_not)


def _fit(throughputs: Mapping[int, float]) -> tuple[ScalabilityFit | None, str]:
    if len(throughputs) < LEAST_LEVELS:
        counted = words.plural(len(throughputs), "level")
        return None, f"{counted} measured: the law needs at least {LEAST_LEVELS}"
    return fit_scalability(list(throughputs), list(throughputs.values())), ""
