"""Charts of forked commands, drawn by the process that forks them.

The renderer takes half a second to start, in each process, and a process that has started it
cannot be forked.
"""

import threading
from contextlib import suppress
from functools import cache, partial
from multiprocessing.connection import Client, Connection, Listener
from typing import Any

from wirelab.report.vega import to_svg


def drawn_here() -> dict[str, object]:
    """Return what a forked command replaces so that this process draws its charts."""
    return {"wirelab.report.vega.to_svg": partial(_ask, _address())}


def blank(_: dict[str, Any]) -> str:
    """Return an empty chart, since drawing the charts of a report takes 0.4 s of CPU time."""
    return '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1" viewBox="0 0 1 1"/>'


def _ask(address: str, spec: dict[str, Any]) -> str:
    """Do as `to_svg` does, in the process that listens there."""
    with Client(address, "AF_UNIX") as connection:
        connection.send(spec)
        answer = connection.recv()
        if isinstance(answer, Exception):
            raise answer
        return str(answer)


@cache
def _address() -> str:
    """Listen in a thread, for as long as this process lives."""
    listener = Listener(family="AF_UNIX", backlog=8)
    threading.Thread(target=_serve, args=[listener], name="charts", daemon=True).start()
    return str(listener.address)


def _serve(listener: Listener) -> None:
    while True:
        with listener.accept() as connection:
            _draw(connection)


def _draw(connection: "Connection[str | Exception, dict[str, Any]]") -> None:
    with suppress(EOFError, OSError):  # the command was killed meanwhile
        spec = connection.recv()
        try:
            svg = to_svg(spec)
        except Exception as error:
            connection.send(error)
        else:
            connection.send(svg)
