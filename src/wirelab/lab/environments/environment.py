"""Environments in which contenders run. `native` is this machine itself."""

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Protocol

from wirelab.inputs.problems import shown
from wirelab.lab.contenders.build import BuiltContender, build
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.contenders.named_programs import programs_of_start
from wirelab.lab.contenders.placeholder import fill
from wirelab.lab.errors import ContenderError
from wirelab.lab.network.ports import is_listener
from wirelab.lab.processes.account import (
    CONTENDER,
    first_unreadable,
    program_files,
    unprivileged_account,
)
from wirelab.lab.processes.cpu import plan_cpus
from wirelab.lab.processes.process import NotStartedError, start_guarded
from wirelab.study.limits import UNLIMITED, ResourceLimits
from wirelab.terminal import words

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Launch:
    """The parameters for starting a contender."""

    host: str
    port: int
    store_kind: str
    store_url: str = field(repr=False)
    cpus: tuple[int, ...]
    log_path: Path
    limits: ResourceLimits = UNLIMITED


class Launched(Protocol):
    """A contender's processes, in any environment."""

    @property
    def pid(self) -> int:
        """The process whose end ends all others."""

    @property
    def root_pid(self) -> int | None:
        """Its first process, by this machine's pid; None before its start."""

    @property
    def log_path(self) -> Path:
        """The file with its output."""

    @property
    def killed(self) -> bool:
        """Whether some of its processes ignored SIGTERM when they were stopped, if it is known."""

    def poll(self) -> int | None:
        """Return the exit code; None while it runs."""

    def stop(self) -> int:
        """End all its processes."""

    def log_tail(self, lines: int = 20) -> str:
        """Return the last lines of its output."""


@dataclass(frozen=True, slots=True)
class InContainer:
    """A container as the subject of resource counters."""

    pid: int
    """One of its processes, by this machine's pid."""


Counted = int | InContainer
"""The subject of resource counters: a process with its descendants, or a container."""


class Environment(ABC):
    """An environment in which contenders can run."""

    name: str
    publishes: ClassVar[bool] = False
    """Whether another program accepts connections to the port before the contender does."""

    def store_host(self) -> str:
        """Return this machine's address at which its contenders reach wirelab's own stores."""
        return LOOPBACK

    @abstractmethod
    def missing(self) -> str:
        """Return why it cannot be used on this machine; "" if it can."""

    @abstractmethod
    def cannot_run(self, contender: Contender) -> str:
        """Return what a contender lacks to run in it; "" if it can be built."""

    def facts(self) -> Mapping[str, str]:
        """Return facts for the report: names and texts. Empty if host.json contains all."""
        return {}

    @abstractmethod
    def build(self, contender: Contender, log_path: Path) -> BuiltContender:
        """Build the contender for this environment."""

    @abstractmethod
    def launch(self, built: BuiltContender, launch: Launch) -> Launched:
        """Start the contender, without waiting until it is ready."""

    @abstractmethod
    def listens(self, process: Launched, port: int) -> bool:
        """Return whether this contender, and no other program, listens on the port."""

    def peer_host(self, process: Launched, host: str) -> str:  # noqa: ARG002
        """Return the address at which its contenders reach each other; `host` is this machine's."""
        return host

    @abstractmethod
    def counted(self, process: Launched, port: int) -> Mapping[str, Counted]:
        """Return the subjects of counters by role: the contender, and programs only for it."""


class Native(Environment):
    """This machine, without further layers."""

    name = "native"

    def missing(self) -> str:
        """Nothing: this machine is always available."""
        return ""

    def cannot_run(self, contender: Contender) -> str:
        """Check for the programs that it needs, or for the address of an external server."""
        if contender.address is not None and not contender.written_address():
            return f"{contender.address} is not set"
        return "; ".join(contender.unmet_requirements().values())

    def build(self, contender: Contender, log_path: Path) -> BuiltContender:
        """Build into the cache; see `wirelab.lab.contenders.build`.

        Raises `ContenderError` with all programs of its commands that do not exist now.
        """
        built = build(contender, log_path)
        wrong = [program.problem(built.folder) for program in programs_of_start(contender)]
        if any(wrong):
            raise ContenderError("\n".join(map(str, filter(None, wrong))))
        return built

    def launch(self, built: BuiltContender, launch: Launch) -> Launched:
        """Start the contender under the guard, in its own folder, without root privileges."""
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
            where = f"{shown(file)}: " if file.is_file() else ""
            raise ContenderError(f"{where}{error.what}") from None
        process.limit()
        return process

    def listens(self, process: Launched, port: int) -> bool:
        """Search for the listening socket in the open files of the contender's processes."""
        return is_listener(process.pid, port)

    def counted(self, process: Launched, port: int) -> Mapping[str, Counted]:  # noqa: ARG002
        """Count only the contender's processes."""
        return {"contender": process.pid}


class NativeOnCpus(Native):
    """This machine, with servers limited to a number of CPUs.

    Stores and proxies use all CPUs of the system under test: only the server's scaling is measured.
    """

    def __init__(self, name: str, count: int) -> None:
        self.name = name
        self.count = count

    def missing(self) -> str:
        """Compare with the CPUs that the load generator does not use."""
        there = len(plan_cpus().system)
        if there >= self.count:
            return ""
        return (
            f"this machine has only {words.plural(there, 'CPU')} for servers, besides that of"
            " the load generator"
        )

    def launch(self, built: BuiltContender, launch: Launch) -> Launched:
        """Start the contender on the first CPUs of the system under test."""
        return super().launch(built, replace(launch, cpus=launch.cpus[: self.count]))


def _account(built: BuiltContender) -> str | None:
    """Return the user that a contender runs as; None for the current one.

    A command of `wirelab compare` runs as the current user, and so does a contender whose files no
    other user can read, which verification reports.
    """
    account = None if built.contender.inherit else unprivileged_account(CONTENDER)
    return account if account is not None and unreadable(built, account) is None else None


def unreadable(built: BuiltContender, account: str) -> Path | None:
    """Return the first path that a contender needs and an account cannot read, if any."""
    values = {"python": sys.executable, "build": built.folder, "folder": built.contender.folder}
    (program,) = fill(built.contender.command[:1], values)
    needed = (built.folder, built.contender.folder, *program_files(program))
    return first_unreadable(account, needed)


def start_environment(
    contender: Contender, launch: Launch, values: Mapping[str, object]
) -> dict[str, str]:
    """Return a contender's environment variables: few, and the same for every user.

    The size of the environment shifts the stack of a process, which affects its speed.
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
    """Return the number of CPUs of a contender."""
    return len(launch.cpus) or len(os.sched_getaffinity(0))
