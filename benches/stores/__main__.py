"""Copy prepared states for several contenders, and watch the idle servers.

`python -m benches.stores [--databases 6] [--rounds 3] [--idle-seconds 10]`. Prints what a copy
takes in time and disk, what it takes to find that nothing has changed, how both ways of copying
compare in PostgreSQL, and the CPU time that a server with idle databases uses.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

import psycopg
from pymongo import MongoClient

from wirelab.domain import Dataset
from wirelab.domain_file import load_domain
from wirelab.installation.programs import cache_folder
from wirelab.lab.processes.process import family, stopping_everything
from wirelab.lab.processes.process_table import cpu_clock_ns
from wirelab.lab.stores.open_store import open_store
from wirelab.lab.stores.postgresql import PostgresqlStore
from wirelab.lab.stores.store import Database, Store

SEED = 1
CONNECTIONS = 10
"""Idle connections that stay open to each database."""
SETTLE_S = 12.0
"""PostgreSQL's connections write down their counters, once, ten seconds after the last question."""
BURST_S = 0.05
"""As long as a contender's turn."""


@dataclass(frozen=True)
class Case:
    """A state of a domain in a store."""

    store: str
    domain: str
    state: str


CASES = (
    Case("postgresql", "games", "hundred"),
    Case("postgresql", "bank", "hundred_thousand"),
    Case("postgresql", "university", "scale_10"),
    Case("mongodb", "games", "hundred"),
)


