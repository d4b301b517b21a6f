"""The tables of a paper beside what was measured."""

from tests.statistics.constructed import known
from wirelab.analysis import Analysis


def test_published_tables_are_shown_beside_measurements(analysis: Analysis) -> None:
    tables = {table.source: table for table in analysis.paper.published}
    rows = {row.label: row for row in tables["Table 4"].rows}

    assert rows["REST · native"].published[0] == 2278
    assert rows["REST · container"].measured[0] is None
    measured = known(rows["REST · native"].measured[0])
    assert measured.interval is not None
    assert 1700 < measured.value < 1900
    single = next(row for row in tables["Table 7"].rows if row.label == "gRPC · fetch one game")
    assert single.measured[0] is not None
