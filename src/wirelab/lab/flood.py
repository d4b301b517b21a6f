"""Sends datagrams as fast as it can: `python flood.py HOST PORT SECONDS SIZE`; prints how many.

It runs at the client's end of a link, so it imports nothing of wirelab.
"""

import socket
import sys
import time

BATCH = 64
"""So many are sent between two looks at the clock."""


def flood(host: str, port: int, seconds: float, size: int) -> int:
    """Send datagrams of a size to a port for so long; return how many the kernel took."""
    sent, datagram = 0, b"x" * size
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
        channel.connect((host, port))
        ends_at = time.monotonic() + seconds
        while time.monotonic() < ends_at:
            for _ in range(BATCH):
                try:
                    channel.send(datagram)
                    sent += 1
                except OSError:
                    continue  # what the kernel does not take is not sent
    return sent


if __name__ == "__main__":
    host, port, seconds, size = sys.argv[1:]
    print(flood(host, int(port), float(seconds), int(size)))
