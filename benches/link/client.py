"""Runs at the client's end: `client.py echo|download HOST PORT COUNT`; prints JSON."""

import json
import socket
import sys
import time


def echo(host: str, port: int, count: int) -> list[float]:
    """Return how long each of so many datagrams took there and back, in µs."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
        channel.settimeout(10)
        channel.connect((host, port))
        took = []
        for _ in range(count):
            began = time.perf_counter_ns()
            channel.send(b"x" * 64)
            channel.recv(100)
            took.append((time.perf_counter_ns() - began) / 1e3)
            time.sleep(0.001)
        return took


def download(host: str, port: int, _: int) -> list[float]:
    """Read a TCP connection to its end; return the seconds, and the bytes."""
    with socket.create_connection((host, port), timeout=60) as channel:
        began, read = time.monotonic(), 0
        while data := channel.recv(1 << 18):
            read += len(data)
        return [time.monotonic() - began, read]


if __name__ == "__main__":
    what, host, port, count = sys.argv[1:]
    print(json.dumps({"echo": echo, "download": download}[what](host, int(port), int(count))))
