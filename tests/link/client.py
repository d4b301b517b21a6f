"""What runs at the client's end of a link: `client.py WHAT HOST PORT …`; prints JSON.

It imports nothing of wirelab: it must start quickly, in a network namespace of its own.
"""

import json
import socket
import sys
import time


def echo(host: str, port: int, count: int) -> list[float]:
    """Send datagrams one by one, and return how long each answer took, in ms."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
        channel.settimeout(10)
        channel.connect((host, port))
        took = []
        for _ in range(count):
            began = time.monotonic()
            channel.send(b"x" * 64)
            channel.recv(100)
            took.append(1e3 * (time.monotonic() - began))
        return took


def send(host: str, port: int, count: int, size: int, burst: int) -> int:
    """Send numbered datagrams, with a pause after so many; return how many went out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
        channel.connect((host, port))
        for number in range(count):
            channel.send(number.to_bytes(4, "big").ljust(size, b"x"))
            if (number + 1) % burst == 0:
                time.sleep(0.002)
        return count


def download(host: str, port: int, wanted: int) -> list[tuple[float, int]]:
    """Read so many bytes from a TCP connection; return when how many had come."""
    with socket.create_connection((host, port), timeout=30) as channel:
        began, read, course = time.monotonic(), 0, []
        while read < wanted:
            data = channel.recv(1 << 16)
            if not data:
                raise SystemExit(f"only {read} of {wanted} bytes came")
            read += len(data)
            course.append((time.monotonic() - began, read))
        return course


if __name__ == "__main__":
    what, host, *numbers = sys.argv[1:]
    print(json.dumps(globals()[what](host, *map(int, numbers))))
