"""Relays between services: every request is counted once, however it is framed."""

import http.client
import socket
import time
from collections.abc import Iterator
from concurrent import futures

import grpc
import pytest

from tests.support.http_server import QuietHandler, http_server
from wirelab.lab.network.relay import Relays

LOOKS_LIKE_A_REQUEST = b"POST /in/a/body HTTP/1.1\r\ncontent-length: 5\r\n\r\n"
EDGE = ("orders", "users")


class Echo(QuietHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        if self.headers.get("transfer-encoding") == "chunked":
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def echoed(connection: http.client.HTTPConnection, body: bytes) -> bytes:
    connection.request("POST", "/", body)
    return connection.getresponse().read()


@pytest.fixture
def relays() -> Iterator[Relays]:
    with Relays() as running:
        yield running


def test_requests_on_one_connection_are_counted_however_their_bodies_end(relays: Relays) -> None:
    with http_server(Echo) as address:
        connection = http.client.HTTPConnection(relays.between(*EDGE, address))
        for body in (b"", LOOKS_LIKE_A_REQUEST, LOOKS_LIKE_A_REQUEST * 5000):
            assert echoed(connection, body) == body
        chunks = [b"one", LOOKS_LIKE_A_REQUEST, b"three"]
        connection.request("POST", "/", iter(chunks), encode_chunked=True)
        assert connection.getresponse().read() == b"".join(chunks)
        echoed(connection, b"the last")
        connection.close()

        passed = relays.take()[EDGE]

    assert passed.calls == 5
    assert min(passed.sent, passed.received) > 5001 * len(LOOKS_LIKE_A_REQUEST)
    assert relays.take()[EDGE].calls == 0  # what has been taken is not taken again


def test_answers_are_delayed_until_the_delay_ends(relays: Relays) -> None:
    def seconds(connection: http.client.HTTPConnection) -> float:
        began = time.monotonic()
        assert echoed(connection, b"body") == b"body"
        return time.monotonic() - began

    with http_server(Echo) as address:
        connection = http.client.HTTPConnection(relays.between(*EDGE, address))
        echoed(connection, b"the first")
        relays.delays_s[EDGE[1]] = 0.3
        held_back = seconds(connection)
        relays.delays_s.clear()
        at_once = seconds(connection)
        connection.close()

    assert held_back >= 0.3
    assert at_once < held_back


def test_bytes_are_those_of_the_streams(relays: Relays) -> None:
    request = b"POST / HTTP/1.1\r\ncontent-length: 3\r\n\r\nabc"
    with http_server(Echo) as address:
        host, _, port = relays.between(*EDGE, address).rpartition(":")
        received = b""
        with socket.create_connection((host, int(port)), 10) as connection:
            for byte in request:  # in as many pieces as it has bytes
                connection.sendall(bytes([byte]))
            while not received.endswith(b"abc"):
                received += connection.recv(65536)

        passed = relays.take()[EDGE]

    assert (passed.calls, passed.sent, passed.received) == (1, len(request), len(received))


def test_streams_of_http_2_are_counted_one_by_one(relays: Relays) -> None:
    def answer(request: bytes, _: grpc.ServicerContext) -> bytes:
        return request

    server = grpc.server(futures.ThreadPoolExecutor(4))
    handler = grpc.unary_unary_rpc_method_handler(answer)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("it", {"Ask": handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        address = relays.between(*EDGE, f"127.0.0.1:{port}")
        with grpc.insecure_channel(address) as channel:
            ask = channel.unary_unary("/it/Ask")
            calls = [ask.future(bytes(10_000 * number), timeout=20) for number in range(8)]
            assert [len(call.result()) for call in calls] == [10_000 * n for n in range(8)]
            passed = relays.take()[EDGE]
    finally:
        server.stop(None).wait()

    assert passed.calls == 8
    assert passed.sent > 280_000


def test_edges_are_counted_separately(relays: Relays) -> None:
    other = ("orders", "catalogue")
    with http_server(Echo) as address:
        here, there = relays.between(*EDGE, address), relays.between(*other, address)
        for at, times in ((here, 1), (there, 2)):
            for _ in range(times):
                connection = http.client.HTTPConnection(at)
                echoed(connection, b"x")
                connection.close()

    assert {edge: it.calls for edge, it in relays.take().items()} == {EDGE: 1, other: 2}


def test_a_missing_service_ends_the_connection(relays: Relays) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        at = relays.between(*EDGE, f"127.0.0.1:{unused.getsockname()[1]}")
        host, _, port = at.rpartition(":")
        with socket.create_connection((host, int(port)), 20) as connection:
            assert connection.recv(1) == b""

    assert relays.take()[EDGE].calls == 0


def test_a_connection_that_is_open_at_the_end_is_ended_silently(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with http_server(Echo) as address:
        with Relays() as relays:
            connection = http.client.HTTPConnection(relays.between(*EDGE, address))
            assert echoed(connection, b"x") == b"x"
        connection.close()

    assert caplog.records == []
