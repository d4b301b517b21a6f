"""Tables: contenders side by side in one setting, the best first, with tie groups."""

import itertools
import math
from collections.abc import Collection, Mapping, Sequence

from wirelab.analysis.cells import time_metric, title_of
from wirelab.analysis.comparing import Comparer, same_setting
from wirelab.analysis.model import CellSummary, ComparedPair, ContenderRow, Setting, WireCost
from wirelab.analysis.wording import wording_of
from wirelab.statistics import RATE, Outcome, tie_groups
from wirelab.study import NO_NETWORK, NO_PROXY, Cell, Factor, Study

SETTING: tuple[Factor, ...] = ("store", "environment", "load", "proxy", "network")
"""What a setting is made of besides the workload."""


def build_settings(
    study: Study,
    cells: Sequence[Cell],
    summaries: Mapping[Cell, CellSummary],
    comparer: Comparer,
    wire: Sequence[WireCost],
) -> tuple[Setting, ...]:
    """Create one table for each combination of levels of all factors except the contender."""
    settings = []
    for members in _by_setting(cells):
        shown = [summaries[cell] for cell in members if cell in summaries]
        if shown:
            settings.append(_setting(study, cells, shown, comparer, wire))
    return tuple(settings)


def setting_key(cell: Cell) -> str:
    """Return a name for the setting of a cell that can be an anchor of a page."""
    levels = (cell.workload, cell.store, cell.environment, cell.load)
    between = (cell.proxy, cell.network)
    return "-".join((*levels, *(level for level in between if level not in {NO_PROXY, NO_NETWORK})))


def setting_title(study: Study, cell: Cell, cells: Sequence[Cell]) -> str:
    """Return a readable name for the setting of a cell: its workload, and what else varies."""
    title = study.workloads[cell.workload].heading
    return " · ".join((title, *varying_levels(study, cell, cells)))


def varying_levels(
    study: Study, cell: Cell, cells: Sequence[Cell], without: Collection[Factor] = ()
) -> list[str]:
    """Return the cell's levels of those factors of which several were measured.

    Those of `without` are left out. An emulated network is named in any case: a time says little
    without it.
    """
    return [
        load_label(study, cell.load) if factor == "load" else cell.level_title(factor)
        for factor in SETTING
        if factor not in without
        and (
            len({other.level(factor) for other in cells}) > 1
            or (factor == "network" and cell.network != NO_NETWORK)
        )
    ]


def load_label(study: Study, name: str) -> str:
    """Return a short name for a load: its title up to a comma, unless an earlier load has it."""
    title = study.loads[name].title
    short = title.partition(", ")[0]  # and not "10,000 users" up to its comma
    first = next(it for it, load in study.loads.items() if load.title.partition(", ")[0] == short)
    return short if first == name else title


def _by_setting(cells: Sequence[Cell]) -> list[list[Cell]]:
    groups: dict[str, list[Cell]] = {}
    for cell in cells:
        if not cell.twin:
            groups.setdefault(setting_key(cell), []).append(cell)
    return list(groups.values())


def _setting(
    study: Study,
    cells: Sequence[Cell],
    summaries: list[CellSummary],
    comparer: Comparer,
    wire: Sequence[WireCost],
) -> Setting:
    first = summaries[0].cell
    workload = study.workloads[first.workload]
    pairs = {
        (a.contender, b.contender): comparer.compare_pair(a, b)
        for a, b in itertools.permutations((summary.cell for summary in summaries), 2)
        if study.baseline in (a.contender, b.contender) or _are_compared(study, a, b)
    }
    summaries = _best_first(study, summaries, pairs)
    groups = _groups([summary.cell.contender for summary in summaries], pairs)
    rows = tuple(
        ContenderRow(
            summary=summary,
            is_baseline=summary.cell.contender == study.baseline,
            against_baseline=pairs.get((summary.cell.contender, study.baseline)),
            judged=_shown_comparison(study, summary.cell.contender, pairs),
            group=groups.get(summary.cell.contender),
            wire=next(
                (
                    cost
                    for cost in wire
                    if (cost.contender, cost.workload)
                    == (summary.cell.contender, summary.cell.workload)
                ),
                None,
            ),
        )
        for summary in summaries
    )
    return Setting(
        key=setting_key(first),
        workload=first.workload,
        title=setting_title(study, first, cells),
        store=first.store,
        environment=first.environment,
        load=study.loads[first.load].title,
        proxy=first.proxy,
        network=first.network,
        control=workload.control,
        judged=any(pair.verdict is not None for pair in pairs.values()),
        baseline_label=comparer.labels.get(study.baseline, study.baseline),
        reported_as=study.primary.reported_as,
        time_title=title_of(time_metric(study)),
        rows=rows,
        pairs=tuple(
            pair
            for (a, b), pair in pairs.items()
            if pair.verdict is not None and _is_later(study, a, b)
        ),
        compared=tuple(pairs.values()),
        resolution=next(
            (found for cell, found in comparer.noise.resolutions if same_setting(cell, first)), None
        ),
    )


def _are_compared(study: Study, a: Cell, b: Cell) -> bool:
    """Return whether a question compares two contenders, here or in other settings."""
    return any(
        {a.contender, b.contender} <= {*(each.where.levels("contender") or study.contenders)}
        for each in study.questions.values()
        if each.compare == "contender"
    )


def _is_later(study: Study, a: str, b: str) -> bool:
    return study.contenders.index(a) > study.contenders.index(b)


def _best_first(
    study: Study, summaries: Sequence[CellSummary], pairs: Mapping[tuple[str, str], ComparedPair]
) -> list[CellSummary]:
    """Sort by the ratio to the baseline, which is over common blocks, as verdicts are.

    A figure is over all blocks of a contender, of which others may have missed the slow ones. It
    decides where a ratio is missing.
    """
    wording = wording_of(study.primary)
    ratios = {a: pair.comparison.ratio for (a, b), pair in pairs.items() if b == study.baseline}
    if len(ratios) < len(summaries) - 1 or any(math.isnan(ratio) for ratio in ratios.values()):
        return sorted(summaries, key=wording.cost)
    return sorted(
        summaries,
        key=lambda summary: ratios.get(summary.cell.contender, 1.0),
        reverse=wording.direction is RATE,
    )


def _shown_comparison(
    study: Study, contender: str, pairs: Mapping[tuple[str, str], ComparedPair]
) -> ComparedPair | None:
    """Return the comparison that a contender is shown with, see `ContenderRow`."""
    against_baseline = pairs.get((contender, study.baseline))
    if contender == study.baseline or (against_baseline and against_baseline.verdict):
        return against_baseline
    asked = []
    for question in study.questions.values():
        named = question.where.levels("contender") or study.contenders
        if question.compare == "contender" and contender in named:
            earlier = study.contenders[: study.contenders.index(contender)]
            earlier_pairs = (pairs.get((contender, other)) for other in earlier if other in named)
            asked += [pair for pair in earlier_pairs if pair is not None]
    judged = (pair for pair in asked if pair.verdict)
    return next(judged, None) or next(iter(asked), against_baseline)


def _groups(order: Sequence[str], pairs: Mapping[tuple[str, str], ComparedPair]) -> dict[str, int]:
    """Return tie groups, from 1; none if the verdicts give no order, or nothing is decided."""
    verdicts = {names: pair.verdict for names, pair in pairs.items() if pair.verdict is not None}
    if all(verdict.outcome is Outcome.CANNOT_TELL for verdict in verdicts.values()):
        return {}
    groups = tie_groups(order, verdicts) or []
    return {name: number for number, group in enumerate(groups, start=1) for name in group}
