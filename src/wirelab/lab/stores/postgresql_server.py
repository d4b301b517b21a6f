"""The embedded PostgreSQL: a full server, whose data folder is removed with the store."""

import os
import secrets
import shlex
import shutil
import signal
import tempfile
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

import psycopg

from wirelab.errors import Failure, Log
from wirelab.lab.contenders.running import PORT_ATTEMPTS, PORT_TAKEN
from wirelab.lab.environments.environment import LOOPBACK, Counted
from wirelab.lab.errors import StoreError
from wirelab.lab.network.ports import free_port
from wirelab.lab.processes.account import STORE, hand_over, unprivileged_account
from wirelab.lab.processes.process import family, start_guarded
from wirelab.lab.processes.shortage import remedy_in
from wirelab.lab.stores.postgresql import PostgresqlStore
from wirelab.lab.stores.postgresql_binaries import runnable_binaries, wheel_binaries
from wirelab.lab.stores.postgresql_initial import USER, initial_data
from wirelab.lab.stores.store_server import StoreServer, describe_end, describe_suspension
from wirelab.study.limits import UNLIMITED, ResourceLimits

TITLE = "PostgreSQL"
START_LIMIT_S = 30.0
BUSY = "end other programs that use the CPUs or the disk, and try again"
RECOVERY_LIMIT_S = 120.0
POLL_S = 0.01
ACCESS = "host all all all scram-sha-256\n"
"""Access rules: everyone who reaches its address and has the password may log in."""
RUNNING = "run"
"""The content of `status` while the server runs; then its exit code, with the same length."""
LINE_OF_SHARED_MEMORY = 7
"""The line of postmaster.pid with key and id of the shared memory segment."""
LINE_OF_STATUS = 8
"""The line of postmaster.pid that becomes "ready"; `pg_ctl --wait` reads it, too."""

SETTINGS = {
    "shared_buffers": "256MB",
    # All contenders of a block are connected at the same time, each with its pools.
    "max_connections": "500",
    "jit": "off",
    "random_page_cost": "1.1",
    # Nothing is flushed to disk: the data are restored for every run, and a comparison of
    # protocols should not measure variations of the disk.
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    # No timed background work while a contender is measured, and no work caused by one contender
    # in the turn of the next: the process that fills a buffer writes it.
    "autovacuum": "off",
    "checkpoint_timeout": "1d",
    "max_wal_size": "4GB",
    "bgwriter_lru_maxpages": "0",
    "bgwriter_delay": "10s",
    "wal_writer_delay": "10s",
    # A crash of one connection's process ends the server, so that the laboratory notices.
    "restart_after_crash": "off",
}
"""The settings that differ from PostgreSQL's defaults, declared with the results."""
DEFAULTS = {
    "jit": "on",
    "random_page_cost": "4",
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
}
"""PostgreSQL's own values of the settings about the disk and the planner."""


def start_postgresql(
    *,
    log_path: Path,
    cpus: Collection[int] = (),
    host: str = LOOPBACK,
    binaries: Path | None = None,
    limits: ResourceLimits = UNLIMITED,
    own: Mapping[str, str] | None = None,
) -> PostgresqlStore:
    """Start the embedded server on a free port of `host`, with an empty data folder.

    `binaries`: the folder with `postgres` and `initdb`, by default that of the wheel. `limits`: of
    CPU time and memory. `own`: settings in place of those of `SETTINGS`. If wirelab runs as root,
    the server runs as a separate user. Raises `StoreError` or `LabError`.
    """
    server = PostgresqlServer(
        log_path=log_path,
        cpus=cpus,
        host=host,
        binaries=binaries or wheel_binaries(),
        limits=limits,
        own=own or {},
    )
    try:
        return PostgresqlStore(server=server)
    except BaseException:
        server.stop()
        raise


