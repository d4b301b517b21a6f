"""How throughput grows with users, and with the server's CPUs: the Universal Scalability Law."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from wirelab import words
from wirelab.analysis.cells import measured
from wirelab.analysis.values import RunValues
from wirelab.statistics import ScalabilityFit, fit_scalability
from wirelab.study import (
    CAPACITY,
    CPU_COUNTS,
    METRICS,
    CapacityLoad,
    Cell,
    ClosedLoad,
    Study,
)

THROUGHPUT = "throughput_per_s"
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
    over: Literal["clients", "server CPUs"]
    quantity: str
    """What grows: transactions per second, or requests per second within an objective."""
    levels: tuple[int, ...]
    lines: tuple[ScalingLine, ...]


def scalings(
    study: Study, cells: Sequence[Cell], values: RunValues, labels: Mapping[str, str]
) -> tuple[Scaling, ...]:
    """Fit the law over numbers of users and of CPUs, if a study has more than one."""
    metric = CAPACITY if study.metric == CAPACITY else THROUGHPUT
    groups: dict[tuple[Literal["clients", "server CPUs"], Cell, str], dict[Cell, int]] = {}
    for cell in cells:
        if cell.twin or cell not in values.runs:
            continue
        load = study.loads[cell.load]
        bare = replace(cell, contender="")
        if isinstance(load, ClosedLoad):
            kind = f"{load.reuse_connections} {load.think_time_us} {load.connections}"
            key = replace(bare, load="")
            groups.setdefault(("clients", key, kind), {})[cell] = load.clients
        # At a given rate, the throughput is that rate, whatever the number of CPUs.
        if cell.environment in CPU_COUNTS and isinstance(load, ClosedLoad | CapacityLoad):
            key = replace(bare, environment="")
            groups.setdefault(("server CPUs", key, ""), {})[cell] = CPU_COUNTS[cell.environment]
    return tuple(
        Scaling(
            title=_title(study, place, over),
            over=over,
            quantity=METRICS[metric].title,
            levels=tuple(sorted(set(members.values()))),
            lines=tuple(_lines(members, values, labels, metric)),
        )
        for (over, place, _), members in groups.items()
        if len(set(members.values())) > 1 or over == "server CPUs"
    )


def _title(study: Study, place: Cell, over: str) -> str:
    title = words.capital(study.workloads[place.workload].title)
    load = [study.loads[place.load].title] if place.load else []
    return " · ".join((title, *load, f"over {over}"))


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
        return None, f"{counted} measured: the law needs {LEAST_LEVELS} at least"
    return fit_scalability(list(throughputs), list(throughputs.values())), ""
