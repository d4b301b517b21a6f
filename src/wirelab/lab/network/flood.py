"""Send datagrams as fast as possible: `python flood.py HOST PORT SECONDS SIZE`; print their number.

It runs at the client's end of a link, so it does not import wirelab.
"""

import socket
import sys
import time

BATCH = 64
"""Number of datagrams between two reads of the clock."""


def flood(host: str, port: int, seconds: float, size: int) -> int:
    """Send datagrams to a port for a time; return the number that the kernel accepted."""
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
                    continue  # datagrams that the kernel rejects are not sent
    return sent


if __name__ == "__main__":
    host, port, seconds, size = sys.argv[1:]
    print(flood(host, int(port), float(seconds), int(size)))
