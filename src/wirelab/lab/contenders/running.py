"""Start a contender, and detect when it is ready: when it answers correctly."""

import os
import re
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from wirelab.errors import Failure, LabError, Log
from wirelab.lab.contenders.build import BuiltContender
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.contenders.external import ExternalServer, external_roles, find_address
from wirelab.lab.environments.environment import LOOPBACK, Counted, Environment, Launch, Launched
from wirelab.lab.errors import ContenderError, SilentError, log_of
from wirelab.lab.network.ports import free_port, is_taken, listening_addresses
from wirelab.lab.processes.ending import describe_exit, how_ended
from wirelab.lab.processes.process import family
from wirelab.lab.stores.store import Database
from wirelab.study.limits import UNLIMITED, ResourceLimits

IF_SLOW = "if it needs longer to start, give that time as start_seconds in contender.toml"
IN_FOREGROUND = "keep the server in the foreground: its command must run until wirelab stops it"
PORT_ATTEMPTS = 3
PORT_TAKEN = re.compile(
    "address already in use|EADDRINUSE|address in use|port is already allocated", re.IGNORECASE
)
SEE_LOG = "read the log of the server"
POLL_S = 0.01
POLL_SHARE = 0.02
"""Time between two polls of a server that wirelab starts, as a share of the time since its launch:
each searches the open files of its processes, which costs a slow start CPU time."""
EXTERNAL_POLL_S = 0.5
"""Time between two requests to a server that wirelab did not start, until it is ready."""
WRONG_SHARE = 1 / 6
"""A wrong answer that remains the same for this share of the time limit, 5 s of 30 s, is final.
Some servers listen before their routes are registered: usually for less than a second, and for
longer if they start slowly, for which their limit is longer."""


class NotReadyError(Exception):
    """The control operation has not been answered correctly yet; the text says why.

    `answer` is the predicate of a sentence about a server that answered something else. `remedy` is
    what to do about this answer; "" if it may become correct while the server starts.
    """

    def __init__(self, reason: str, answer: str = "", remedy: str = "") -> None:
        super().__init__(reason)
        self.answer = answer
        self.remedy = remedy


def not_ready(error: Exception) -> NotReadyError:
    """Return why a server is not ready, without the name of an error of the system."""
    if isinstance(error, NotReadyError):
        return error
    if isinstance(error, OSError) and error.strerror:
        return NotReadyError(f"cannot connect: {error.strerror}")
    return NotReadyError(f"{type(error).__name__}: {error}")


Ready = Callable[[str], None]
"""Calls the control operation at "host:port"; raises the error until it is answered correctly."""


