"""A server of three pages: `python program.py PORT`. It says where it is, and when it has ended."""

import asyncio
import sys
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from wirelab.terminal.console import error
from wirelab.web import LoopbackError, Pages, address_of, application, bind_loopback, serve

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


def main() -> None:
    routes = [Route("/", first), Route("/faulty", faulty), Route("/stream", stream)]
    try:
        listening = bind_loopback(int(sys.argv[1]), "--port")
    except LoopbackError as failed:
        error(str(failed))
        sys.exit(3)
    address = address_of(listening)
    serve(application(routes, pages), listening, started=lambda: print(address, flush=True))
    print("ended", flush=True)


main()
