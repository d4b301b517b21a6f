"""States of the embedded PostgreSQL that its server refuses to create."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.wording import raises_worded
from wirelab.domain.dataset import Dataset
from wirelab.inputs.problems import ProblemsError
from wirelab.lab.stores.postgresql import PostgresqlStore
from wirelab.lab.stores.postgresql_server import start_postgresql


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresqlStore]:
    with start_postgresql(log_path=tmp_path_factory.mktemp("postgresql") / "log") as server:
        yield server


@pytest.mark.parametrize(
    ("schema", "index", "copying"),
    [
        ("CREATE TABLE games (\n  id txt\n)", "", ""),
        ("", "CREATE INDEX ON game (id)", ""),
        ("", "", "COPY gams FROM STDIN"),
        ("", "", "COPY games (id, documents) FROM STDIN (FORMAT csv)"),
        ("CREATE TABLE games (id text, document jsonb, same int DEFAULT 1 UNIQUE)", "", ""),
        ("", "CREATE UNIQUE INDEX ON games ((document IS NULL))", ""),
        ("", "", "COPY games (id) FROM STDIN (FORMAT csv)"),
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
) -> None:
    with raises_worded(ProblemsError):
        prepare(store, hundred, tmp_path, schema=schema, index=index, copying=copying)


@pytest.mark.parametrize(
    "rows",
    [
        b"a\n",
        b"document,id\n",
        b"a,{}\nb,c\n",
        b'a,{}\nb,"{""c"": NaN}"\n',
        b'a,"{""c"": NaN}"\n',
        b"a,\n",
        b"\xff,{}\n",
    ],
)
def test_only_errors_about_columns_or_a_header_recall_their_order(
    store: PostgresqlStore, hundred: Dataset, tmp_path: Path, rows: bytes
) -> None:
    (tmp_path / "game.csv").write_bytes(rows)

    with raises_worded(ProblemsError):
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
