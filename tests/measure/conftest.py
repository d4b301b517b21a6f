"""What the tests of measuring share: jobs, a server, and an engine that misbehaves to order."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.support.http_server import QuietHandler
from tests.support.jobs import make_job

__all__ = ["make_job"]

FAKE = Path(__file__).parent / "fake_engine.py"


@pytest.fixture
def fake_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a program in the engine's place that does what the job's operation is called."""
    program = tmp_path / "wirelab-load"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {FAKE} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setattr("wirelab.measure.driver.find_program", lambda name: program)


class Server(QuietHandler):
    """Answers with as many bytes as the path says, on a connection that is kept."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        body = b"x" * int(self.path[1:])
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def serving(server: ThreadingHTTPServer) -> Iterator[int]:
    """Serve until the end of the block; yield the port."""
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class QuietServer(ThreadingHTTPServer):
    """Does not mind clients that are killed."""

    def handle_error(self, request: object, client_address: object) -> None:
        pass


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Where the server listens."""
    with serving(QuietServer(("127.0.0.1", 0), Server)) as port:
        yield port
