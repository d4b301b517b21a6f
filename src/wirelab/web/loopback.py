"""Pages are served on this machine's loopback address only."""

import errno
import socket

from wirelab.errors import LabError

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
"""The host names that requests may use. Other names could belong to attackers."""


class LoopbackError(LabError):
    """The port is not available; the hint names a remedy."""


def bind_loopback(port: int, option: str) -> socket.socket:
    """Listen on a port of loopback (0: any free port). `option` is how users choose another.

    Raises `LoopbackError` if that is not possible.
    """
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    # A port that was in use a moment ago can be reused; one that is still in use cannot.
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()
    except OSError as error:
        listening.close()
        raise LoopbackError(*_explained(error, port, option)) from error
    return listening


def address_of(listening: socket.socket) -> str:
    """Return the address of a page server, for users to open."""
    return f"http://{HOST}:{port_of(listening)}/"


def port_of(listening: socket.socket) -> int:
    """Return the port that a socket listens on."""
    return int(listening.getsockname()[1])


def _explained(error: OSError, port: int, option: str) -> tuple[str, str]:
    if error.errno == errno.EADDRINUSE:
        return f"another program uses port {port}", f"choose another: {option}"
    if error.errno == errno.EACCES:
        return f"port {port} needs privileges", f"choose one from 1024 to 65535: {option}"
    return f"cannot listen on port {port}: {error.strerror}", f"choose another: {option}"
