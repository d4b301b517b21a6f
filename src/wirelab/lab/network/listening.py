"""The listening sockets of a port: ask the kernel for them, or read its tables.

Reading /proc/net/tcp takes milliseconds, in which the kernel searches its table of connections. A
server whose start is watched would have to share the CPUs with that.
"""

import ipaddress
import socket
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TCP_LISTEN, UDP_UNCONNECTED = 10, 7
"""The states of listening sockets (include/net/tcp_states.h)."""
STATES = {
    ("tcp", socket.AF_INET): TCP_LISTEN,
    ("tcp6", socket.AF_INET6): TCP_LISTEN,
    ("udp", socket.AF_INET): UDP_UNCONNECTED,
    ("udp6", socket.AF_INET6): UDP_UNCONNECTED,
}

# sock_diag(7)
NETLINK_SOCK_DIAG = 4
SOCK_DIAG_BY_FAMILY = 20
NLM_F_REQUEST_DUMP = 0x301
NLMSG_ERROR, NLMSG_DONE = 2, 3
HEADER = struct.Struct("=IHHII")  # length, type, flags, sequence number, port
QUERY = struct.Struct("=BBBxI2s46x")  # family, protocol, extensions, states, source port, the rest
SOCKET = struct.Struct("=4x4x16s44xI")  # …, source address, …, inode
RECEIVED_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class ListeningSocket:
    """The address that a socket is bound to, and its inode as /proc/PID/fd names it."""

    address: ipaddress.IPv4Address | ipaddress.IPv6Address
    inode: str

    @property
    def is_loopback(self) -> bool:
        """Return whether only this machine reaches it."""
        mapped = getattr(self.address, "ipv4_mapped", None)  # of a socket for both versions
        return (mapped or self.address).is_loopback


def ask_kernel(port: int) -> list[ListeningSocket]:
    """Return the listening sockets of a port, TCP and UDP.

    Raises `OSError` if the kernel does not answer such questions.
    """
    sockets: list[ListeningSocket] = []
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_SOCK_DIAG) as kernel:
        for (table, family), state in STATES.items():
            protocol = socket.IPPROTO_TCP if table.startswith("tcp") else socket.IPPROTO_UDP
            query = QUERY.pack(family, protocol, 0, 1 << state, port.to_bytes(2, "big"))
            length = HEADER.size + len(query)
            kernel.send(HEADER.pack(length, SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST_DUMP, 0, 0) + query)
            for message in _messages(kernel):
                packed, inode = SOCKET.unpack_from(message)
                size = 4 if family == socket.AF_INET else 16
                sockets.append(ListeningSocket(ipaddress.ip_address(packed[:size]), str(inode)))
    return sockets


def _messages(kernel: socket.socket) -> Iterator[bytes]:
    """Yield the content of each message of an answer."""
    while True:
        received = kernel.recv(RECEIVED_BYTES)
        while received:
            length, kind, *_ = HEADER.unpack_from(received)
            if kind == NLMSG_DONE:
                return
            content = received[HEADER.size : length]
            if kind == NLMSG_ERROR:
                raise OSError(-struct.unpack_from("=i", content)[0], "sock_diag")
            yield content
            received = received[(length + 3) & ~3 :]


def read_tables(port: int, net: Path) -> list[ListeningSocket]:
    """Return the listening sockets of a port from tables like those in /proc/net."""
    sockets = []
    for (table, _), state in STATES.items():
        path = net / table
        for line in path.read_text().splitlines()[1:] if path.exists() else ():
            fields = line.split()
            host, _, number = fields[1].rpartition(":")
            if int(fields[3], 16) == state and int(number, 16) == port:
                sockets.append(ListeningSocket(_address(host), fields[9]))
    return sockets


def _address(written: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """Decode an address in the kernel's notation: words of 32 bits."""
    words = (bytes.fromhex(written[at : at + 8]) for at in range(0, len(written), 8))
    packed = b"".join(word[::-1] if sys.byteorder == "little" else word for word in words)
    return ipaddress.ip_address(packed)