@dataclass(frozen=True, slots=True)
class RunningContender:
    """A contender that has answered correctly."""

    contender: Contender
    host: str
    port: int
    process: Launched
    start_s: float
    """Time from requesting its start to its first correct answer."""
    launch_s: float
    """The part of it until the contender's program ran, due to the environment."""
    counted: Mapping[str, Counted]
    """The subjects of counters, by role."""
    services: tuple["RunningContender", ...] = ()
    """Its services, the one that clients call last; none for a single program."""
    built: BuiltContender | None = None
    """The parameters of its start."""
    ca: Path | None = None
    """The certificate to trust, if its proxy uses TLS."""
    cache_log: Path | None = None
    """The log of its proxy's cache."""

    @property
    def address(self) -> str:
        """Its address: "host:port"."""
        return host_port(self.host, self.port)

    @property
    def pid(self) -> int:
        """The root of its process tree."""
        return self.process.pid

    @property
    def log_path(self) -> Path:
        """The file with its output."""
        return self.process.log_path

    def why_ended(self) -> Failure | None:
        """Return how it has ended by itself; None while it runs."""
        server = self.ended()
        if server is None:
            return None
        code = server.process.poll() or 0
        return how_ended(f"{server.contender.id} ended", code, log_of(server.process))

    def ended(self) -> "RunningContender | None":
        """Return the service, or the contender, that has ended by itself; None while all run."""
        for service in self.services:
            if ended := service.ended():
                return ended
        return None if self.process.poll() is None else self

    def log(self) -> Log | None:
        """Return the end of its log; None for a server that wirelab did not start."""
        return log_of(self.process) if self.contender.address is None else None

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to all of its processes; after SIGKILL, wait until they have ended."""
        root = self.process.root_pid
        for pid in family(root) if root is not None else ():
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        while number == signal.SIGKILL and self.process.poll() is None:
            time.sleep(POLL_S)

    def stop(self) -> None:
        """End all of its processes."""
        self.process.stop()


class Start(Protocol):
    """A contender that is starting, with one program or several."""

    def poll(self) -> RunningContender | None:
        """Return the contender once it has answered correctly; None before."""

    def stop(self) -> None:
        """End all launched processes."""


class Starting:
    """A contender that has been launched, but has not answered correctly yet.

    Call `poll` until it has, or `stop`. `host`: this machine's address to listen on. `port`: by
    default a free one (another one if it is taken in the meantime). `limits`: its limits of CPU
    time and memory. `deadline_s`: the time limit. A contender with an address is already running,
    and only has to answer.
    """

    def __init__(
        self,
        built: BuiltContender,
        environment: Environment,
        *,
        database: Database,
        ready: Ready,
        log_path: Path,
        cpus: tuple[int, ...] = (),
        limits: ResourceLimits = UNLIMITED,
        host: str = LOOPBACK,
        port: int | None = None,
        deadline_s: float = 30.0,
    ) -> None:
        self._own_host = host
        self._built = built
        self._environment = environment
        self._database = database
        self._ready = ready
        self._log_path = log_path
        self._cpus = cpus
        self._limits = limits
        self._fixed_port = port
        self._deadline_s = deadline_s
        self._attempt = 0
        self._process: Launched
        self._launch()

    @property
    def _contender(self) -> Contender:
        return self._built.contender

    def poll(self) -> RunningContender | None:
        """Return the contender once it has answered correctly; None before.

        Raises `ContenderError` with the end of its log if it never will; it is then stopped.
        """
        try:
            return self._poll()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End all launched processes."""
        self._process.stop()

    def _launch(self) -> None:
        self._attempt += 1
        self._running_since: float | None = None
        self._next_poll_s = 0.0
        self._started = self._wrong_since = time.monotonic()
        self._unready = NotReadyError("no request has been sent yet")
        if self._contender.address is not None:
            address = find_address(self._contender)
            self._host, self._port = address.host, address.port
            self._log_path.touch()
            self._process = ExternalServer(self._log_path)
            return
        self._host = self._own_host
        self._port = free_port(self._host) if self._fixed_port is None else self._fixed_port
        if self._fixed_port is not None and is_taken(self._port, self._host):
            raise self._taken()
        self._process = self._environment.launch(
            self._built,
            Launch(
                self._host,
                self._port,
                self._database.kind,
                self._database.url,
                self._cpus,
                self._log_path,
                self._limits,
            ),
        )

    def _poll(self) -> RunningContender | None:
        now_s = time.monotonic()
        if now_s - self._started > self._deadline_s:
            raise self._too_late()
        if now_s < self._next_poll_s:
            return None
        is_started_here = self._contender.address is None
        pause_s = POLL_SHARE * (now_s - self._started) if is_started_here else EXTERNAL_POLL_S
        self._next_poll_s = now_s + pause_s
        if is_started_here:
            code = self._process.poll()
            if code is not None:
                self._start_again(code)
                return None
            if self._running_since is None and self._process.root_pid is not None:
                self._running_since = time.monotonic()
            if self._running_since is None or not self._listens():
                self._note(NotReadyError(f"nothing listens on {self._host}:{self._port}"))
                return None
        try:
            self._ready(host_port(self._host, self._port))
        except LabError:  # Waiting does not help.
            raise
        except Exception as error:
            self._note(not_ready(error))
        else:
            return self._running()
        return None

    def _note(self, unready: NotReadyError) -> None:
        """Keep why it is not ready. Raises `ContenderError` if it was wrong for too long.

        A wrong answer is the same one as long as its remedy is: its text may contain a time.
        """
        if unready.remedy != self._unready.remedy:
            self._wrong_since = time.monotonic()
        self._unready = unready
        wrong_s = time.monotonic() - self._wrong_since
        if unready.remedy and wrong_s > WRONG_SHARE * self._deadline_s:
            raise self._answers_wrongly()

    def _running(self) -> RunningContender:
        since = self._started if self._running_since is None else self._running_since
        is_started_here = self._contender.address is None
        return RunningContender(
            self._contender,
            self._host,
            self._port,
            self._process,
            start_s=time.monotonic() - self._started,
            launch_s=since - self._started,
            built=self._built,
            counted=(
                self._environment.counted(self._process, self._port)
                if is_started_here
                else external_roles(self._contender)
            ),
        )

    def _start_again(self, code: int) -> None:
        """Use another port if this one was taken; otherwise it has ended permanently."""
        log = log_of(self._process)
        if not PORT_TAKEN.search(log.tail):
            ended, remedy = describe_exit(code, log.tail)
            what = f"{self._contender.id} ended with {ended} before it was ready"
            remedy = remedy or ("" if code else IN_FOREGROUND)
            raise ContenderError(what, remedy, log)
        self._process.stop()
        if self._fixed_port is not None:
            raise self._taken()
        if self._attempt == PORT_ATTEMPTS:
            what = f"{self._contender.id} ended {PORT_ATTEMPTS} times because a port was taken"
            hint = (
                "it may listen on a second port, which another program or its other"
                " copy uses, since all copies run at the same time: switch that port off, or derive"
                " it from WIRELAB_PORT"
            )
            raise ContenderError(what, hint, log)
        self._launch()

    def _listens(self) -> bool:
        return self._environment.listens(self._process, self._port)

    def _answers_wrongly(self) -> ContenderError:
        what = f"{self._contender.id} {self._unready.answer}"
        if self._contender.address is not None:
            return ContenderError(what, f"{self._source}{self._unready.remedy or SEE_LOG}")
        return ContenderError(what, self._unready.remedy, log_of(self._process))

    @property
    def _source(self) -> str:
        """What the hint about an address begins with, if a variable contains the address."""
        written = self._contender.address or ""
        return "" if "://" in written else f"check {written}; "

    def _too_late(self) -> ContenderError:
        contender, reason = self._contender, str(self._unready)
        is_external = contender.address is not None
        if self._unready.remedy or (is_external and self._unready.answer):
            return self._answers_wrongly()
        if is_external:
            where = host_port(self._host, self._port)
            what = f"{contender.id} does not answer at {where}: {reason}"
            return SilentError(what, f"{self._source}is it running?")
        hint = f"the contender must answer the control operation correctly; {IF_SLOW}"
        if not (self._listens() or self._environment.publishes):
            hint = (
                "make the command listen on {host}:{port}, or read WIRELAB_HOST and WIRELAB_PORT in"
                " the server"
            )
            other = is_taken(self._port, self._host)
            if other:
                reason = f"another program answers on {self._host}:{self._port}"
            if elsewhere := listening_addresses(family(self._process.pid)):
                reason = f"{reason}; {contender.id} listens on {', '.join(elsewhere)}"
            elif not other:
                reason = f"{reason}, but {contender.id} still runs"
                hint += f"; {IF_SLOW}"
        what = f"{contender.id} was not ready within {self._deadline_s:g} s: {reason}"
        return ContenderError(what, hint, log_of(self._process))

    def _taken(self) -> ContenderError:
        where = f"{self._host}:{self._port}"
        return ContenderError(
            f"{self._contender.id} cannot listen on {where}: another program uses that port",
            "end that program, or let wirelab choose a free port",
        )


def host_port(host: str, port: int) -> str:
    """Return an address in the engine's form, with brackets for IPv6."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def wait_for(starting: Start) -> RunningContender:
    """Wait until a contender answers the control operation correctly. Raises `ContenderError`."""
    try:
        while (running := starting.poll()) is None:
            time.sleep(POLL_S)
    except BaseException:
        starting.stop()
        raise
    return running
