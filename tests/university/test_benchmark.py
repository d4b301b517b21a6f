"""The benchmark of generating and loading universities."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import psycopg

from benches.university.__main__ import into, psql, seconds
from wirelab.lab.stores.postgresql_server import start_postgresql

DUMP = "CREATE TABLE loaded (number int);\nSELECT pg_sleep(1);\n"
PATIENCE_S = 30.0


def command_lines(program: str) -> list[str]:
    """Return the command lines of the processes of a program."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            words = process.cmdline()
            found += [" ".join(words)] if words[:1] == [program] else []
    return found


def test_no_command_line_of_the_benchmark_has_the_password(tmp_path: Path) -> None:
    dump, seen = tmp_path / "dump.sql", list[str]()
    dump.write_text(DUMP)
    with start_postgresql(log_path=tmp_path / "log") as store, ThreadPoolExecutor() as thread:
        url = store.server_url
        loading = thread.submit(seconds, [psql(), "-qX", "-f", str(dump)], into(url))
        deadline = time.monotonic() + PATIENCE_S
        while not seen and not loading.done() and time.monotonic() < deadline:
            seen = command_lines(psql())
        loading.result()
        with psycopg.connect(url) as connection:
            assert connection.execute("TABLE loaded").fetchall() == []

    password = urlsplit(url).password
    assert password
    assert seen
    assert not any(password in line for line in seen)
