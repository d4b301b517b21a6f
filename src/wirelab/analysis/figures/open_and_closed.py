"""Open and closed load side by side: the same workload with clients that wait or do not wait.

With clients that wait, the server sets the pace: the slower it is, the fewer requests it gets.
Requests that arrive at the same rate for all contenders show what the same demand costs with each.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from wirelab.analysis.model import ContenderRow, Setting
from wirelab.analysis.settings import load_label
from wirelab.analysis.values import RunValues
from wirelab.bundle import PilotRecord
from wirelab.planning.schedule import Schedule
from wirelab.statistics import Outcome
from wirelab.study import Cell, ClosedLoad, Load, OpenLoad, Study
from wirelab.terminal import words


@dataclass(frozen=True, slots=True)
class OpenRow:
    """One contender in both views, with its maximum throughput in transactions per second."""

    closed: ContenderRow
    open: ContenderRow
    capacity_per_s: float | None


@dataclass(frozen=True, slots=True)
class OpenView:
    """One workload in one place under both loads. Rows are sorted by open load, cheapest first.

    `rate_per_s` is the rate for every contender, `share` is the rate as a share of the smallest
    capacity; None if the study sets the rate itself.
    """

    title: str
    closed_load: str
    open_load: str
    rate_per_s: float
    share: float | None
    slowest: str | None
    rows: tuple[OpenRow, ...]
    sentence: str


def open_views(
    study: Study,
    settings: Sequence[Setting],
    pilot: Sequence[PilotRecord],
    values: RunValues,
    schedule: Schedule,
) -> tuple[OpenView, ...]:
    """Pair every setting of an open load with that of the closed load with the most clients."""
    views = []
    for closed, opened in _couples(study, settings):
        offered = values.column(opened.rows[0].summary.cell, "offered_rate_per_s")
        if offered:
            rate_per_s = float(np.mean(list(offered.values())))
            compared = _compared(opened, pilot, schedule)
            views.append(_view(study, closed, opened, compared, rate_per_s))
    return tuple(views)


def _couples(study: Study, settings: Sequence[Setting]) -> Iterator[tuple[Setting, Setting]]:
    for opened in settings:
        if not isinstance(_load(study, opened), OpenLoad) or opened.control:
            continue
        beside = [
            (load.clients, setting)
            for setting in settings
            if isinstance(load := _load(study, setting), ClosedLoad)
            and _place(setting) == _place(opened)
        ]
        if beside:
            yield max(beside, key=lambda pair: pair[0])[1], opened


def _title_without_load(study: Study, setting: Setting) -> str:
    """Name a setting without its load: by everything else that varies."""
    load = load_label(study, setting.rows[0].summary.cell.load)
    return setting.title.replace(f" · {load}", "")


def _compared(
    opened: Setting, pilot: Sequence[PilotRecord], schedule: Schedule
) -> list[PilotRecord]:
    """Return the capacities under a setting's load of all places that its blocks compare."""
    own = {row.summary.cell for row in opened.rows}
    loads = {cell.load for cell in own}
    cells = {cell for block in schedule.blocks if own & {*block.cells} for cell in block.cells}
    return [each for each in pilot if each.cell in cells and each.cell.load in loads]


def _named(cell: Cell, opened: Setting) -> str:
    """Name a cell that is compared with those of a setting, with its place if that is another."""
    labels = {row.summary.cell.contender: row.summary.label for row in opened.rows}
    name = labels.get(cell.contender, cell.contender)
    here = opened.rows[0].summary.cell
    return name if cell.place == here.place else f"{name} ({cell.place})"


def _view(
    study: Study,
    closed: Setting,
    opened: Setting,
    pilot: Sequence[PilotRecord],
    rate_per_s: float,
) -> OpenView:
    load = _load(study, opened)
    waiting = {row.summary.cell.contender: row for row in closed.rows}
    cells = {row.summary.cell for row in opened.rows}
    capacities = {r.cell.contender: r.throughput_per_s for r in pilot if r.cell in cells}
    slowest = min(pilot, key=lambda each: each.throughput_per_s, default=None)
    return OpenView(
        title=_title_without_load(study, opened),
        closed_load=closed.load,
        open_load=opened.load,
        rate_per_s=rate_per_s,
        share=load.share_of_capacity if isinstance(load, OpenLoad) else None,
        slowest=_named(slowest.cell, opened) if slowest else None,
        rows=tuple(
            OpenRow(waiting[name], row, capacities.get(name))
            for row in opened.rows
            if (name := row.summary.cell.contender) in waiting
        ),
        sentence=_sentence(closed, opened),
    )


def _sentence(closed: Setting, opened: Setting) -> str:
    """Describe whether both views order the contenders alike, as far as there is an order."""
    orders = [_ordered_pairs(setting) for setting in (closed, opened)]
    turned = [pair for pair in orders[0] if (pair[1], pair[0]) in orders[1]]
    if turned:
        pairs = words.listed(f"{faster} before {slower}" for faster, slower in turned)
        return f"The order reverses: the closed loop has {pairs}, the open loop the opposite"
    if not any(orders):
        return "Neither view distinguishes the contenders"
    both = len(orders[0] & orders[1])
    return (
        f"No pair reverses: of {words.plural(len(opened.pairs), 'pair')}, the closed loop orders"
        f" {len(orders[0])}, the open loop {len(orders[1])}, and both order {both}"
    )


def _ordered_pairs(setting: Setting) -> set[tuple[str, str]]:
    """Return the pairs that a verdict orders, as (faster, slower)."""
    ordered = set()
    for pair in setting.pairs:
        names = (pair.a_label, pair.b_label)
        if pair.verdict and pair.verdict.outcome is Outcome.FASTER:
            ordered.add(names)
        elif pair.verdict and pair.verdict.outcome is Outcome.SLOWER:
            ordered.add(names[::-1])
    return ordered


def _load(study: Study, setting: Setting) -> Load:
    return study.loads[setting.rows[0].summary.cell.load]


def _place(setting: Setting) -> Cell:
    return replace(setting.rows[0].summary.cell, contender="", load="", twin=False)