def main() -> int:
    """Measure each case, and print as it goes."""
    parser = argparse.ArgumentParser(prog="benches.stores")
    parser.add_argument("--databases", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--idle-seconds", type=float, default=10.0)
    options = parser.parse_args()
    names = [f"contender {number}" for number in range(options.databases)]
    with stopping_everything(), tempfile.TemporaryDirectory(prefix="wirelab-bench-") as place:
        for kind in dict.fromkeys(case.store for case in CASES):
            with open_store(kind, log_path=Path(place) / "log") as store:
                print(store.title)
                for case in CASES:
                    if case.store == kind:
                        measure_copies(store, case, names, options.rounds)
                measure_idling(store, names, options.idle_seconds)
    return 0


def measure_copies(store: Store, case: Case, names: Sequence[str], rounds: int) -> None:
    """Print the cost of restoring a state for every contender."""
    domain = load_domain(case.domain)
    records = domain.states[case.state].records
    rows = Dataset.generate(domain, records, SEED, cache_folder())
    prepared = seconds(lambda: store.prepare(domain, case.state, rows))
    first = [store.restore(case.state, name).seconds for name in names]
    unchanged = [store.restore(case.state, name).seconds for name in names]
    copies: list[float] = []
    for _ in range(rounds):
        for name in names:
            write(store.restore(case.state, name).database)
        restored = [store.restore(case.state, name) for name in names]
        copies.extend(each.seconds for each in restored if each.copied)
    print(
        f"  {case.domain} {case.state}: prepared in {prepared:.2f} s, first copies"
        f" {shown(first)}, copies after writing {shown(copies)}, unchanged {shown(unchanged)},"
        f" {size(store, case.state, names[0]) / 1e6:.1f} MB of disk each"
    )
    if isinstance(store, PostgresqlStore):
        compare_strategies(store, case.state, rounds)
    for name in names:
        store.drop(name)


def compare_strategies(store: PostgresqlStore, state: str, rounds: int) -> None:
    """Print what both ways of copying take, in turn, and what they leave to a checkpoint."""
    name = store.restore(state, "template").database.url.rpartition("/")[2]
    taken: dict[str, list[float]] = {"file_copy": [], "wal_log": []}
    left: dict[str, list[float]] = {"file_copy": [], "wal_log": []}
    with psycopg.connect(store.server_url, autocommit=True) as connection:
        for _ in range(2 * rounds):
            for strategy, times in taken.items():
                copy = f"CREATE DATABASE bench TEMPLATE {name} STRATEGY {strategy}".encode()
                times.append(seconds(partial(connection.execute, copy)))
                left[strategy].append(seconds(partial(connection.execute, "CHECKPOINT")))
                connection.execute("DROP DATABASE bench")
    for strategy, times in taken.items():
        print(f"    {strategy}: {shown(times)}, then a checkpoint {shown(left[strategy])}")
    store.drop("template")


def measure_idling(store: Store, names: Sequence[str], idle_s: float) -> None:
    """Print the CPU time of a server with idle databases, and after one was written to."""
    state = {"postgresql": "hundred_thousand", "mongodb": "hundred"}[store.kind]
    databases = [store.restore(state, name).database for name in names]
    with ExitStack() as stack:
        for database in databases:
            for _ in range(CONNECTIONS):
                stack.enter_context(connected(database))
        time.sleep(SETTLE_S)
        idle_us = cpu_us(store, idle_s)
        print(
            f"  {len(databases)} idle databases, {CONNECTIONS} connections each:"
            f" {idle_us / 1e3:.2f} ms of CPU time in {idle_s:g} s = {idle_us / idle_s / 1e4:.4f} %"
        )
        after_us = []
        for _ in range(10):
            inserted = burst(databases[0])
            after_us.append(cpu_us(store, BURST_S))
        print(
            f"  {inserted} inserts in {BURST_S * 1e3:.0f} ms, then in as long a time without any:"
            f" {median(after_us) / 1e3:.3f} ms of CPU time (median of 10, largest"
            f" {max(after_us) / 1e3:.3f})"
        )


def cpu_us(store: Store, wait_s: float) -> float:
    """Return how much CPU time the server's processes use in a time, by their exact clocks."""
    assert isinstance(store.counted, int)
    before = {pid: cpu_clock_ns(pid) or 0 for pid in family(store.counted)}
    time.sleep(wait_s)
    return sum(((cpu_clock_ns(pid) or began) - began) / 1e3 for pid, began in before.items())


@contextmanager
def connected(database: Database) -> Iterator[None]:
    """Stay connected, having asked something."""
    if database.kind == "mongodb":
        with MongoClient[dict[str, object]](database.url) as client:
            client.get_default_database().list_collection_names()
            yield
    else:
        with psycopg.connect(database.url, autocommit=True) as connection:
            connection.execute("SELECT count(*) FROM pg_class")
            yield


def write(database: Database) -> None:
    """Change a database."""
    if database.kind == "mongodb":
        with MongoClient[dict[str, object]](database.url) as client:
            client.get_default_database()["bench"].insert_one({})
    else:
        with psycopg.connect(database.url, autocommit=True) as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS bench (text text)")


def burst(database: Database) -> int:
    """Insert documents of 3 KB for the time of a turn; return how many."""
    write(database)
    text, inserted = "x" * 3000, 0
    if database.kind == "mongodb":
        with MongoClient[dict[str, object]](database.url) as client:
            bench = client.get_default_database()["bench"]
            end = time.monotonic() + BURST_S
            while time.monotonic() < end:
                bench.insert_one({"text": text})
                inserted += 1
    else:
        with psycopg.connect(database.url, autocommit=True) as connection:
            end = time.monotonic() + BURST_S
            while time.monotonic() < end:
                connection.execute("INSERT INTO bench VALUES (%s)", [text])
                inserted += 1
    return inserted


def size(store: Store, state: str, name: str) -> int:
    """Return the bytes of disk of a fresh copy."""
    database = store.restore(state, name).database
    if database.kind == "mongodb":
        assert store._server is not None
        assert store._server.data_folder is not None
        files = store._server.data_folder.glob(f"{database.url.rpartition('/')[2]}.*")
        return sum(path.stat().st_size for path in files)
    with psycopg.connect(database.url) as connection:
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    assert row is not None
    return int(row[0])


def seconds(work: Callable[[], object]) -> float:
    """Return how long something takes."""
    began = time.monotonic()
    work()
    return time.monotonic() - began


def shown(taken_s: Sequence[float]) -> str:
    """Write the median and the range in milliseconds."""
    median_ms, least_ms, most_ms = (1e3 * f(taken_s) for f in (median, min, max))
    return f"{median_ms:.0f} ms ({least_ms:.0f} to {most_ms:.0f})"


if __name__ == "__main__":
    sys.exit(main())
