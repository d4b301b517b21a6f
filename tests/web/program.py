"""A server of four pages: `python program.py PORT [SECONDS]`; the seconds limit a request.

It says where it is, and when it has ended.
"""

import asyncio
import sys
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from wirelab.terminal.console import error
from wirelab.web import (
    LoopbackError,
    Pages,
    address_of,
    application,
    bind_loopback,
    connection,
    serve,
)

pages = Pages("wirelab.web")


async def first(request: Request) -> Response:
    return pages.respond(request, "error.html", status=200, detail="<script>", path="/")


async def faulty(_: Request) -> Response:
    raise ValueError("<b>never</b> \x1b[31m")


async def stream(_: Request) -> Response:
    async def endless() -> AsyncIterator[str]:
        while True:
            yield "data: .\n\n"
            await asyncio.sleep(0.1)

    return StreamingResponse(endless(), media_type="text/event-stream")


async def flood(_: Request) -> Response:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"." * 65_536
            await asyncio.sleep(0)  # uvicorn swallows what is sent to a client that has gone.

    return StreamingResponse(endless())


def main() -> None:
    if sys.argv[2:]:
        connection.REQUEST_S = float(sys.argv[2])
    pages_by_path = {"/": first, "/faulty": faulty, "/stream": stream, "/flood": flood}
    routes = [Route(path, page) for path, page in pages_by_path.items()]
    try:
        listening = bind_loopback(int(sys.argv[1]), "--port")
    except LoopbackError as failed:
        error(str(failed))
        sys.exit(3)
    address = address_of(listening)
    serve(application(routes, pages), listening, started=lambda: print(address, flush=True))
    print("ended", flush=True)


main()
