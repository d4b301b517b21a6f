"""What the tests of measuring share: jobs, a server, and an engine that misbehaves to order."""

import sys
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Protocol

import pytest

from tests.support.http_server import QuietHandler
from wirelab.engine.job import Endpoint, Job, Target

FAKE = Path(__file__).parent / "fake_engine.py"


def one_target(endpoint: Endpoint | str, output: Path, **more: object) -> Job:
    """Build a job with one target; `more` are keys of a target or of a job.

    `endpoint`: "host:port" stands for HTTP/1.1. Unless it is said otherwise, the target is sent one
    transaction for each of its requests, ten in all.
    """
    if isinstance(endpoint, str):
        endpoint = Endpoint(transport="http1", address=endpoint)
    target = {key: more.pop(key) for key in tuple(more) if key in Target.model_fields}
    requests = target.setdefault("requests", [{}])
    assert isinstance(requests, list | tuple)
    each = [{"operation": "fetch", "rounds": [[number]]} for number in range(len(requests))]
    whole = {**endpoint.model_dump(), "name": "contender", "transactions": each, **target}
    job = {"targets": [whole], "output": output, **more}
    if not ({"stop", "slices"} & job.keys() or job.get("control")):
        job["stop"] = {"transactions": 10}
    return Job.model_validate(job)


class MakeJob(Protocol):
    """Makes a job with one target."""

    def __call__(
        self, operation: str = "behave", address: str = "127.0.0.1:1", **more: object
    ) -> Job: ...


@pytest.fixture
def make_job(tmp_path: Path) -> MakeJob:
    """Make a job whose output is a folder of the test's own."""

    def make(operation: str = "behave", address: str = "127.0.0.1:1", **more: object) -> Job:
        transactions = [{"operation": operation, "rounds": [[0]]}]
        return one_target(address, tmp_path, **{"transactions": transactions, **more})

    return make


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


class QuietServer(ThreadingHTTPServer):
    """Does not mind clients that are killed."""

    def handle_error(self, request: object, client_address: object) -> None:
        pass


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Where the server listens."""
    server = QuietServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()
