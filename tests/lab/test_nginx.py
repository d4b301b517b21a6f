"""What nginx does with requests that it passes on, asked of nginx itself."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from wirelab.lab.nginx import CACHE, Route, configuration
from wirelab.lab.ports import free_port
from wirelab.lab.process import start_guarded
from wirelab.lab.proxy import find_nginx

HOST = "127.0.0.1"
PATIENCE_S = 10.0


class Meeting(BaseHTTPRequestHandler):
    """Answers /ready at once, and anything else when two requests have arrived."""

    both = threading.Barrier(2, timeout=3.0)  # nginx waits 5 s for a lock, then passes on

    def do_GET(self) -> None:
        said = b"ready"
        if self.path != "/ready":
            try:
                self.both.wait()
                said = b"together"
            except threading.BrokenBarrierError:
                said = b"alone"
        self.send_response(200)
        self.send_header("content-length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: object) -> None:
        """Stay silent."""


@pytest.fixture
def upstream() -> Iterator[str]:
    with ThreadingHTTPServer((HOST, 0), Meeting) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"{HOST}:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def cache(upstream: str, tmp_path: Path) -> Iterator[str]:
    """The address of a caching nginx in front of the server."""
    program = find_nginx()
    if program is None:
        pytest.skip("nginx not found: apt-get install nginx-light")
    address = f"{HOST}:{free_port(HOST)}"
    written = tmp_path / "nginx.conf"
    with TemporaryDirectory() as scratch:
        Path(scratch).chmod(0o711)  # as root, nginx' workers are another user
        route = Route(address, upstream, "http1")
        written.write_text(configuration(route, scratch=scratch, workers=1, level=CACHE))
        nginx = start_guarded(
            [program, "-p", scratch, "-e", "stderr", "-c", written],
            role="proxy",
            log_path=tmp_path / "log",
        )
        try:
            wait_for(address)
            yield address
        finally:
            nginx.stop()


def wait_for(address: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            get(address, "/ready")
        except URLError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return


def get(address: str, path: str) -> bytes:
    with urlopen(f"http://{address}{path}", timeout=2 * PATIENCE_S) as reply:
        body: bytes = reply.read()
    return body


def test_requests_for_one_path_do_not_wait_for_each_other_where_no_answer_may_be_kept(
    cache: str,
) -> None:
    with ThreadPoolExecutor(2) as users:
        answers = list(users.map(lambda path: get(cache, path), ["/product"] * 2))

    assert answers == [b"together"] * 2
