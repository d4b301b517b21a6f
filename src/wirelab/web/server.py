"""Serve an application until a signal."""

import asyncio
import socket
from collections.abc import Callable

import uvicorn
from starlette.applications import Starlette

from wirelab.web.connection import MOST_CONNECTIONS, LimitedConnection

GRACE_S = 1
"""Seconds for responses to end after a signal; streams would never end."""


def serve(
    app: Starlette, listening: socket.socket, *, started: Callable[[], None] | None = None
) -> None:
    """Serve until SIGINT or SIGTERM, then wait for current responses and return.

    `started` is called when the server is ready.
    """
    config = uvicorn.Config(
        app,
        http=LimitedConnection,
        ws="none",
        loop="asyncio",
        lifespan="auto",
        log_config=None,
        log_level="critical",  # Only the command writes to the terminal.
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
        limit_concurrency=MOST_CONNECTIONS,
    )
    try:
        asyncio.run(_serve(uvicorn.Server(config), listening, started))
    except KeyboardInterrupt:
        pass  # uvicorn raises the signal again that stopped it.
    finally:
        listening.close()


async def _serve(
    server: uvicorn.Server, listening: socket.socket, started: Callable[[], None] | None
) -> None:
    if started is None:
        await server.serve(sockets=[listening])
        return
    task = asyncio.create_task(server.serve(sockets=[listening]))
    while not (server.started or task.done()):
        await asyncio.sleep(0.01)
    if server.started:
        started()
    await task
