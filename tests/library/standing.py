"""Stand up what the tests need by means of the laboratory: a store with our rows, a contender."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psycopg

from tests.library.clients import open_client
from tests.library.shelf import Row
from tests.support.standing import runner
from wirelab.domain.dataset import Dataset
from wirelab.domain_file import load_domain
from wirelab.lab.contenders.contender import load_contenders
from wirelab.lab.stores.open_store import open_store
from wirelab.lab.stores.store import Database

FIRST_COMPILER_ONLY = "-XX:TieredStopAtLevel=1"
"""The second one optimises what runs for long: it took almost half of these tests' CPU time."""

LIBRARY = load_domain("library")
CONTENDERS = {
    name: replace(
        contender, command=(contender.command[0], FIRST_COMPILER_ONLY, *contender.command[1:])
    )
    for name, contender in load_contenders(LIBRARY).items()
}


@contextmanager
def running_store(folder: Path) -> Iterator[Database]:
    """Run PostgreSQL with the tables of the domain, indexed and empty."""
    for table in LIBRARY.data.tables:
        (folder / f"{table}.csv").touch()
    with open_store("postgresql", log_path=folder / "log") as store:
        store.prepare(LIBRARY, "catalogue", Dataset(LIBRARY, 0, 0, folder))
        yield store.restore("catalogue", "tests").database


def fill(store: Database, tables: dict[str, list[Row]]) -> None:
    """Make these rows, and no others, the content of a store, under its running contenders."""
    with psycopg.connect(store.url) as connection, connection.cursor() as cursor:
        cursor.execute("TRUNCATE author, book")
        cursor.executemany(
            "INSERT INTO author (id, name, country) VALUES (%(id)s, %(name)s, %(country)s)",
            tables["author"],
        )
        cursor.executemany(
            "INSERT INTO book (id, author_id, title, year)"
            " VALUES (%(id)s, %(author_id)s, %(title)s, %(year)s)",
            tables["book"],
        )


running = runner(CONTENDERS, open_client)
