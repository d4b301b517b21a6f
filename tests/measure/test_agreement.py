"""At a fixed rate, the engine's percentiles are another client's, and those that are true."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from http.server import ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from tests.measure.conftest import serving
from tests.support.http_server import QuietHandler
from tests.support.jobs import one_target
from wirelab.engine.job import Connections, Constant, Expect, Request, Stop, TransactionRounds
from wirelab.measure.driver import run_engine

DELAYS_S = np.linspace(0.1, 0.6, 100)
"""How long the server takes, by the number in the path."""
REQUESTS = 4 * len(DELAYS_S)
RATE_PER_S = 200
CLIENTS = 128
PERCENTILES = (50, 90, 95, 99)
TOLERANCE = 0.03
ATTEMPTS = 6
"""A host that stalls for a moment makes some times longer and none shorter, so the least that
was seen is compared; a fault of ours is in each."""
BODY = b"waited"


class Waiting(QuietHandler):
    """Answers after the time that the path gives."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        time.sleep(DELAYS_S[int(self.path[1:])])
        self.send_response(200)
        self.send_header("content-length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY)


class Server(ThreadingHTTPServer):
    """With room for all connections at once."""

    request_queue_size = 2 * CLIENTS
    daemon_threads = True


@pytest.fixture
def port() -> Iterator[int]:
    """Where the server listens."""
    with serving(Server(("127.0.0.1", 0), Waiting)) as port:
        yield port


def test_the_engine_agrees_with_another_client_and_with_the_truth(
    port: int, tmp_path: Path
) -> None:
    true = np.percentile(DELAYS_S, PERCENTILES)
    reported = other = np.full(len(PERCENTILES), np.inf)
    for _ in range(ATTEMPTS):
        reported = np.minimum(reported, _by_the_engine(port, tmp_path))
        other = np.minimum(other, np.percentile(_by_another_client(port), PERCENTILES))
        apart = max(np.abs(reported / other - 1).max(), np.abs(reported / true - 1).max())
        if apart <= TOLERANCE:
            break

    assert apart <= TOLERANCE, (reported, other, true)


def _by_the_engine(port: int, folder: Path) -> list[float]:
    """Percentiles in seconds."""
    paths = range(len(DELAYS_S))
    job = one_target(
        f"127.0.0.1:{port}",
        folder,
        connections=Connections(count=CLIENTS),
        pacer=Constant(rate_per_s=RATE_PER_S),
        stop=Stop(transactions=REQUESTS),
        requests=tuple(
            Request(path=f"/{number}", expect=Expect(body_length=len(BODY))) for number in paths
        ),
        transactions=tuple(
            TransactionRounds(operation="wait", parameter_set=number, rounds=((number,),))
            for number in paths
        ),
    )
    result = run_engine(job, folder).only
    assert result.counts.succeeded == REQUESTS, result.mismatches
    times = result.latency_us.response
    return [time_us / 1e6 for time_us in (times.p50, times.p90, times.p95, times.p99)]


def _by_another_client(port: int) -> list[float]:
    """Each time in seconds, by Python's own client."""
    mine = threading.local()

    def ask(number: int) -> float:
        start = time.perf_counter()
        if not hasattr(mine, "connection"):
            mine.connection = HTTPConnection("127.0.0.1", port)
        mine.connection.request("GET", f"/{number % len(DELAYS_S)}")
        assert mine.connection.getresponse().read() == BODY
        return time.perf_counter() - start

    with ThreadPoolExecutor(CLIENTS) as pool:
        begin = time.perf_counter()
        requests = []
        for number in range(REQUESTS):
            time.sleep(max(0.0, begin + number / RATE_PER_S - time.perf_counter()))
            requests.append(pool.submit(ask, number))
        return [each.result() for each in requests]
