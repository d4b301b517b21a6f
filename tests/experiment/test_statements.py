"""N+1 statements are named, at a server that has its store asked for every row by itself."""

from pathlib import Path

from tests.support.laboratory import measure
from wirelab.lab.stores.statement_log import StatementLog
from wirelab.verify.servers.symptoms import Symptom


def test_a_server_that_queries_row_by_row_is_named(study: Path) -> None:
    outcome = measure(study, "good", "chatty", design="bytes")
    (finding,) = (it for it in outcome.bundle.findings if it.symptom is Symptom.N_PLUS_1)

    assert (finding.contender, finding.operation) == ("chatty", "read")
    assert "10 times: SELECT value" in str(finding.reason)
    counted = {
        (row.contender, row.workload): row.statements
        for row in outcome.bundle.wire_records
        if row.transactions == 1
    }
    assert counted == {("good", "read"): 1, ("chatty", "read"): 11}


def test_statements_are_read_whole_and_without_values(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_text("2026-01-01 00:00:00.000 UTC [7] LOG:  statement: SELECT before\n")
    log = StatementLog(file)
    with file.open("a") as lines:
        lines.write(
            "2026-01-01 00:00:00.000 UTC [7] LOG:  statement: SELECT 'it''s',\n"
            "\t  12\n"
            "2026-01-01 00:00:00.000 UTC [7] LOG:  execute s0: SELECT $1\n"
            "2026-01-01 00:00:00.000 UTC [7] DETAIL:  Parameters: $1 = '...'\n"
            "2026-01-01 00:00:00.000 UTC [7] ERROR:  no such table\n"
            "2026-01-01 00:00:00.000 UTC [7] LOG:  execute <unnamed>: SELE"
        )

    assert log.take() == ["SELECT ?, ?", "SELECT $1"]
    with file.open("a") as lines:
        lines.write("CT 1\n")
    assert log.take() == ["SELECT ?"]
    assert log.take() == []
