"""What a server does with its connections: those to its store, and those of its clients."""

import http.client
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import NamedTuple

import httpx
import psycopg

from tests.support.plain_http import NO_TLS

PATIENCE_S = 60.0
BEYOND = 2
"""How many requests more than connections to the store."""


class Queued(NamedTuple):
    """What became of requests that all connections to the store were too few for."""

    refused: list[int]
    """The statuses of those that got none."""
    after_s: float
    """How long those waited."""
    served: list[int]
    """The statuses of those that had a connection, once the store had answered."""


def queue(url: str, store_url: str, table: str, pool_size: int) -> Queued:
    """Send more requests that read a table than a server has connections, while it is locked."""
    count = pool_size + BEYOND
    with (
        httpx.Client(trust_env=False, verify=NO_TLS, timeout=PATIENCE_S) as client,
        psycopg.connect(store_url) as locking,
        ThreadPoolExecutor(count) as threads,
    ):
        locking.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        began = time.monotonic()
        answers = as_completed([threads.submit(client.get, url) for _ in range(count)])
        refused = [next(answers).result().status_code for _ in range(BEYOND)]
        after_s = time.monotonic() - began
        locking.rollback()
        return Queued(refused, after_s, [answer.result().status_code for answer in answers])


def requests_on_one_connection(address: str, path: str, most: int) -> int:
    """Count the requests that a server answers on a connection before it closes it."""
    host, port = address.rsplit(":", 1)
    connection = http.client.HTTPConnection(host, int(port), timeout=PATIENCE_S)
    connection.connect()
    socket = connection.sock
    try:
        for sent in range(most):
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 200
            if connection.sock is not socket:
                return sent + 1
    finally:
        connection.close()
    return most
