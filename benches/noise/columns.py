"""Columns: the engine's rate with another request each time, as `{column}` makes them of a table.

Two targets at one null server: one request again and again, and as many different requests as
`wirelab-load` prepares of a table, all equally long. They take turns in slices in random order. The
ratio of a round is paired, so that a machine that slows down slows both down.
"""

from collections.abc import Iterator

from numpy.random import PCG64, Generator

from benches.noise.conditions import Condition, condition
from benches.noise.null_target import CLIENTS, at_null_server, cpu_us, rate_per_s, turns

ROWS = 10_000
"""The default number of requests that `wirelab-load` prepares."""


def try_columns(name: Condition, rounds: int, seed: int) -> Iterator[dict[str, object]]:
    """Measure so many rounds with one client and with many; yield each as it ends."""
    random = Generator(PCG64(seed))
    paths = [f"/items/{row:06}" for row in range(ROWS)]
    with condition(name, seed):
        for clients in CLIENTS:
            with at_null_server([paths[:1], paths], clients) as engine:
                for number in range(rounds):
                    rows = engine.slices(turns(random))
                    one = [row for row in rows if row.target == 0]
                    column = [row for row in rows if row.target == 1]
                    yield {
                        "clients": clients,
                        "round": number,
                        "one_rate_per_s": rate_per_s(one),
                        "column_rate_per_s": rate_per_s(column),
                        "one_us": cpu_us(one),
                        "column_us": cpu_us(column),
                    }
