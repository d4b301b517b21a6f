"""Environments: where contender and store run. `native` is this machine itself."""

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

import psutil

from wirelab.lab.build import BuiltContender, build
from wirelab.lab.contender import Contender
from wirelab.lab.placeholder import fill
from wirelab.lab.ports import is_listener
from wirelab.lab.process import start_guarded


@dataclass(frozen=True, slots=True)
class Launch:
    """What a contender is told when it is started."""

    host: str
    port: int
    store_kind: str
    store_url: str
    cpus: tuple[int, ...]
    log_path: Path


class Launched(Protocol):
    """A contender's processes, wherever they run."""

    pid: int
    """The process all others descend from; what counters are read for."""
    log_path: Path

    def poll(self) -> int | None:
        """Return the exit code, None while it runs."""

    def stop(self) -> int:
        """End all of it."""

    def log_tail(self, lines: int = 20) -> str:
        """Return the last lines it wrote."""


class Environment(ABC):
    """A place where contenders can run."""

    name: ClassVar[str]

    @abstractmethod
    def missing(self) -> str:
        """Return why it cannot be used on this machine; empty when it can."""

    @abstractmethod
    def build(self, contender: Contender, log_path: Path) -> BuiltContender:
        """Make ready what the contender needs here."""

    @abstractmethod
    def launch(self, built: BuiltContender, launch: Launch) -> Launched:
        """Start the contender; it need not be ready yet."""

    @abstractmethod
    def listens(self, process: Launched, port: int) -> bool:
        """Tell whether it is this contender, and nobody else, that listens on the port."""


class Native(Environment):
    """This machine, without anything between."""

    name = "native"

    def missing(self) -> str:
        """Nothing: a machine always has itself."""
        return ""

    def build(self, contender: Contender, log_path: Path) -> BuiltContender:
        """Build into the cache; see `wirelab.lab.build`."""
        return build(contender, log_path)

    def launch(self, built: BuiltContender, launch: Launch) -> Launched:
        """Start the contender under the guard, in its own folder."""
        contender = built.contender
        values: Mapping[str, object] = {
            "python": sys.executable,
            "build": built.folder,
            "folder": contender.folder,
            "cores": len(launch.cpus) or len(os.sched_getaffinity(0)),
            "host": launch.host,
            "port": launch.port,
        }
        names = list(contender.environment)
        own = dict(zip(names, fill(list(contender.environment.values()), values), strict=True))
        return start_guarded(
            fill(contender.command, values),
            role=contender.id,
            log_path=launch.log_path,
            cpus=launch.cpus,
            environment={**_environment(launch), **own},
            cwd=contender.folder,
        )

    def listens(self, process: Launched, port: int) -> bool:
        """Look for the listening socket among the open files of the contender's processes."""
        try:
            descendants = psutil.Process(process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return False
        return is_listener((child.pid for child in descendants), port)


def _environment(launch: Launch) -> dict[str, str]:
    """Make a contender's environment: small, and the same whoever runs the laboratory.

    The size of the environment moves the stack of a process, and with it its speed.
    """
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    return {
        **kept,
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "WIRELAB_HOST": launch.host,
        "WIRELAB_PORT": str(launch.port),
        "WIRELAB_STORE": launch.store_kind,
        "WIRELAB_STORE_URL": launch.store_url,
    }


ENVIRONMENTS: Mapping[str, Environment] = {each.name: each for each in (Native(),)}
"""Every environment there is, by the name that studies use."""
