"""Limits of CPUs and memory for a server that wirelab starts, by a control group."""

import secrets
import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qsl

from pydantic import TypeAdapter

from wirelab.errors import LabError
from wirelab.lab.errors import StoreError
from wirelab.lab.processes.ending import limit_reached
from wirelab.study.limits import ResourceLimits

ROOT = Path("/sys/fs/cgroup")
FORM = "cpus=NUMBER&memory_mb=NUMBER"
PERIOD_US = 100_000
"""The period of the CPU limit: the kernel's default."""
KILL_COUNTERS = ("memory.events", "memory.oom_control")
"""The files with the number of processes killed for their memory, in both hierarchies."""


def parse_limits(text: str) -> ResourceLimits:
    """Read the limits of an embedded store, such as cpus=2&memory_mb=1024. Raises `StoreError`."""
    try:
        words = dict(parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text)))
        number = TypeAdapter(int | float)
        return ResourceLimits.model_validate(
            {key: number.validate_strings(word) for key, word in words.items()}
        )
    except ValueError:  # a `ValidationError` is one
        raise StoreError(
            f"invalid limits for an embedded store: {text!r}",
            f"write them as {FORM}, at least 0.01 CPUs and 64 MiB",
        ) from None


def why_no_limits(limits: ResourceLimits, root: Path = ROOT) -> str:
    """Return why servers outside of containers cannot be limited here; empty if they can."""
    try:
        if limits:
            ControlGroup(limits, "servers", root).remove()
    except LabError as error:
        return str(error)
    return ""


class ControlGroup:
    """Folders of the kernel, one for each controller if there are two hierarchies (version 1).

    `role` is the server's name in messages. A folder can be removed only when it contains no
    processes. Raises `LabError` if limits cannot be set.
    """

    def __init__(self, limits: ResourceLimits, role: str, root: Path = ROOT) -> None:
        name = f"wirelab-{secrets.token_hex(4)}"
        self.folders: dict[Path, Mapping[str, int | str]] = {}
        self._note = limit_reached(role, limits.memory_mb or 0)
        self._kills_before = 0
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
            raise LabError(
                f"cannot limit {role} on this machine: {error}",
                "run as root, with the cgroup controllers cpu and memory, or omit the limits",
            ) from error

    def add(self, pids: Iterable[int]) -> None:
        """Move processes into the group; their later children start in it."""
        for pid in pids:
            for folder in self.folders:
                with suppress(ProcessLookupError):
                    (folder / "cgroup.procs").write_text(str(pid))

    def begin(self) -> None:
        """Forget kills until now: the server is new, or has been restarted."""
        self._kills_before = self._kills()

    def note(self) -> str:
        """Return that the kernel has killed a process for its memory; "" if it has not."""
        return self._note if self._kills() > self._kills_before else ""

    def _kills(self) -> int:
        """Return how many processes of the group the kernel has killed for their memory."""
        for file in self._counters():
            with suppress(OSError):
                counters = dict(line.split() for line in file.read_text().splitlines())
                return int(counters.get("oom_kill", 0))
        return 0

    def _counters(self) -> list[Path]:
        return [folder / file for folder in self.folders for file in KILL_COUNTERS]

    def remove(self) -> None:
        """Remove the group when it is empty."""
        for folder in self.folders:
            with suppress(OSError):
                folder.rmdir()

    def removing(self, then: Sequence[str | Path] = ()) -> list[str | Path]:
        """Return a command that reports kills, removes the group, and then runs another one."""
        killed = f"grep -qsE '^oom_kill [1-9]' {shlex.join(map(str, self._counters()))}"
        report = f"{killed} && echo {shlex.quote(self._note)} >&2"
        script = f'{report}; rmdir {shlex.join(map(str, self.folders))}; "$@"'
        return ["sh", "-c", script, "sh", *(then or ["true"])]
