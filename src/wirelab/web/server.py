"""Serving an application until it is told to stop."""

import asyncio
import socket
from collections.abc import Callable

import uvicorn
from starlette.applications import Starlette

GRACE_S = 1
"""Seconds that responses have to end in, once a stop is asked for; streams never would."""

MOST_CONNECTIONS = 200


def serve(
    app: Starlette, listening: socket.socket, *, started: Callable[[], None] | None = None
) -> None:
    """Serve until SIGINT or SIGTERM, then let what is under way end and return.

    `started` is called when the first request would be answered.
    """
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        loop="asyncio",
        lifespan="auto",
        log_config=None,
        log_level="critical",  # The terminal is the command's own.
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
        limit_concurrency=MOST_CONNECTIONS,
    )
    try:
        asyncio.run(_serve(uvicorn.Server(config), listening, started))
    except KeyboardInterrupt:
        pass  # uvicorn raises the signal anew that it stopped for.
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
