"""Stand up what the tests need by means of the laboratory: a shop in a store, a contender."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from tests.support.standing import standing
from wirelab.domain import Dataset
from wirelab.domain_file import load_domain
from wirelab.experiment.codecs import Codecs
from wirelab.lab.contender import load_contenders
from wirelab.lab.running import RunningContender
from wirelab.lab.store import Database

SHOP = load_domain("shop")
CONTENDERS = load_contenders(SHOP)
CODECS = Codecs(SHOP, CONTENDERS)
OWN = [name for name, contender in CONTENDERS.items() if not contender.variant_of]
"""Without those that differ in a setting."""

ROWS = 1000
STATE = "small"


@contextmanager
def running(
    name: str, store: Database, log: Path, port: int | None = None
) -> Iterator[RunningContender]:
    """Run a contender, on a free port if no other is given, for as long as the block lasts."""

    def ready(address: str) -> None:
        CODECS.check_ready(name, address)

    with standing(CONTENDERS[name], ready, store, log, port) as running:
        yield running


def fill_again(database: Database, dataset: Dataset) -> None:
    """Replace all rows by the generated ones, and the next ids by the first, for who is connected.

    Restoring a store would end the connections of running contenders.
    """
    description = SHOP.stores.postgresql
    assert description is not None
    with psycopg.connect(database.url) as connection:
        found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        tables = ", ".join(name for (name,) in found)
        connection.execute(f"TRUNCATE {tables} RESTART IDENTITY".encode())
        for table, statement in description.copy_statements.items():
            with connection.cursor().copy(statement.encode()) as copy:
                copy.write(dataset.csv_paths[table].read_bytes())


def basket(row: dict[str, Any], **other: Any) -> dict[str, Any]:
    """Return the parameters of a checkout from a generated order, with some of them others."""
    return {
        "token": row["token"],
        "address_id": row["address_id"],
        "lines": row["basket"],
        "card_number": row["card_number"],
    } | other
