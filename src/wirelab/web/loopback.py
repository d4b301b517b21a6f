"""Where pages are served: on this machine's loopback address, and nowhere else."""

import errno
import socket

from wirelab.errors import LabError

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
"""By what a browser may ask for a page. Any other name is somebody else's that leads here."""


class LoopbackError(LabError):
    """The port cannot be had; the hint names a way out."""


def bind_loopback(port: int, option: str) -> socket.socket:
    """Listen on a port of loopback (0: any that is free). `option` is how users choose another.

    Raises `LoopbackError` where that is not possible.
    """
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    # A port that was in use a moment ago may be had again; one that is in use may not.
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()
    except OSError as error:
        listening.close()
        raise LoopbackError(*_explained(error, port, option)) from error
    return listening


def address_of(listening: socket.socket) -> str:
    """Return the address of a page server, for people to open."""
    return f"http://{HOST}:{port_of(listening)}/"


def port_of(listening: socket.socket) -> int:
    """Return the port that a socket listens on."""
    return int(listening.getsockname()[1])


def _explained(error: OSError, port: int, option: str) -> tuple[str, str]:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is taken by another program", f"choose another: {option}"
    if error.errno == errno.EACCES:
        return f"port {port} needs privileges", f"choose one from 1024 to 65535: {option}"
    return f"port {port} cannot be had: {error.strerror}", f"choose another: {option}"
