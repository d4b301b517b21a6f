"""States of the embedded PostgreSQL that its server refuses to create."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from wirelab.domain.dataset import Dataset
from wirelab.inputs.problems import ProblemsError
from wirelab.lab.stores.postgresql import PostgresqlStore
from wirelab.lab.stores.postgresql_server import start_postgresql


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresqlStore]:
    with start_postgresql(log_path=tmp_path_factory.mktemp("postgresql") / "log") as server:
        yield server


@pytest.mark.parametrize(
    ("schema", "index", "copying", "expected"),
    [
        ("CREATE TABLE games (\n  id txt\n)", "", "", r"own\.sql:2: type \"txt\" does not exist$"),
        ("", "CREATE INDEX ON game (id)", "", r'own\.sql: relation "game" does not exist$'),
        (
            "",
            "",
            "COPY gams FROM STDIN",
            r'copy\.game: relation "gams" does not exist '
            r"\(hint: tables are games; did you mean 'games'\?\)$",
        ),
        (
            "",
            "",
            "COPY games (id, documents) FROM STDIN (FORMAT csv)",
            r'copy\.game: column "documents" of relation "games" does not exist '
            r"\(hint: columns of games are id, document; did you mean 'document'\?\)$",
        ),
        (
            "CREATE TABLE games (id text, document jsonb, same int DEFAULT 1 UNIQUE)",
            "",
            "",
            r"copy\.game: duplicate key .*; Key \(same\)=\(1\) already exists; COPY games, line 2; "
            r"the rows are in .*game\.csv \(hint: the generator must write each value of a unique",
        ),
        (
            "",
            "CREATE UNIQUE INDEX ON games ((document IS NULL))",
            "",
            r"own\.sql: could not create unique index .*; Key .* is duplicated \(hint: the gen",
        ),
        (
            "",
            "",
            "COPY games (id) FROM STDIN (FORMAT csv)",
            r"copy\.game: extra data.*; COPY games, line 1: .*game\.csv \(hint: .*no header\)$",
        ),
    ],
)
def test_statements_that_the_server_rejects_are_problems_of_their_file(
    store: PostgresqlStore,
    hundred: Dataset,
    tmp_path: Path,
    *,
    schema: str,
    index: str,
    copying: str,
    expected: str,
) -> None:
    with pytest.raises(ProblemsError, match=expected):
        prepare(store, hundred, tmp_path, schema=schema, index=index, copying=copying)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (b"a\n", r'missing data for column "document"; COPY .*no header\)$'),
        (b"document,id\n", r"invalid input syntax for type json; .*, line 1, .*no header\)$"),
        (b"a,{}\nb,c\n", r"invalid input syntax for type json; .*, line 2, .*\.csv$"),
        (b'a,{}\nb,"{""c"": NaN}"\n', r'Token "NaN" is invalid; .*, line 2, .*\.csv$'),
        (b'a,"{""c"": NaN}"\n', r'Token "NaN" is invalid; .*, line 1, .*\.csv$'),
        (b"a,\n", r'null value in column "document" .*, line 1.*\.csv$'),
        (b"\xff,{}\n", r"invalid byte sequence for encoding .*, line 1.*\.csv$"),
    ],
)
def test_only_errors_about_columns_or_a_header_recall_their_order(
    store: PostgresqlStore, hundred: Dataset, tmp_path: Path, rows: bytes, expected: str
) -> None:
    (tmp_path / "game.csv").write_bytes(rows)

    with pytest.raises(ProblemsError, match=f"(?s){expected}"):
        prepare(store, replace(hundred, folder=tmp_path), tmp_path)


def prepare(
    store: PostgresqlStore,
    dataset: Dataset,
    tmp_path: Path,
    *,
    schema: str = "",
    index: str = "",
    copying: str = "",
) -> None:
    """Create a state with another schema, index or COPY statement."""
    own = tmp_path / "own.sql"
    own.write_text(schema or index)
    description = dataset.domain.stores.postgresql
    assert description is not None
    changed = description.model_copy(
        update={
            **({"schema_files": (own,)} if schema else {}),
            **({"index_file": own} if index else {}),
            **({"copy_statements": {"game": copying}} if copying else {}),
        }
    )
    stores = dataset.domain.stores.model_copy(update={"postgresql": changed})
    domain = replace(
        dataset.domain,
        stores=stores,
        states={"broken": dataset.domain.states["hundred"].model_copy(update={"indexed": True})},
    )

    store.prepare(domain, "broken", dataset)
