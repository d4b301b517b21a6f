"""What nginx does with requests that it passes on, asked of nginx itself."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.request import urlopen

import pytest

from tests.support.http_server import QuietHandler, http_server
from tests.support.nginx import nginx_before
from wirelab.lab.network.nginx import CACHE


class Meeting(QuietHandler):
    """Answers when two requests have arrived, or when one has waited for long."""

    both = threading.Barrier(2, timeout=3.0)  # nginx waits 5 s for a lock, then passes on

    def do_GET(self) -> None:
        try:
            self.both.wait()
            reply = b"together"
        except threading.BrokenBarrierError:
            reply = b"alone"
        self.send_response(200)
        self.send_header("content-length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)


@pytest.fixture
def cache() -> Iterator[str]:
    """The address of a caching nginx in front of the server."""
    with http_server(Meeting) as upstream, nginx_before(upstream, CACHE) as address:
        yield address


def get(url: str) -> bytes:
    with urlopen(url, timeout=20.0) as reply:
        body: bytes = reply.read()
    return body


def test_requests_for_one_path_do_not_wait_for_each_other_if_no_answer_may_be_cached(
    cache: str,
) -> None:
    with ThreadPoolExecutor(2) as users:
        answers = list(users.map(get, [f"http://{cache}/product"] * 2))

    assert answers == [b"together"] * 2
