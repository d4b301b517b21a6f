"""Environments: where contender and store run. `native` is this machine itself."""

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Protocol

from wirelab import words
from wirelab.lab.account import (
    CONTENDER,
    first_unreadable,
    program_files,
    unprivileged_account,
)
from wirelab.lab.build import BuiltContender, build
from wirelab.lab.contender import Contender
from wirelab.lab.cpu import plan_cpus
from wirelab.lab.errors import ContenderError
from wirelab.lab.placeholder import fill
from wirelab.lab.ports import is_listener
from wirelab.lab.process import NotStartedError, family, start_guarded
from wirelab.study.limits import UNLIMITED, Limits

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Launch:
    """What a contender is told when it is started."""

    host: str
    port: int
    store_kind: str
    store_url: str = field(repr=False)
    cpus: tuple[int, ...]
    log_path: Path
    limits: Limits = UNLIMITED


class Launched(Protocol):
    """A contender's processes, wherever they run."""

    @property
    def pid(self) -> int:
        """The process that ends all others when it ends."""

    @property
    def root_pid(self) -> int | None:
        """The first process of its own, as this machine numbers it; None before there is one."""

    @property
    def log_path(self) -> Path:
        """What it writes."""

    def poll(self) -> int | None:
        """Return the exit code, None while it runs."""

    def stop(self) -> int:
        """End all of it."""

    def log_tail(self, lines: int = 20) -> str:
        """Return the last lines it wrote."""


@dataclass(frozen=True, slots=True)
class InContainer:
    """What counters are read for, when it is all that runs in a container."""

    pid: int
    """One of its processes, as this machine numbers it."""


Counted = int | InContainer
"""What counters are read for: a process with all that descends from it, or a container."""


class Environment(ABC):
    """A place where contenders can run."""

    name: str
    publishes: ClassVar[bool] = False
    """Something here accepts connections to the port before the contender does."""

    def store_host(self) -> str:
        """Return this machine's address at which contenders here reach a store of ours."""
        return LOOPBACK

    @abstractmethod
    def missing(self) -> str:
        """Return why it cannot be used on this machine; empty when it can."""

    @abstractmethod
    def cannot_run(self, contender: Contender) -> str:
        """Return what a contender lacks to run here; empty when it can be built."""

    def facts(self) -> Mapping[str, str]:
        """Say what a reader must know of it: names and words. Empty: only what the host says."""
        return {}

    @abstractmethod
    def build(self, contender: Contender, log_path: Path) -> BuiltContender:
        """Make ready what the contender needs here."""

    @abstractmethod
    def launch(self, built: BuiltContender, launch: Launch) -> Launched:
        """Start the contender; it need not be ready yet."""

    @abstractmethod
    def listens(self, process: Launched, port: int) -> bool:
        """Tell whether it is this contender, and nobody else, that listens on the port."""

    def peer_host(self, process: Launched, host: str) -> str:  # noqa: ARG002
        """Return where others here reach a contender that this machine reaches at `host`."""
        return host

    @abstractmethod
    def counted(self, process: Launched, port: int) -> Mapping[str, Counted]:
        """Say what to read counters for, by role: the contender, and what serves it alone."""


class Native(Environment):
    """This machine, without anything between."""

    name = "native"

    def missing(self) -> str:
        """Nothing: a machine always has itself."""
        return ""

    def cannot_run(self, contender: Contender) -> str:
        """Look for the programs that it needs, or for the address of a server that is not ours."""
        if contender.address is not None and not contender.written_address():
            return f"{contender.address} is not set"
        missing = contender.missing_programs()
        return f"{' and '.join(missing)} not on PATH" if missing else ""

    def build(self, contender: Contender, log_path: Path) -> BuiltContender:
        """Build into the cache; see `wirelab.lab.build`."""
        return build(contender, log_path)

    def launch(self, built: BuiltContender, launch: Launch) -> Launched:
        """Start the contender under the guard, in its own folder, without root's rights."""
        contender = built.contender
        values: Mapping[str, object] = {
            "python": sys.executable,
            "build": built.folder,
            "folder": contender.folder,
            "cores": cores(launch),
            "host": launch.host,
            "port": launch.port,
        }
        names = os.environ if contender.inherit else ("PATH", "HOME", "TMPDIR")
        kept = {name: os.environ[name] for name in names if name in os.environ}
        command = fill(contender.command, values)
        user = _account(built)
        try:
            process = start_guarded(
                command,
                role=contender.id,
                log_path=launch.log_path,
                cpus=launch.cpus,
                user=user,
                no_new_privileges=not contender.inherit,
                environment={**kept, **start_environment(contender, launch, values)},
                cwd=contender.working_folder or contender.folder,
                limits=launch.limits,
            )
        except NotStartedError as error:
            file = contender.folder / "contender.toml"
            where = f"{file}: " if file.is_file() else ""
            raise ContenderError(f"{where}{error.what}") from None
        process.limit()
        return process

    def listens(self, process: Launched, port: int) -> bool:
        """Look for the listening socket among the open files of the contender's processes."""
        return is_listener(family(process.pid), port)

    def counted(self, process: Launched, port: int) -> Mapping[str, Counted]:  # noqa: ARG002
        """Count the contender's processes, and nothing beside them."""
        return {"contender": process.pid}


class NativeOnCpus(Native):
    """This machine, where servers may use only so many of the CPUs that it has for them.

    Stores and proxies keep all of these: it is the server whose scaling is asked for.
    """

    def __init__(self, name: str, count: int) -> None:
        self.name = name
        self.count = count

    def missing(self) -> str:
        """Compare with what the load generator leaves."""
        there = len(plan_cpus().system)
        if there >= self.count:
            return ""
        return (
            f"this machine has only {words.plural(there, 'CPU')} for servers, besides that of"
            " the load generator"
        )

    def launch(self, built: BuiltContender, launch: Launch) -> Launched:
        """Start the contender on the first CPUs that there are."""
        return super().launch(built, replace(launch, cpus=launch.cpus[: self.count]))


def _account(built: BuiltContender) -> str | None:
    """Return the user that a contender runs as; None for our own.

    A command of the user's own (`wirelab compare`) runs as the user, and so does what no other user
    can read; verification says so then.
    """
    account = None if built.contender.inherit else unprivileged_account(CONTENDER)
    return account if account is not None and unreadable(built, account) is None else None


def unreadable(built: BuiltContender, account: str) -> Path | None:
    """Return the first path that a contender needs and an account cannot read, None without one."""
    values = {"python": sys.executable, "build": built.folder, "folder": built.contender.folder}
    (program,) = fill(built.contender.command[:1], values)
    needed = (built.folder, built.contender.folder, *program_files(program))
    return first_unreadable(account, needed)


def start_environment(
    contender: Contender, launch: Launch, values: Mapping[str, object]
) -> dict[str, str]:
    """Make a contender's environment: small, and the same whoever runs the laboratory.

    The size of the environment moves the stack of a process, and with it its speed.
    """
    names = list(contender.environment)
    own = dict(zip(names, fill(list(contender.environment.values()), values), strict=True))
    return {
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "WIRELAB_HOST": str(values["host"]),
        "WIRELAB_PORT": str(launch.port),
        "WIRELAB_STORE": launch.store_kind,
        "WIRELAB_STORE_URL": launch.store_url,
        **own,
    }


def cores(launch: Launch) -> int:
    """Return how many CPUs a contender has."""
    return len(launch.cpus) or len(os.sched_getaffinity(0))
