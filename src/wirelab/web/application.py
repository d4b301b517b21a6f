"""A web application with checked host names, strict headers and clear errors."""

from collections.abc import Awaitable, Callable, Sequence
from importlib.resources import files

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Lifespan, Message, Receive, Scope, Send

from wirelab.terminal.untrusted import visible
from wirelab.web.loopback import NAMES
from wirelab.web.pages import Pages

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    # A style attribute sets the colour of a contender's mark. Untrusted text never becomes a style.
    " style-src-attr 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'self';"
    " frame-ancestors 'none'"
)
"""What a page may load: its own scripts, styles and data, from its own server."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Headers of every response that does not set them itself."""


def application(
    routes: Sequence[BaseRoute], pages: Pages, *, lifespan: Lifespan[Starlette] | None = None
) -> Starlette:
    """Create an application from routes; it also serves the style sheet and static files.

    Errors have their own pages. A fault in one handler ends one response, not the server.
    `lifespan` is the context in which the application runs.
    """

    async def style(request: Request) -> Response:  # noqa: ARG001
        return Response(pages.style, media_type="text/css")

    async def wrong(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        detail = error.detail if isinstance(error, HTTPException) else _what(error)
        path = visible(request.url.path)
        return pages.respond(
            request, "error.html", status=status, detail=visible(detail), path=path
        )

    shared = files("wirelab.web") / "static"
    return Starlette(
        routes=[
            *routes,
            Route("/style.css", style),
            Mount("/static", StaticFiles(directory=str(shared)), name="static"),
        ],
        middleware=[
            # Otherwise any open web page could read these pages under a name that resolves to
            # loopback (DNS rebinding).
            Middleware(TrustedHostMiddleware, allowed_hosts=NAMES, www_redirect=False),
            Middleware(StrictHeaders),
            Middleware(FaultPages, page=wrong),
        ],
        exception_handlers={HTTPException: wrong},
        lifespan=lifespan,
    )


def _what(error: Exception) -> str:
    return f"cannot render this page: {type(error).__name__}: {error}"


class FaultPages:
    """Turns a fault of a handler into an error page, instead of printing it on the terminal."""

    def __init__(
        self, app: ASGIApp, page: Callable[[Request, Exception], Awaitable[Response]]
    ) -> None:
        self.app = app
        self.page = page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; answer with an error page if the handler fails before its response."""
        has_begun = False

        async def send_and_see(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self.app(scope, receive, send_and_see)
        except Exception as error:
            if has_begun or scope["type"] != "http":
                raise  # The server closes the connection, which marks the response as incomplete.
            response = await self.page(Request(scope), error)
            await response(scope, receive, send)


class StrictHeaders:
    """Adds `HEADERS` to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and complete the headers of its response."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, send_with_headers)
