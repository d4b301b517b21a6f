"""The universities loaded into a real MariaDB, where one is installed."""

import os
import secrets
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.university.test_load import ROWS, Into, into, make, program
from wirelab.lab.network.ports import free_port
from wirelab.lab.processes.process import start_guarded

__all__ = ["into", "program"]

NEEDED = ("mariadb-install-db", "mariadbd", "mariadb")
START_LIMIT_S = 20.0


class Server:
    """A MariaDB of this test's own, on loopback."""

    def __init__(self, socket: Path, port: int) -> None:
        self.client = ["mariadb", "--no-defaults", "--batch", "--skip-column-names"]
        self.client += [f"--socket={socket}", "--user=root"]
        self.port = port

    def ask(self, statement: str, database: str = "") -> list[str]:
        """Return the lines of what a statement gives."""
        command = [*self.client, "--execute", statement, *filter(None, [database])]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return done.stdout.splitlines()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        pytest.skip(f"no MariaDB here: {', '.join(missing)} not on PATH")
    place = tmp_path_factory.mktemp("mariadb")
    data, socket, port = place / "data", place / "socket", free_port()
    account = ["--user=root"] if os.geteuid() == 0 else []
    make_data = ["mariadb-install-db", "--no-defaults", f"--datadir={data}", "--skip-test-db"]
    make_data += ["--auth-root-authentication-method=normal", *account]
    serve = ["mariadbd", "--no-defaults", f"--datadir={data}", f"--socket={socket}", *account]
    serve += ["--bind-address=127.0.0.1", f"--port={port}", f"--pid-file={place / 'pid'}"]
    script = f"{shlex.join(make_data)} && exec {shlex.join(serve)}"
    process = start_guarded(["sh", "-c", script], role="MariaDB", log_path=place / "log")
    try:
        started = Server(socket, port)
        deadline = time.monotonic() + START_LIMIT_S
        while True:
            try:
                started.ask("GRANT ALL ON *.* TO tester@'127.0.0.1' IDENTIFIED BY 'secret'")
            except subprocess.CalledProcessError:
                assert process.poll() is None, process.log_tail()
                assert time.monotonic() < deadline, process.log_tail()
                time.sleep(0.1)
            else:
                break
        yield started
    finally:
        process.stop()


@pytest.fixture
def database(server: Server) -> str:
    """An empty database."""
    name = f"universities_{secrets.token_hex(4)}"
    server.ask(f"CREATE DATABASE {name}")
    return name


def address(server: Server, database: str) -> str:
    return f"mysql://tester:secret@127.0.0.1:{server.port}/{database}"


def rows(server: Server, database: str) -> dict[str, int]:
    """Return how many rows each table has."""
    return {
        table.lower(): int(server.ask(f"SELECT count(*) FROM {table}", database)[0])
        for table in server.ask("SHOW TABLES", database)
    }


def test_a_load_writes_all_rows_with_their_keys(
    program: Path, server: Server, database: str, into: Into
) -> None:
    loaded = make(program, "--scale-factor", "1", *into(address(server, database)))

    assert loaded.returncode == 0, loaded.stderr
    assert rows(server, database) == ROWS
    heads = "SELECT count(*) FROM professor JOIN department ON headOf = department.nr"
    assert server.ask(heads, database) == ["15"]
    constraints = """SELECT count(*) FROM information_schema.table_constraints
                     WHERE table_schema = DATABASE() AND constraint_type = '{} KEY'"""
    assert server.ask(constraints.format("PRIMARY"), database) == ["14"]
    assert server.ask(constraints.format("FOREIGN"), database) == ["24"]


def test_no_database_is_loaded_twice(
    program: Path, server: Server, database: str, into: Into
) -> None:
    server.ask("CREATE TABLE faculty (nr integer)", database)
    refused = make(program, "--scale-factor", "1", *into(address(server, database)))

    assert refused.returncode == 2
    assert "already has tables" in refused.stderr
    assert rows(server, database) == {"faculty": 0}


def test_an_interrupted_load_leaves_nothing(
    program: Path, server: Server, database: str, into: Into
) -> None:
    command = [str(program), "university", "--scale-factor", "214"]
    command += into(address(server, database))
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as load:
        while not rows(server, database):
            assert load.poll() is None
        load.send_signal(signal.SIGINT)
        _, output = load.communicate(timeout=60)

    assert load.returncode == 130
    assert "nothing was kept" in output
    assert rows(server, database) == {}


def test_a_load_that_the_server_ends_reports_the_reason_and_leaves_no_row(
    program: Path, server: Server, database: str, into: Into
) -> None:
    command = [str(program), "university", "--scale-factor", "214"]
    command += into(address(server, database))
    connected = f"SELECT id FROM information_schema.processlist WHERE db = '{database}'"
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as load:
        while not rows(server, database):
            assert load.poll() is None
        [connection] = server.ask(connected)
        server.ask(f"KILL {connection}")
        _, output = load.communicate(timeout=60)

    assert load.returncode == 1
    assert f"cannot load into 127.0.0.1:{server.port}/{database}: " in output
    assert output.endswith("nothing was kept\n")
    assert "secret" not in output
    # Tables are made before the transaction, and are dropped over the connection that is gone.
    assert set(rows(server, database).values()) <= {0}


def test_errors_of_the_server_are_reported(
    program: Path, server: Server, database: str, into: Into
) -> None:
    wrong = address(server, database).replace("secret", "wrong")
    refused = make(program, "--scale-factor", "1", *into(wrong))

    assert refused.returncode == 1
    assert "Access denied" in refused.stderr
    assert "wrong" not in refused.stderr


def test_a_dump_loads_the_same(
    program: Path, server: Server, database: str, tmp_path: Path
) -> None:
    dump = tmp_path / "dump.sql"
    options = ("--scale-factor", "1", "--format", "mysql", "--output", str(dump))
    assert make(program, *options).returncode == 0

    with dump.open() as statements:
        subprocess.run([*server.client, database], stdin=statements, check=True)
    assert rows(server, database) == ROWS
