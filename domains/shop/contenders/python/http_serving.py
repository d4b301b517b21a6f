"""What the servers over HTTP share: uvicorn, JSON, deadlines, the size of a body."""

from json import JSONDecodeError
from typing import Any

import uvicorn
from pydantic_core import from_json, to_json
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from deadline import HEADER, within
from refusal import Refusal
from settings import Settings

LARGEST_BODY_BYTES = 1024 * 1024
KEEP_ALIVE_S = 75
GRACE_S = 1


def read_json(text: str | bytes) -> object:
    """Read JSON as pydantic's core does, and refuse it as the standard library does."""
    try:
        return from_json(text)
    except ValueError as error:
        raise JSONDecodeError(str(error), "", 0) from error


class JsonResponse(Response):
    """An answer of plain values, as JSON that pydantic's core writes, like that of REST."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return to_json(content)


class Deadlines:
    """Bounds a request by what its client says of how long it waits."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            left = dict(scope["headers"]).get(HEADER.encode(), b"")
            if left.isdigit():
                scope["left_s"] = int(left) / 1000
        await self._app(scope, receive, send)


async def body_of(request: Any) -> bytes:
    """Read a body that is not too large."""
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > LARGEST_BODY_BYTES:
        raise TooLargeError
    text: bytes = await request.body()
    if len(text) > LARGEST_BODY_BYTES:
        raise TooLargeError
    return text


class TooLargeError(Refusal):
    """A body has too many bytes."""

    def __init__(self) -> None:
        super().__init__("invalid", f"a body has at most {LARGEST_BODY_BYTES} bytes")


def bounded(scope: Scope) -> Any:
    """Return the bounds of a request whose client says how long it waits."""
    return within(scope.get("left_s", 3600.0))


async def run(app: ASGIApp, settings: Settings) -> None:
    """Serve until SIGTERM; requests in flight have a second then."""
    app = Deadlines(app)
    if settings.compressed:
        app = GZipMiddleware(app, minimum_size=0, compresslevel=5)
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        loop="none",  # uvloop runs already
        http="httptools",
        ws="websockets-sansio",
        lifespan="off",
        access_log=False,
        log_level="warning",
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=GRACE_S,
    )
    server = uvicorn.Server(config)
    await server.serve()
