"""What the tests of measuring share: jobs, a server, and an engine that misbehaves to order."""

import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from wirelab.measure.job import Job, Request, Stop, Target, Transaction

FAKE = Path(__file__).parent / "fake_engine.py"


@pytest.fixture
def make_job(tmp_path: Path) -> Callable[..., Job]:
    def make(operation: str = "behave", address: str = "127.0.0.1:1", **more: object) -> Job:
        return Job.model_validate(
            {
                "target": Target(transport="http1", address=address),
                "stop": Stop(transactions=10),
                "requests": [Request(path="/")],
                "transactions": [Transaction(operation=operation, rounds=((0,),))],
                "handshake": True,
                "output": tmp_path,
                **more,
            }
        )

    return make


@pytest.fixture
def fake_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a program in the engine's place that does what the job's operation is called."""
    program = tmp_path / "wirelab-load"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {FAKE} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setattr("wirelab.measure.engine.find_program", lambda name: program)


class Server(BaseHTTPRequestHandler):
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

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


class QuietServer(ThreadingHTTPServer):
    """Does not mind clients that are killed."""

    def handle_error(self, request: object, client_address: object) -> None:
        pass


@pytest.fixture
def port() -> Iterator[int]:
    server = QuietServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()
