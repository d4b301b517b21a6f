"""Inject faults (signals, limits, disks, ports and clocks), and revert them."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.faults.clock import Clock
from tests.faults.matrix import CLOCKS, DISKS, PHASES_BY_TARGET, SIGNALS, Case, Fault, Target, World

STOPPED_S = 2.0
"""Duration of a suspension of the laboratory, the only fault that ends by itself."""
ROOM_BYTES = 8 << 20
"""The memory that a process may still allocate when memory is limited."""
PORT_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
NARROW = range(40_000, 40_002)
WORDS = {
    Target.CONTENDER: "server.py",
    Target.CONTENDERS_GUARD: "server.py",
    Target.PROXY: "nginx",
    Target.ENGINE: "wirelab-load",
    Target.ENGINES_GUARD: "wirelab-load",
}
"""The words in a guard's command that identify its program."""
STORES = {World.DOCUMENTS: "wirelab-ferretdb"}
"""The same, of stores other than PostgreSQL."""


@dataclass(frozen=True, slots=True)
class Places:
    """The folders that the laboratory writes to."""

    output: Path
    temporary: Path


@contextmanager
def injected(
    case: Case, laboratory: int, places: Places, clock: Clock | None = None
) -> Iterator[None]:
    """Inject the fault of a case into its target during the `with` block."""
    if case.fault in SIGNALS:
        for pid in _processes(case, laboratory):
            with suppress(ProcessLookupError):  # a worker of the store ends with its parent
                os.kill(pid, SIGNALS[case.fault])
        if (case.target, case.fault) == (Target.LAB, Fault.SIGSTOP):
            time.sleep(STOPPED_S)
            os.kill(laboratory, signal.SIGCONT)
        yield
    elif case.fault in DISKS:
        disk = places.temporary if case.target == Target.STORE else places.output
        spoiled = _full if case.fault == Fault.DISK_FULL else _read_only
        with spoiled(disk):
            yield
    elif case.fault == Fault.PORTS:
        with no_ports():
            yield
    elif case.fault in CLOCKS:
        assert clock is not None, "no process uses a changeable clock"
        if case.phase in PHASES_BY_TARGET[case.target]:
            for pid in _processes(case, laboratory):
                clock.require(pid)
        with clock.moved(CLOCKS[case.fault]):
            yield
    else:
        limit = _limit_memory if case.fault == Fault.MEMORY else _limit_descriptors
        for pid in _processes(case, laboratory):
            limit(psutil.Process(pid))
        yield


def _processes(case: Case, laboratory: int) -> list[int]:
    """Return the processes of the target; of several contenders, those of the first."""
    target = case.target
    if target == Target.LAB:
        return [laboratory]
    guard = _guard(laboratory, WORDS.get(target, STORES.get(case.world, "--single")))
    if target in {Target.CONTENDERS_GUARD, Target.ENGINES_GUARD, Target.STORES_GUARD}:
        return [guard.pid]
    found: list[int] = [child.pid for child in guard.children(recursive=True)]
    if target == Target.STORE and case.world != World.DOCUMENTS:  # its shell is the lab's
        found = [pid for pid in found if psutil.Process(pid).name() == "postgres"]
        return sorted(found, key=lambda pid: psutil.Process(pid).create_time())
    return found


def _guard(laboratory: int, word: str) -> psutil.Process:
    for child in sorted(psutil.Process(laboratory).children(), key=lambda each: each.pid):
        command = child.cmdline()
        if any(word in part for part in command[command.index("--") :] if "--" in command):
            return child
    raise LookupError(f"no guard of {word} among the children of the laboratory")


def _limit_memory(process: psutil.Process) -> None:
    _limit(process, "as", process.memory_info().vms + ROOM_BYTES)


def _limit_descriptors(process: psutil.Process) -> None:
    _limit(process, "nofile", process.num_fds())


def _limit(process: psutil.Process, resource: str, most: int) -> None:
    """Limit a process as its owner: root needs a separate capability to limit those of others."""
    subprocess.run(
        ["prlimit", "--pid", str(process.pid), f"--{resource}={most}:{most}"],
        user=process.uids().real,
        group=process.gids().real,
        extra_groups=[],
        check=True,
    )


@contextmanager
def _full(disk: Path) -> Iterator[None]:
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1 << 16))
    yield
    filler.unlink()


@contextmanager
def _read_only(disk: Path) -> Iterator[None]:
    """Mount a folder read-only over itself; files that are already open remain writable."""
    for options in (["--bind", str(disk)], ["-o", "remount,bind,ro"]):
        subprocess.run(["mount", *options, str(disk)], check=True)
    yield
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


@contextmanager
def no_ports() -> Iterator[Callable[[], None]]:
    """Occupy all ports of this network, for listening and for connecting.

    Yields what frees them again.
    """
    before = PORT_RANGE.read_text()
    PORT_RANGE.write_text(f"{NARROW[0]} {NARROW[-1]}")
    taken = [socket.socket() for _ in NARROW]
    for listener, port in zip(taken, NARROW, strict=True):
        listener.bind(("127.0.0.1", port))
        listener.listen()

    def free() -> None:
        for listener in taken:
            listener.close()
        PORT_RANGE.write_text(before)

    yield free
    free()
