"""Starting a contender, and knowing when it is ready: when it answers rightly."""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from wirelab.lab.build import BuiltContender
from wirelab.lab.contender import Contender
from wirelab.lab.elsewhere import Elsewhere, find_address
from wirelab.lab.environment import LOOPBACK, Counted, Environment, Launch, Launched
from wirelab.lab.errors import ContenderError, with_log
from wirelab.lab.ports import free_port, is_taken
from wirelab.lab.store import Store

HOST = LOOPBACK
PORT_ATTEMPTS = 3
PORT_TAKEN = re.compile(
    "address already in use|EADDRINUSE|address in use|port is already allocated", re.IGNORECASE
)
POLL_S = 0.01

Ready = Callable[[str], None]
"""Given "host:port", asks the control operation; raises what is wrong until all is right."""


class _PortTakenError(Exception):
    """Somebody else got the port between choosing it and listening on it."""


@dataclass(frozen=True, slots=True)
class RunningContender:
    """A contender that has answered rightly."""

    contender: Contender
    host: str
    port: int
    process: Launched
    start_s: float
    """From when its start was asked for to the first right answer."""
    launch_s: float
    """The part of it that the environment took, until the contender's own program ran."""
    counted: Mapping[str, Counted]
    """What counters are read for, by role."""

    @property
    def address(self) -> str:
        """Where it listens: "host:port"."""
        return f"{self.host}:{self.port}"

    @property
    def pid(self) -> int:
        """The process all of its processes descend from."""
        return self.process.pid

    @property
    def log_path(self) -> Path:
        """What it writes."""
        return self.process.log_path

    def why_ended(self) -> str | None:
        """Return what a person needs to know when it has ended by itself; None while it runs."""
        code = self.process.poll()
        if code is None:
            return None
        what = f"{self.contender.id} ended with exit code {code}"
        return with_log(what, self.log_path, self.process.log_tail())

    def stop(self) -> None:
        """End all of its processes."""
        self.process.stop()


def start(
    built: BuiltContender,
    environment: Environment,
    *,
    store: Store,
    ready: Ready,
    log_path: Path,
    cpus: tuple[int, ...] = (),
    port: int | None = None,
    deadline_s: float = 30.0,
) -> RunningContender:
    """Start a contender and wait until it answers the control operation rightly.

    `port`: the one to use, default a free one (another one when somebody takes it meanwhile).
    `deadline_s`: how long it may take. A contender with an address runs already, and only has to
    answer. Raises `ContenderError` with the end of its log.
    """
    contender = built.contender
    if contender.address is not None:
        return _find(contender, ready, log_path, deadline_s)
    for attempt in range(1, PORT_ATTEMPTS + 1):
        chosen = free_port(HOST) if port is None else port
        if port is not None and is_taken(port, HOST):
            raise _taken(contender, port)
        launch = Launch(HOST, chosen, store.kind, store.url, cpus, log_path)
        started = time.monotonic()
        process = environment.launch(built, launch)
        try:
            running = _wait_until_ready(
                contender,
                environment,
                process,
                port=chosen,
                ready=ready,
                started=started,
                deadline_s=deadline_s,
            )
        except _PortTakenError as error:
            process.stop()
            if port is not None or attempt == PORT_ATTEMPTS:
                raise _taken(contender, chosen) from error
        except BaseException:
            process.stop()
            raise
        else:
            return RunningContender(
                contender,
                HOST,
                chosen,
                process,
                start_s=time.monotonic() - started,
                launch_s=running - started,
                counted=environment.counted(process, chosen),
            )
    raise AssertionError("unreachable: the last attempt returns or raises")


def _wait_until_ready(
    contender: Contender,
    environment: Environment,
    process: Launched,
    *,
    port: int,
    ready: Ready,
    started: float,
    deadline_s: float,
) -> float:
    """Wait until it answers rightly; return since when its program has been running."""
    running: float | None = None
    reason = f"nothing listens on {HOST}:{port}"
    while time.monotonic() < started + deadline_s:
        code = process.poll()
        if code is not None:
            tail = process.log_tail()
            if PORT_TAKEN.search(tail):
                raise _PortTakenError
            what = f"{contender.id} ended with exit code {code} before it was ready"
            raise ContenderError(with_log(what, process.log_path, tail))
        if running is None and process.root_pid is not None:
            running = time.monotonic()
        if running is not None and environment.listens(process, port):
            try:
                ready(f"{HOST}:{port}")
            except Exception as error:
                reason = f"{type(error).__name__}: {error}"
            else:
                return running
        time.sleep(POLL_S)
    listens = environment.listens(process, port) or environment.publishes
    if not listens and is_taken(port, HOST):
        reason = f"another program answers on {HOST}:{port}"
    what = f"{contender.id} was not ready within {deadline_s:g} s: {reason}"
    raise ContenderError(
        with_log(what, process.log_path, process.log_tail()),
        "the control operation must be answered rightly within the deadline",
    )


def _find(
    contender: Contender, ready: Ready, log_path: Path, deadline_s: float
) -> RunningContender:
    """Wait until a server that is not ours answers the control operation rightly."""
    host, port = find_address(contender)
    log_path.touch()
    began = time.monotonic()
    while True:
        try:
            ready(f"{host}:{port}")
        except Exception as error:
            if time.monotonic() - began > deadline_s:
                what = f"{contender.id} does not answer at {host}:{port}"
                hint = f"{contender.address} says where it is; is it running?"
                raise ContenderError(f"{what}: {type(error).__name__}: {error}", hint) from error
            time.sleep(POLL_S)
        else:
            elapsed_s = time.monotonic() - began
            return RunningContender(
                contender, host, port, Elsewhere(log_path), elapsed_s, launch_s=0.0, counted={}
            )


def _taken(contender: Contender, port: int) -> ContenderError:
    return ContenderError(
        f"{contender.id} cannot listen on {HOST}:{port}: another program does",
        "end that program, or let wirelab choose a free port",
    )
