"""Give a store of running contenders other rows, instead of another store with other contenders."""

import psycopg
from psycopg import sql

from wirelab.domain.dataset import Dataset
from wirelab.lab.stores.store import Database


def refill(store: Database, dataset: Dataset) -> None:
    """Make the generated rows the content of a PostgreSQL store, and the next ids the first ones.

    Restoring a state would end the connections of running contenders.
    """
    description = dataset.domain.stores.postgresql
    assert description is not None
    with psycopg.connect(store.url) as connection, connection.cursor() as cursor:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        names = [sql.Identifier(name) for (name,) in tables]
        cursor.execute(sql.SQL("TRUNCATE {} RESTART IDENTITY").format(sql.SQL(", ").join(names)))
        for table, statement in description.copy_statements.items():
            with cursor.copy(sql.SQL(statement)) as copy:
                copy.write(dataset.csv_paths[table].read_bytes())
        cursor.execute("ANALYZE")
