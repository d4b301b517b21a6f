"""Ports of this machine: find a free TCP port, and the processes that listen on a port."""

import os
import socket
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import psutil

from wirelab.lab.network.listening import ListeningSocket, ask_kernel, read_tables
from wirelab.lab.processes.process_table import ProcessTable

PROC = Path("/proc")


def free_port(host: str = "127.0.0.1") -> int:
    """Return a port without a listener. Another program may take it before it is used."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return port


def is_taken(port: int, host: str = "127.0.0.1") -> bool:
    """Return whether a connection to the port is accepted."""
    try:
        socket.create_connection((host, port), timeout=1).close()
    except OSError:
        return False
    return True


def is_listener(root: int, port: int, proc: Path = PROC) -> bool:
    """Return whether a process or a descendant has the listening socket of a port.

    Otherwise a server that already uses the port would be measured instead of the contender.
    """
    return _have_one(root, _listening(port, proc), proc)


def listening_addresses(pids: Iterable[int]) -> list[str]:
    """Return the addresses at which processes accept TCP connections, as "host:port"."""
    addresses = set()
    for pid in pids:
        with suppress(psutil.Error):
            for each in psutil.Process(pid).net_connections("tcp"):
                if each.status == psutil.CONN_LISTEN:
                    host, port = each.laddr
                    addresses.add(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
    return sorted(addresses)


def listener_pids(port: int, proc: Path = PROC) -> set[int]:
    """Return the processes that have a listening socket of a port, as far as permitted."""
    inodes = {each.inode for each in _listening(port, proc)}
    if not inodes:
        return set()
    pids = {int(entry.name) for entry in proc.iterdir() if entry.name.isdecimal()}
    return {pid for pid in pids if inodes & _socket_inodes(proc / str(pid) / "fd")}


def is_exposed(root: int, port: int, proc: Path = PROC) -> bool:
    """Return whether a process or a descendant listens on a port beyond the loopback addresses."""
    sockets = [each for each in _listening(port, proc) if not each.is_loopback]
    return _have_one(root, sockets, proc)


def is_open_for(pid: int, port: int, proc: Path = PROC) -> bool:
    """Return whether any program listens on a port in the network namespace of a process.

    This suffices for a container's network, which only the container uses.
    """
    return bool(read_tables(port, proc / str(pid) / "net"))


def _listening(port: int, proc: Path) -> list[ListeningSocket]:
    if proc == PROC:
        with suppress(OSError):
            return ask_kernel(port)
    return read_tables(port, proc / "net")


def _have_one(root: int, sockets: Iterable[ListeningSocket], proc: Path) -> bool:
    """Return whether a process or a descendant has one of the sockets."""
    inodes = {each.inode for each in sockets}
    if not inodes:  # as long as a server starts: then the processes need not be listed
        return False
    table = ProcessTable(proc)
    return any(
        inodes & _socket_inodes(proc / str(pid) / "fd")
        for family in (table.quick_family, table.family)  # nearly always, the first has it
        for pid in family(root)
    )


def _socket_inodes(folder: Path) -> set[str]:
    inodes = set()
    try:
        for entry in os.scandir(folder):
            target = os.readlink(entry.path)
            if target.startswith("socket:["):
                inodes.add(target.removeprefix("socket:[").removesuffix("]"))
    except OSError:  # the process has ended, or belongs to another user
        return inodes
    return inodes
