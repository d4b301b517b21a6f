"""Capacities for people: a table in a terminal, and Markdown."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from wirelab import words
from wirelab.capacity.judging import Against, Capacities, Overloaded, Sustained
from wirelab.capacity.record import CapacityRecord
from wirelab.report.markdown import cell_text
from wirelab.statistics import Interval

HEADINGS = ("contender", "sustains a second", "95 %", "ratio", "95 %", "verdict")
OVERLOAD = ("contender", "asked for", "in time", "failed", "never sent", "recovery")


def terminal(record: CapacityRecord, found: Capacities) -> RenderableType:
    """Show what was found in a terminal."""
    parts: list[RenderableType] = [Text(sentence(record)), Text()]
    parts.append(_table(HEADINGS, rows(found)))
    overload = list(overload_rows(found))
    if overload:
        parts += [Text(), _table(OVERLOAD, overload)]
    parts += [Text(f"caution: {text}", style="dim") for text in found.cautions]
    return Group(*parts)


def markdown(record: CapacityRecord, found: Capacities) -> str:
    """Render what was found for a wiki; text of others cannot become markup."""
    lines = ["# Capacity", "", cell_text(sentence(record)), ""]
    lines += _lines(HEADINGS, rows(found))
    overload = list(overload_rows(found))
    if overload:
        lines += ["", "## Overload", "", *_lines(OVERLOAD, overload)]
    if found.cautions:
        lines += ["", "## Cautions", ""]
        lines += [f"* {cell_text(text)}" for text in found.cautions]
    return "\n".join(lines) + "\n"


def sentence(record: CapacityRecord) -> str:
    """Say what was measured."""
    blocks = words.plural(len(record.blocks), "block")
    return (
        f"{record.operation}: the rate at which half of the trials keep {record.objective}, over"
        f" {record.connections} connections, in {blocks}"
    )


def rows(found: Capacities) -> Iterator[tuple[str, ...]]:
    """Yield a row for each contender: what it sustains, and that over the baseline's."""
    against = {it.contender: it for it in found.against}
    for each in found.sustained:
        yield (*_own(each), *_beside(against.get(each.contender)))


def overload_rows(found: Capacities) -> Iterator[tuple[str, ...]]:
    """Yield a row for each contender and overload."""
    for each in found.sustained:
        for overload in each.overload:
            yield (each.contender, *_overloaded(overload))


def _own(each: Sustained) -> tuple[str, str, str]:
    rate = words.MISSING if each.rate is None else words.significant(each.rate)
    return each.contender, rate, _between(each.interval)


def _beside(against: Against | None) -> tuple[str, str, str]:
    if against is None:
        return "", "", ""
    return words.times(against.ratio), words.between(against.interval), against.words


def _between(interval: Interval | None) -> str:
    if interval is None:
        return ""
    return f"[{words.significant(interval.low)}, {words.significant(interval.high)}]"


def _overloaded(each: Overloaded) -> tuple[str, ...]:
    failed = words.percent(each.failed_share)
    if each.failed:
        failed += f" ({', '.join(each.failed)})"
    recovery = "not in 10 s" if each.recovery_s is None else words.duration(1e6 * each.recovery_s)
    return (
        f"{each.times:g} times",
        f"{words.percent(each.good_share)} of its capacity",
        failed,
        words.percent(each.never_sent_share),
        recovery,
    )


def _table(
    headings: Sequence[str], rows: Iterator[tuple[str, ...]] | list[tuple[str, ...]]
) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in headings:
        table.add_column(heading)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table


def _lines(
    headings: Sequence[str], rows: Iterator[tuple[str, ...]] | list[tuple[str, ...]]
) -> Iterator[str]:
    yield f"| {' | '.join(headings)} |"
    yield f"|{'---|' * len(headings)}"
    for row in rows:
        yield f"| {' | '.join(map(cell_text, row))} |"
