"""The paper's tables with what was measured here beside every printed figure."""

from collections.abc import Sequence

from wirelab.analysis.cells import measured
from wirelab.analysis.model import Measured, PublishedRow, PublishedTable
from wirelab.analysis.values import RunValues
from wirelab.bundle import ContenderRecord
from wirelab.study import FACTORS, METRICS, Cell, Figure, Study


def published_tables(
    study: Study,
    cells: Sequence[Cell],
    values: RunValues,
    contenders: dict[str, ContenderRecord],
) -> tuple[PublishedTable, ...]:
    """Set each row of each published table beside the cell that it speaks of."""
    tables = []
    for table in study.published.tables:
        columns = [name for name in table.columns if name in METRICS]
        rows = [
            _row(figure, columns, cells, values, contenders)
            for figure in study.published.figures
            if figure.source == table.source
        ]
        metrics = tuple(METRICS[name] for name in columns)
        tables.append(PublishedTable(table.source, table.title, metrics, tuple(rows)))
    return tuple(tables)


def _row(
    figure: Figure,
    columns: Sequence[str],
    cells: Sequence[Cell],
    values: RunValues,
    contenders: dict[str, ContenderRecord],
) -> PublishedRow:
    cell = next((c for c in cells if not c.twin and figure.belongs_to(c)), None)
    contender = contenders.get(figure.at.get("contender", ""))
    return PublishedRow(
        label=" · ".join(figure.at[factor] for factor in FACTORS if factor in figure.at),
        protocol=contender.protocol if contender else None,
        published=tuple(figure.values[name] for name in columns),
        measured=tuple(_measured(name, cell, values) for name in columns),
    )


def _measured(metric: str, cell: Cell | None, values: RunValues) -> Measured | None:
    found = list(values.values(metric, cell).values()) if cell else []
    return measured(found) if found else None
