"""Limits of CPUs and memory for a server that wirelab starts, by a control group."""

import secrets
import shlex
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import parse_qsl

from wirelab.lab.errors import StoreError

ROOT = Path("/sys/fs/cgroup")
FORM = "cpus=NUMBER&memory_mb=NUMBER"
PERIOD_US = 100_000
"""The period of the CPU limit: the kernel's default."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a server; None: no limit."""

    cpus: float | None = None
    memory_mb: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read limits such as cpus=2&memory_mb=1024. Raises `StoreError`."""
        try:
            words = dict(parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text)))
            cpus = float(words.pop("cpus")) if "cpus" in words else None
            memory_mb = int(words.pop("memory_mb")) if "memory_mb" in words else None
            right = not words and (cpus is None or cpus >= 0.01) and (memory_mb or 64) >= 64
        except ValueError:
            right, cpus, memory_mb = False, None, None
        if not right:
            raise StoreError(
                f"invalid limits for an embedded store: {text!r}",
                f"write them as {FORM}, at least 0.01 CPUs and 64 MiB",
            )
        return cls(cpus, memory_mb)

    def __bool__(self) -> bool:
        return self.cpus is not None or self.memory_mb is not None

    def declared(self) -> dict[str, str]:
        """Return the limits to declare with results, by name."""
        told = {}
        if self.cpus is not None:
            told["limit: CPUs"] = f"{self.cpus:g}"
        if self.memory_mb is not None:
            told["limit: memory"] = f"{self.memory_mb}MB"
        return told


class ControlGroup:
    """Folders of the kernel, one for each controller if there are two hierarchies (version 1).

    A folder can be removed only when it contains no processes.
    """

    def __init__(self, limits: Limits, root: Path = ROOT) -> None:
        name = f"wirelab-{secrets.token_hex(4)}"
        self.folders: dict[Path, Mapping[str, int | str]] = {}
        unified = (root / "cgroup.controllers").exists()
        quota_us = None if limits.cpus is None else int(limits.cpus * PERIOD_US)
        bytes_ = None if limits.memory_mb is None else limits.memory_mb << 20
        if unified:
            cpu = {} if quota_us is None else {"cpu.max": f"{quota_us} {PERIOD_US}"}
            memory = {} if bytes_ is None else {"memory.max": bytes_}
            self.folders[root / name] = {**cpu, **memory}
        else:
            if quota_us is not None:
                period = {"cpu.cfs_period_us": PERIOD_US, "cpu.cfs_quota_us": quota_us}
                self.folders[root / "cpu" / name] = period
            if bytes_ is not None:
                self.folders[root / "memory" / name] = {"memory.limit_in_bytes": bytes_}
        try:
            for folder, files in self.folders.items():
                folder.mkdir()
                for file, value in files.items():
                    # A missing control file must not be created: only the kernel creates them.
                    with (folder / file).open("r+") as control:
                        control.write(str(value))
        except OSError as error:
            self.remove()
            raise StoreError(
                f"cannot limit the store on this machine: {error}",
                "run as root, with the cgroup controllers cpu and memory, or omit the limits",
            ) from error

    def add(self, pids: Iterable[int]) -> None:
        """Move processes into the group; their later children start in it."""
        for pid in pids:
            for folder in self.folders:
                with suppress(ProcessLookupError):
                    (folder / "cgroup.procs").write_text(str(pid))

    def remove(self) -> None:
        """Remove the group when it is empty."""
        for folder in self.folders:
            with suppress(OSError):
                folder.rmdir()

    def removal(self) -> str:
        """Return the shell command that removes the group."""
        return f"rmdir {shlex.join(map(str, self.folders))}" if self.folders else "true"
