"""What the tests of the lab share: the games with their rows, and a contender made to order."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from textwrap import dedent, indent

import psutil
import psycopg
import pytest

from wirelab.domain.dataset import Dataset
from wirelab.domain.model import Domain
from wirelab.domain_file.load import load_domain
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.contenders.contender_file import Build
from wirelab.lab.processes.process import family
from wirelab.lab.stores.store import Database, Store

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


@pytest.fixture(scope="session")
def games() -> Domain:
    return load_domain("games")


@pytest.fixture(scope="session")
def hundred(games: Domain, tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return Dataset.generate(games, 100, seed=1, cache=tmp_path_factory.mktemp("rows"))


@pytest.fixture(scope="session")
def none(games: Domain, tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return Dataset.generate(games, 0, seed=1, cache=tmp_path_factory.mktemp("no_rows"))


def machine(root: Path, files: dict[str, str]) -> Path:
    """Write the files of a machine that is not there below a folder, and return it."""
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(dedent(content))
    return root


def count_games(database: Database) -> int:
    """Count the rows of the games in PostgreSQL."""
    with psycopg.connect(database.url) as connection:
        row = connection.execute("SELECT count(*) FROM games").fetchone()
    assert row is not None
    return int(row[0])


def exhaust_descriptors(store: Store) -> None:
    """Let the embedded document store open no more files and connections."""
    assert isinstance(store.counted, int)
    _guard, server = map(psutil.Process, family(store.counted))
    most = server.num_fds()
    subprocess.run(  # as its owner: root needs another capability to limit those of other users
        ["prlimit", "--pid", str(server.pid), f"--nofile={most}:{most}"],
        user=server.uids().real,
        group=server.gids().real,
        check=True,
    )


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A build cache that is empty, and this test's alone."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("WIRELAB_CACHE", str(folder))
    return folder


@pytest.fixture
def make_contender(tmp_path: Path) -> Callable[..., Contender]:
    """Make a contender out of the body of a Python program, which knows `host` and `port`."""

    def make(
        program: str,
        *,
        build: Build | None = None,
        requires: tuple[str, ...] = (),
        packages: tuple[str, ...] = (),
        environment: dict[str, str] | None = None,
    ) -> Contender:
        folder = tmp_path / "stack"
        folder.mkdir(exist_ok=True)
        head = "import os, socket, sys, time\nhost, port = sys.argv[1], int(sys.argv[2])\n"
        (folder / "server.py").write_text(head + dedent(program))
        return Contender(
            id="rest-made-up",
            title="Made up",
            protocol="rest",
            path="/",
            command=("{python}", "-u", "server.py", "{host}", "{port}"),
            settings={},
            packages=packages,
            environment=environment or {},
            domain="games",
            stack="made-up",
            folder=folder,
            requires=requires,
            build=build or Build(),
        )

    return make


@pytest.fixture
def laboratory() -> Callable[[str], list[str]]:
    """Make the command line of another laboratory process, from the body of its program."""

    def command(program: str) -> list[str]:
        paths = [path for path in sys.path if path]
        head = f"import sys, time\nsys.path[:0] = {paths!r}\nfrom pathlib import Path\n"
        return [sys.executable, "-c", head + dedent(program)]

    return command


@pytest.fixture(params=[60])
def small_disk(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Path]:
    """A disk of this number of MB, on which temporary folders are made, except those of tests."""
    disk = Path(tempfile.mkdtemp(prefix="wirelab-test-"))
    disk.chmod(0o755)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={request.param}m,mode=1777", "none", str(disk)]
    try:
        if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
            pytest.skip("a small disk cannot be mounted here")
        monkeypatch.setattr("tempfile.tempdir", str(disk))
        yield disk
        subprocess.run(["umount", disk], check=True)
    finally:
        disk.rmdir()


def fill(disk: Path) -> None:
    """Leave nothing free on a disk."""
    with (disk / "filler").open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1 << 16))


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits for its parent does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def server(body: str) -> str:
    """A program that answers every connection with what `body` makes of `connection`."""
    loop = dedent(
        """
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()
        print("serving", port, os.environ.get("WIRELAB_STORE"), flush=True)
        while True:
            connection, _ = listener.accept()
            with connection:
        """
    )
    return loop + indent(dedent(body).strip(), " " * 8) + "\n"
