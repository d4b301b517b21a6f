"""Detect writes to a PostgreSQL database by the server's counters for each database.

The position of the write-ahead log is that of the whole server: with several working databases, one
contender's inserts would look like a change of all.
"""

import time
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from wirelab.lab.stores.postgresql_connection import Connection

OLDEST_VERSION = 150000
"""Older servers collect their counters in a separate process, with a delay."""
PATIENCE_S = 0.5
"""Time limit for remaining connections to end; a server detects the end of a client late."""

_LOOK = """
SELECT database.oid::bigint,
       counters.tup_inserted + counters.tup_updated + counters.tup_deleted,
       (SELECT coalesce(sum(last_value), 0)::text FROM pg_sequences),
       concat_ws(' ', counters.stats_reset, (SELECT stats_reset FROM pg_stat_bgwriter)),
       (SELECT count(*) FROM pg_stat_activity AS other
         WHERE other.datid = database.oid AND other.pid <> pg_backend_pid()),
       current_setting('track_counts') = 'on'
  FROM pg_database AS database
  JOIN pg_stat_database AS counters ON counters.datid = database.oid
 WHERE database.datname = current_database()
"""


@dataclass(frozen=True, slots=True)
class Mark:
    """A value that differs after a database has been written to.

    It counts written rows, including those of catalogues (new tables, TRUNCATE) and of transactions
    that are rolled back. Vacuuming and pruning are not counted, since reads can cause them.
    """

    oid: int
    rows_written: int
    sequences: str
    counters_reset: str
    """The counters restart at zero after a crash."""


class InUse(Enum):
    """Another connection remains, whose rows the server may not have counted yet."""

    IN_USE = auto()


IN_USE: Final = InUse.IN_USE


def read_mark(connection: Connection) -> Mark | InUse | None:
    """Read the mark of the connected database; None if the server does not count."""
    deadline = time.monotonic() + PATIENCE_S
    while connection.info.server_version >= OLDEST_VERSION:
        row = connection.execute(_LOOK).fetchone()
        if row is None or not row[5]:
            break
        if row[4] == 0:
            return Mark(*row[:4])
        if time.monotonic() > deadline:
            return IN_USE
        time.sleep(0.01)
    return None