class PostgresqlServer(StoreServer):
    """A server under a shell that can start it again on the same data.

    The shell records the server's exit code, and waits for a line from a pipe to restart it. Shell,
    server and data folder belong to one guarded process, so that they end together.
    """

    location = "embedded"

    def __init__(
        self,
        *,
        log_path: Path,
        cpus: Collection[int],
        host: str,
        binaries: Path,
        limits: ResourceLimits,
        own: Mapping[str, str],
    ) -> None:
        self._options = {**SETTINGS, **own}
        self.settings = {**self._options, **limits.declared()}
        self._account = unprivileged_account(STORE)
        self._programs = runnable_binaries(binaries, self._account)
        self._log_path, self._cpus, self._host, self._limits = log_path, cpus, host, limits
        self._launch()

    @property
    def url(self) -> str:
        """See `StoreServer.url`."""
        return self._url

    @property
    def counted(self) -> Counted:
        """See `StoreServer.counted`."""
        return self._process.pid

    @property
    def data_folder(self) -> Path | None:
        """See `StoreServer.data_folder`."""
        return self._folder

    @property
    def log_file(self) -> Path | None:
        """See `StoreServer.log_file`."""
        return self._log_path

    def why_ended(self) -> Failure | None:
        """See `StoreServer.why_ended`."""
        ended = describe_end(TITLE, self._exit_code(), self._process)
        return ended or describe_suspension(TITLE, self._postmaster())

    def restart(self) -> bool:
        """Restart it with crash recovery; if that fails, without data.

        See `StoreServer.restart`.
        """
        if self._recover():
            return True
        self.stop()
        self._launch()
        return False

    def stop(self) -> None:
        """See `StoreServer.stop`."""
        self._process.stop()

    def _launch(self, attempts: int = PORT_ATTEMPTS) -> None:
        """Create a data folder and start the server, on another port if the free one was taken."""
        self._initial = initial_data(self._programs, self._account, self._log_path)
        folder = Path(tempfile.mkdtemp(prefix="wirelab-postgresql-"))
        try:
            password = secrets.token_urlsafe(16)
            (folder / "password").write_text(password)
            (folder / "access").write_text(ACCESS)
            (folder / "status").write_text(RUNNING)
            os.mkfifo(folder / "again", 0o600)
            hand_over(folder, self._account)
            port = free_port(self._host)
            self._process = start_guarded(
                ["sh", "-c", self._script(folder, port)],
                role=TITLE,
                log_path=self._log_path,
                cpus=self._cpus,
                user=self._account,
                no_new_privileges=True,
                cwd=folder,
                on_end=["sh", "-c", _removal(folder)],
                limits=self._limits,
            )
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        self._folder = folder
        self._url = f"postgresql://{USER}:{password}@{self._host}:{port}/postgres"
        try:
            if not self._is_ready(time.monotonic() + START_LIMIT_S):
                tail = self._process.log_tail()
                if attempts > 1 and PORT_TAKEN.search(tail):
                    self._process.stop()
                    self._launch(attempts - 1)
                    return
                ended = self._exit_code() is not None
                late = f"did not accept connections within {START_LIMIT_S:.0f} s"
                what = f"{TITLE} {'did not start' if ended else late}"
                hint = remedy_in(tail) or ("" if ended else BUSY)
                raise StoreError(what, hint, Log(str(self._log_path), tail))
            self._process.limit()  # creating the data folder is not limited
        except BaseException:
            self._process.stop()
            raise

    def _script(self, folder: Path, port: int) -> str:
        """Return a script that makes the data folder, and runs and restarts the server."""
        data = str(folder / "data")
        postgres = str(self._programs / "postgres")
        listening = {
            "listen_addresses": self._host,
            "hba_file": str(folder / "access"),
            "port": str(port),
            "unix_socket_directories": "",
        }
        settings = [f"--{name}={value}" for name, value in {**listening, **self._options}.items()]
        quiet = ["-c", "log_min_error_statement=panic"]  # a statement contains the password
        set_password = shlex.join([postgres, "--single", "-D", data, "-F", *quiet, "postgres"])
        # The status is written in place, which needs no space on a full disk.
        return f"""
            umask 077
            {shlex.join(["cp", "-R", str(self._initial), data])} || exit
            printf "ALTER ROLE {USER} PASSWORD '%s'" "$(cat password)" |
                {set_password} >/dev/null || exit
            while true; do
                {shlex.join([postgres, "-D", data, *settings])}
                printf %3d $? 1<> status
                read -r again < again || exit
            done
        """

    def _recover(self) -> bool:
        """Start the server on the existing data; return whether it accepts connections."""
        deadline = time.monotonic() + RECOVERY_LIMIT_S
        while self._process.poll() is None and time.monotonic() < deadline:
            self._kill()  # it hangs, or some of its processes have not ended yet
            if (
                self._exit_code() is not None
                and self._request_restart()
                and self._is_ready(deadline)
            ):
                self._process.limit()
                return True
            time.sleep(POLL_S)
        return False

    def _kill(self) -> None:
        """End remaining processes of the server, but not its shell."""
        for pid in set(family(self._process.pid)) - {self._process.pid, self._process.root_pid}:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _request_restart(self) -> bool:
        """Tell the shell to restart the server; return whether the shell was listening."""
        try:
            pipe = os.open(self._folder / "again", os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            return False
        with os.fdopen(pipe, "w") as words:
            with (self._folder / "status").open("r+") as status:
                status.write(RUNNING)
            words.write("again\n")
        return True

    def _is_ready(self, deadline: float) -> bool:
        """Wait until the server accepts connections; return False if it ends or is too late."""
        while self._exit_code() is None and time.monotonic() < deadline:
            if self._says_ready():
                with suppress(psycopg.OperationalError):
                    psycopg.connect(self._url, connect_timeout=2).close()
                    return True
            time.sleep(POLL_S)
        return False

    def _says_ready(self) -> bool:
        """Return whether the server has written so, which costs less than trying to connect."""
        try:
            lines = (self._folder / "data" / "postmaster.pid").read_text().splitlines()
        except OSError:
            return False
        return len(lines) >= LINE_OF_STATUS and lines[LINE_OF_STATUS - 1].strip() == "ready"

    def _postmaster(self) -> int | None:
        """Return the process that accepts connections; None before its start."""
        try:
            return int((self._folder / "data" / "postmaster.pid").read_text().split()[0])
        except (OSError, ValueError, IndexError):
            return None

    def _exit_code(self) -> int | None:
        """Return the server's exit code; None while it runs."""
        code = self._process.poll()
        if code is not None:
            return code
        try:
            status = (self._folder / "status").read_text()
        except FileNotFoundError:  # the folder has been removed
            return None
        return None if status == RUNNING else int(status)


def _removal(folder: Path) -> str:
    """Return a command that removes the data, and the shared memory of a killed server."""
    lock = shlex.quote(str(folder / "data" / "postmaster.pid"))
    segment = f"awk 'NR == {LINE_OF_SHARED_MEMORY} {{ print $2 }}' {lock}"
    return f'[ -e {lock} ] && ipcrm -m "$({segment})"; rm -rf {shlex.quote(str(folder))}'
