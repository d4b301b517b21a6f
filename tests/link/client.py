"""What tests and benches run at the client's end of a link: `client.py WHAT HOST NUMBER …`.

It prints JSON, and imports nothing of wirelab: it must start quickly, in a network namespace of its
own.
"""

import json
import os
import socket
import struct
import sys
import time
from contextlib import suppress

ECHO_REPLY, ECHO_REQUEST = 0, 8
ETH_P_IP = 0x0800
SO_RCVBUFFORCE, SO_TIMESTAMPNS = 33, 35
"""From the kernel's headers, for what Python has no names."""


def ping(host: str, count: int) -> list[float]:
    """Send ICMP echo requests one by one, and return the round trips of those answered, in ms."""
    number = os.getpid() & 0xFFFF
    with stamped(socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)) as channel:
        channel.settimeout(2)
        channel.connect((host, 0))
        took = []
        for sequence in range(count):
            began = time.time()
            channel.send(echo_request(number, sequence))
            with suppress(TimeoutError):  # lost
                took.append(1e3 * (answered(channel, number, sequence) - began))
        return took


def answered(channel: socket.socket, number: int, sequence: int) -> float:
    """Wait for the answer to an echo request; return when it arrived."""
    while True:
        arrived, packet = receive(channel, 256)
        kind, _, _, *whose = struct.unpack_from("!BBHHH", packet, header_bytes(packet))
        if kind == ECHO_REPLY and whose == [number, sequence]:
            return arrived


def echo_request(number: int, sequence: int) -> bytes:
    """Return an ICMP message of 64 bytes, as `ping` sends it (RFC 792)."""
    message = struct.pack("!BBHHH", ECHO_REQUEST, 0, 0, number, sequence).ljust(64, b"x")
    total = sum(struct.unpack("!32H", message))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return message[:2] + struct.pack("!H", ~total & 0xFFFF) + message[4:]


def send(host: str, port: int, count: int, size: int, burst: int) -> int:
    """Send numbered datagrams, with a pause after a number of them; return how many were sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
        channel.connect((host, port))
        for number in range(count):
            channel.send(number.to_bytes(4, "big").ljust(size, b"x"))
            if (number + 1) % burst == 0:
                time.sleep(0.002)
        return count


def download(host: str, port: int, expected: int) -> list[tuple[float, int]]:
    """Read a number of bytes from a TCP connection; return when how many had arrived.

    They all find room in the kernel: no sender waits for this program to read.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as channel:
        channel.settimeout(30)
        channel.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 16 << 20)
        channel.connect((host, port))
        began, read, course = time.monotonic(), 0, []
        while read < expected:
            data = channel.recv(1 << 16)
            if not data:
                raise SystemExit(f"only {read} of {expected} bytes came")
            read += len(data)
            course.append((time.monotonic() - began, read))
        return course


def drain(host: str, port: int) -> list[float]:
    """Read a TCP connection to its end; return the seconds, and the bytes."""
    with socket.create_connection((host, port), timeout=60) as channel:
        began, read = time.monotonic(), 0
        while data := channel.recv(1 << 18):
            read += len(data)
        return [time.monotonic() - began, read]


def capture(host: str, port: int, expected: int) -> list[tuple[float, int]]:
    """Download a number of bytes; return when each data segment arrived, in s, and its bytes.

    It is the network device that is listened to, not the connection.
    """
    any_ip = socket.htons(ETH_P_IP)
    with stamped(socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, any_ip)) as tap:
        tap.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 16 << 20)
        download(host, port, expected)
        tap.setblocking(False)
        segments: list[tuple[float, int]] = []
        while True:
            try:
                arrived, packet = receive(tap, 128)
            except BlockingIOError:
                return segments
            (total,) = struct.unpack_from("!H", packet, 2)
            transport = header_bytes(packet)
            (source,) = struct.unpack_from("!H", packet, transport)
            data = total - transport - 4 * (packet[transport + 12] >> 4)
            if packet[9] == socket.IPPROTO_TCP and source == port and data > 0:
                segments.append((arrived, data))


def stamped(channel: socket.socket) -> socket.socket:
    """Have the kernel say when packets arrive: the time a program takes to wake up is not in it."""
    channel.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    return channel


def receive(channel: socket.socket, most: int) -> tuple[float, bytes]:
    """Return when the next packet arrived (in s, as `time.time`), and its first bytes."""
    packet, ((_, _, stamp),), _, _ = channel.recvmsg(most, socket.CMSG_SPACE(16))
    seconds, nanoseconds = struct.unpack("@ll", stamp)
    return seconds + nanoseconds / 1e9, packet


def header_bytes(packet: bytes) -> int:
    """Return how long the IP header is that a packet begins with."""
    return 4 * (packet[0] & 0x0F)


if __name__ == "__main__":
    what, host, *numbers = sys.argv[1:]
    print(json.dumps(globals()[what](host, *map(int, numbers))))
