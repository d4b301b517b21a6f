"""`python -m wirelab.live SOCKET`: serve the live page; standard input has the study's events."""

import socket
import sys

from wirelab.live.page import Page, step_aside
from wirelab.web import serve


def main() -> None:
    """Serve on the listening socket with this descriptor until standard input ends."""
    serve(Page().application(), socket.socket(fileno=int(sys.argv[1])))


if __name__ == "__main__":
    step_aside()
    main()
