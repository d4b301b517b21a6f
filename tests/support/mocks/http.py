"""An HTTP server in a thread, which answers what a function returns."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.support.http_server import QuietHandler, http_server

Answer = Callable[[str, str, bytes], tuple[int, str, bytes]]
"""Takes method, path with query, and body; returns status, content type, and body."""


@contextmanager
def answering(answer: Answer) -> Iterator[str]:
    """Serve on a free port for as long as the block lasts; yield the address."""

    class Handler(QuietHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def handle_any(self) -> None:
            sent = self.rfile.read(int(self.headers.get("content-length", "0")))
            status, kind, body = answer(self.command, self.path, sent)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

    with http_server(Handler) as address:
        yield f"http://{address}"
