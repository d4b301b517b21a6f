"""Stand up what the tests need by means of the laboratory: a store with the world, contenders."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import httpx
import psycopg
from psycopg import sql

from tests.support import standing as support
from tests.support.filling import refill
from tests.support.plain_http import client_of
from tests.support.statements import StatementCounter, counting
from tests.university.contenders.world import TABLES, world
from wirelab.domain.dataset import Dataset
from wirelab.domain_file import load_domain
from wirelab.lab.contenders.contender import Contender, load_contenders
from wirelab.lab.contenders.running import RunningContender
from wirelab.lab.stores.open_store import open_store
from wirelab.lab.stores.store import Database

UNIVERSITY = load_domain("university")
ALL_CONTENDERS = load_contenders(UNIVERSITY)
CONTENDERS = {
    name: contender
    for name, contender in ALL_CONTENDERS.items()
    if not contender.variant_of and contender.address is None
}
"""The contenders, without variants, that wirelab starts."""
ONE_OF_EACH_STACK = set({each.stack: name for name, each in CONTENDERS.items()}.values())
"""A stack has one executable."""
VARIANTS = {name: contender for name, contender in ALL_CONTENDERS.items() if contender.variant_of}
OF_THE_DOMAIN = [name for name, contender in CONTENDERS.items() if not contender.dialect]
"""The contenders whose schema is the domain's own."""
INDEXES = "SELECT indexname FROM pg_indexes WHERE schemaname = 'public'"

Connection = psycopg.Connection[tuple[object, ...]]


class Client:
    """Asks as the original benchmark does: with the text of a query and nothing else."""

    def __init__(self, http: httpx.Client, path: str) -> None:
        self.http = http
        self.path = path

    def response(self, query: str, **variables: object) -> dict[str, Any]:
        """Return the whole response."""
        request = {"query": query, "variables": variables} if variables else {"query": query}
        return cast("dict[str, Any]", self.http.post(self.path, json=request).json())

    def data(self, query: str, **variables: object) -> dict[str, Any]:
        """Return the data of a response without errors."""
        response = self.response(query, **variables)
        assert "errors" not in response, response["errors"]
        return cast("dict[str, Any]", response["data"])


@dataclass(frozen=True)
class Standing:
    """A running contender that the tests can ask, and whose statements they can count."""

    running: RunningContender
    client: Client
    counter: StatementCounter

    def count(self, query: str) -> int:
        """Return how many statements a query without errors takes."""
        self.counter.take()
        self.client.data(query)
        return self.counter.take()


@contextmanager
def running_store(folder: Path) -> Iterator[Database]:
    """Run PostgreSQL with the tables of the domain and the rows of the world."""
    for table in UNIVERSITY.data.tables:
        (folder / f"{table}.csv").touch()
    with open_store("postgresql", log_path=folder / "log") as store:
        state = next(iter(UNIVERSITY.states))
        store.prepare(UNIVERSITY, state, Dataset(UNIVERSITY, 0, 0, folder))
        database = store.restore(state, "tests").database
        with psycopg.connect(database.url, autocommit=True) as connection:
            insert_world(connection)
        yield database


def insert_world(connection: Connection) -> None:
    """Fill the empty tables with the rows of the world."""
    tables = world()
    for table in TABLES:
        rows = tables[table]
        values = sql.SQL(", ").join(sql.Placeholder() * len(rows[0]))
        statement = sql.SQL("INSERT INTO {} VALUES ({})").format(sql.SQL(table), values)
        connection.cursor().executemany(statement, rows)


@contextmanager
def rows_replaced(store: Database, state: str, rows: Dataset) -> Iterator[None]:
    """Have the rows and indexes of a state instead of the world, under running contenders."""
    with psycopg.connect(store.url, autocommit=True) as connection:
        indexes = {name for (name,) in connection.execute(INDEXES)}
        refill(store, rows)
        if UNIVERSITY.states[state].indexed:
            description = UNIVERSITY.stores.postgresql
            assert description is not None
            assert description.index_file is not None
            connection.execute(sql.SQL(description.index_file.read_text()))
            connection.execute("ANALYZE")
        try:
            yield
        finally:
            for (name,) in connection.execute(INDEXES).fetchall():
                if name not in indexes:
                    connection.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(name)))
            connection.execute(sql.SQL("TRUNCATE {}").format(sql.SQL(", ".join(TABLES))))
            insert_world(connection)


@contextmanager
def standing(contender: Contender, store: Database, log: Path) -> Iterator[Standing]:
    """Run a contender for as long as the block lasts, with a counter between it and the store."""

    def ready(address: str) -> None:
        with client_of(address) as http:
            assert Client(http, contender.path).data("{ __typename }") == {"__typename": "Query"}

    with (
        counting(store.url) as counter,
        support.standing(contender, ready, replace(store, url=counter.url), log) as running,
        client_of(running.address) as http,
    ):
        yield Standing(running, Client(http, contender.path), counter)


def with_environment(name: str, **more: str) -> Contender:
    """Return a contender with other settings in its environment."""
    contender = CONTENDERS[name]
    return replace(contender, environment={**contender.environment, **more})
