"""Ports of this machine: find a free TCP port, and the processes that listen on a port."""

import ipaddress
import os
import socket
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil

LISTENING = {"tcp": "0A", "tcp6": "0A", "udp": "07", "udp6": "07"}
"""The kernel's tables of sockets, and the state of listening ones."""
LINE_BYTES = 256
"""More than a line of these tables has."""


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


def is_listener(pids: Iterable[int], port: int, proc: Path = Path("/proc")) -> bool:
    """Return whether one of the processes has the listening socket of a port.

    Otherwise a server that already uses the port would be measured instead of the contender.
    """
    return _is_among(_listening_inodes(port, proc / "net"), pids, proc)


def listening_addresses(pids: Iterable[int]) -> list[str]:
    """Return the addresses at which processes accept TCP connections, as "host:port"."""
    found = set()
    for pid in pids:
        with suppress(psutil.Error):
            for each in psutil.Process(pid).net_connections("tcp"):
                if each.status == psutil.CONN_LISTEN:
                    host, port = each.laddr
                    found.add(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
    return sorted(found)


def listener_pids(port: int, proc: Path = Path("/proc")) -> set[int]:
    """Return the processes that have a listening socket of a port, as far as permitted."""
    inodes = _listening_inodes(port, proc / "net")
    if not inodes:
        return set()
    pids = {int(entry.name) for entry in proc.iterdir() if entry.name.isdecimal()}
    return {pid for pid in pids if inodes & _socket_inodes(proc / str(pid) / "fd")}


def is_exposed(pids: Iterable[int], port: int, proc: Path = Path("/proc")) -> bool:
    """Return whether one of the processes listens on a port on other addresses than loopback."""
    return _is_among(_listening_inodes(port, proc / "net", beyond_loopback=True), pids, proc)


def is_open_for(pid: int, port: int, proc: Path = Path("/proc")) -> bool:
    """Return whether any program listens on a port in the network namespace of a process.

    This suffices for a container's network, which only the container uses.
    """
    return bool(_listening_inodes(port, proc / str(pid) / "net"))


def _is_among(inodes: set[str], pids: Iterable[int], proc: Path) -> bool:
    """Return whether one of the processes has one of the sockets; without any, list no process."""
    return bool(inodes) and any(inodes & _socket_inodes(proc / str(pid) / "fd") for pid in pids)


def _listening_inodes(port: int, net: Path, *, beyond_loopback: bool = False) -> set[str]:
    found = set()
    for fields in _listening(net):
        host, _, number = fields[1].rpartition(":")
        if int(number, 16) == port and not (beyond_loopback and _is_loopback(host)):
            found.add(fields[9])
    return found


def _listening(net: Path) -> Iterator[list[str]]:
    """Yield the fields of each listening socket.

    The kernel lists the listening TCP sockets before all others (its documentation: proc_net_tcp).
    To go on would take milliseconds, in which it searches its table of connections.
    """
    for table, state in LISTENING.items():
        with suppress(FileNotFoundError), (net / table).open("rb", buffering=LINE_BYTES) as lines:
            next(lines, None)  # the names of the columns
            for line in lines:
                fields = line.decode("ascii").split()
                if fields[3] == state:
                    yield fields
                elif table.startswith("tcp"):
                    break


def _is_loopback(written: str) -> bool:
    """Return whether an address in the kernel's notation (32-bit words) is loopback."""
    words = (bytes.fromhex(written[at : at + 8]) for at in range(0, len(written), 8))
    packed = b"".join(word[::-1] if sys.byteorder == "little" else word for word in words)
    address = ipaddress.ip_address(packed)
    mapped = getattr(address, "ipv4_mapped", None)  # an IPv4 address of a socket for both versions
    return (mapped or address).is_loopback


def _socket_inodes(folder: Path) -> set[str]:
    found = set()
    try:
        for entry in os.scandir(folder):
            target = os.readlink(entry.path)
            if target.startswith("socket:["):
                found.add(target.removeprefix("socket:[").removesuffix("]"))
    except OSError:  # the process has ended, or belongs to another user
        return found
    return found
