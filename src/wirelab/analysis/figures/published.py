"""The paper's tables, with the measured value beside every printed figure."""

from collections.abc import Mapping, Sequence

from wirelab.analysis.cells import measured
from wirelab.analysis.model import Measured, PublishedRow, PublishedTable
from wirelab.claims import Values
from wirelab.study import FACTORS, METRICS, Cell, Factor, Study


def published_tables(
    study: Study,
    cells: Sequence[Cell],
    values: Values,
    protocols: Mapping[str, str],
    labels: Mapping[str, str],
) -> tuple[PublishedTable, ...]:
    """Match each row of each published table with its cell."""
    tables = []
    for table in study.published.tables:
        columns = [name for name in table.columns if name in METRICS]
        figures = [row for row in study.published.figures if row.source == table.source]
        varying = [f for f in FACTORS if len({figure.at.get(f) for figure in figures}) > 1]
        naming = varying or ["contender"]  # a table of one row
        rows = []
        for figure in figures:
            cell = next((c for c in cells if not c.twin and figure.belongs_to(c)), None)
            rows.append(
                PublishedRow(
                    label=" · ".join(
                        _level_title(factor, figure.at[factor], study, labels)
                        for factor in naming
                        if factor in figure.at
                    ),
                    protocol=protocols.get(figure.at.get("contender", "")),
                    published=tuple(figure.values[name] for name in columns),
                    measured=tuple(_measured(name, cell, values) for name in columns),
                )
            )
        metrics = tuple(METRICS[name] for name in columns)
        tables.append(PublishedTable(table.source, table.title, metrics, tuple(rows)))
    return tuple(tables)


def _level_title(factor: Factor, level: str, study: Study, labels: Mapping[str, str]) -> str:
    if factor == "contender":
        return labels.get(level, level)
    return study.workloads[level].title if factor == "workload" else level


def _measured(metric: str, cell: Cell | None, values: Values) -> Measured | None:
    found = list(values(metric, cell).values()) if cell else []
    return measured(found) if found else None
