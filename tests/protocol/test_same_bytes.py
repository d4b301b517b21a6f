"""What verification sends and what the load engine sends are the same bytes."""

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, RequestReceived, StreamEnded
from websockets.sync.server import ServerConnection, serve

from tests.measure.http3_server import Request, http3_server
from wirelab.engine.job import Endpoint, Job, Stop, Tls
from wirelab.experiment.blocks.jobs import engine_target
from wirelab.inputs.request_target import request_target
from wirelab.measure.driver import run_engine
from wirelab.protocol.clients.client import connect_to
from wirelab.protocol.message import Expectation, WireRequest
from wirelab.study import ClosedLoad
from wirelab.verify.plans import Plan, PlannedRequest

TARGETS = {
    "/münchen": "/m%C3%BCnchen",
    '/a?q="x"<y>&z=[1]|2': "/a?q=%22x%22%3Cy%3E&z=%5B1%5D%7C2",
    "/x/../y/./z//": "/x/../y/./z//",
    "/%2e%2E/%": "/%2e%2E/%25",
    "/a b\t{c}\\^`#d": "/a%20b%09%7Bc%7D%5C%5E%60%23d",
    "/?": "/?",
    "//host/;a=1,2?b=~'()*!$&+@:/?": "//host/;a=1,2?b=~'()*!$&+@:/?",
    "/\r\nHost: evil": "/%0D%0AHost:%20evil",
}
"""Paths as they are written, and as they are sent."""
HEADERS = (("accept", "*/*"), ("X-Mixed-Case", 'a "b"; c=\\d, e'), ("x-empty", ""))
BODIES = (b"", b"\x00\xff\r\n\r\n", "ü\u2028\ud7ff".encode(), b"x" * 70_000)
REQUESTS = [
    *(WireRequest("GET", path, HEADERS) for path in TARGETS),
    *(WireRequest("POST", "/", HEADERS, body) for body in BODIES),
    WireRequest("M-SEARCH", "/", HEADERS, b"body"),
    WireRequest("DELETE", "/", HEADERS),
]
OWN = {"grpc-accept-encoding", "grpc-encoding", "user-agent", "te", "accept-encoding"}
OWN |= {"grpc-timeout", ":scheme", ":authority"}
"""What gRPC's libraries and the engine each say of themselves."""

Seen = list[Any]


@pytest.mark.parametrize(("written", "sent"), TARGETS.items())
def test_a_path_is_quoted_once(written: str, sent: str) -> None:
    assert request_target(written) == sent
    assert request_target(sent) == sent
    assert Endpoint(transport="websocket", address="h:1", path=written).path == sent


@pytest.mark.parametrize("transport", ["http1", "http2", "http3"])
def test_requests_are_the_same_bytes(transport: str, tmp_path: Path) -> None:
    serving = {"http1": http1_server, "http2": http2_server, "http3": served_http3}[transport]
    with serving(tmp_path) as (address, tls, seen):
        endpoint = Endpoint.model_validate(
            {"transport": transport, "address": address, "tls": tls, "headers": [("x-own", "1")]}
        )
        by_client, by_engine = send_both(endpoint, REQUESTS, seen, tmp_path)

    assert len(by_client) == len(REQUESTS)
    assert by_engine == by_client


def test_calls_are_the_same_messages(tmp_path: Path) -> None:
    requests = [WireRequest("POST", "/a.B/C", HEADERS[1:2], body, binary=True) for body in BODIES]
    requests = [
        WireRequest("POST", "/a.B/C", (("x-meta", "1"),), each.body, binary=True)
        for each in requests
    ]
    with grpc_server() as (address, seen):
        endpoint = Endpoint(transport="grpc", address=address)
        by_client, by_engine = send_both(endpoint, requests, seen, tmp_path)

    assert len(by_client) == len(requests)
    assert by_engine == by_client


def test_messages_of_websockets_are_the_same(tmp_path: Path) -> None:
    bodies = ["", "ü\u2028", '{"a": "\\u0000"}', "x" * 70_000]
    requests = [WireRequest("", "/", body=body.encode()) for body in bodies]
    seen: Seen = []

    def answer(connection: ServerConnection) -> None:
        assert connection.request is not None
        with suppress(Exception):
            for message in connection:
                seen.append((connection.request.path, message))
                connection.send("ok")

    with serve(answer, "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.socket.getsockname()[1]
        endpoint = Endpoint(transport="websocket", address=f"127.0.0.1:{port}", path="/ü?a=[1]")
        by_client, by_engine = send_both(endpoint, requests, seen, tmp_path)
        server.shutdown()

    assert by_client == [("/%C3%BC?a=%5B1%5D", body) for body in bodies]
    assert by_engine == by_client


def send_both(
    endpoint: Endpoint, requests: list[WireRequest], seen: Seen, folder: Path
) -> tuple[Seen, Seen]:
    """Send requests by the client for verification, then by the engine; return what arrived."""
    with connect_to(endpoint) as client:
        for request in requests:
            client.send(request)
    by_client = list(seen)
    seen.clear()
    rounds = tuple((PlannedRequest(each, Expectation()),) for each in requests)
    plan = Plan("w", "o", 0, rounds)
    load = ClosedLoad(title="one", kind="closed", clients=1)
    target = engine_target("t", [plan], endpoint, load=load, seed=1)
    run_engine(Job(targets=(target,), output=folder, stop=Stop(transactions=1)), folder)
    return by_client, list(seen)


@contextmanager
def http1_server(_: Path) -> Iterator[tuple[str, None, Seen]]:
    """Keep requests as bytes."""
    seen: Seen = []

    def talk(connection: socket.socket) -> None:
        data = b""
        with suppress(OSError):
            while True:
                while b"\r\n\r\n" not in data:
                    if not (more := connection.recv(65536)):
                        return
                    data += more
                head, _, data = data.partition(b"\r\n\r\n")
                lines = [line.partition(b":") for line in head.split(b"\r\n")]
                size = sum(int(it[2]) for it in lines if it[0].lower() == b"content-length")
                while len(data) < size:
                    data += connection.recv(65536)
                seen.append((head, data[:size]))
                data = data[size:]
                connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")

    with accepting(talk) as address:
        yield address, None, seen


@contextmanager
def http2_server(_: Path) -> Iterator[tuple[str, None, Seen]]:
    """Keep the header fields and the body of each request."""
    seen: Seen = []

    def talk(connection: socket.socket) -> None:
        h2 = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        h2.initiate_connection()
        connection.sendall(h2.data_to_send())
        requests: dict[int, tuple[Any, bytearray]] = {}
        with suppress(OSError):
            while data := connection.recv(65536):
                for event in h2.receive_data(data):
                    match event:
                        case RequestReceived(stream_id=stream, headers=headers):
                            requests[stream] = (list(headers), bytearray())
                        case DataReceived(stream_id=stream, data=piece):
                            requests[stream][1].extend(piece)
                            h2.acknowledge_received_data(event.flow_controlled_length, stream)
                        case StreamEnded(stream_id=stream):
                            fields, body = requests.pop(stream)
                            fields.sort(key=_pseudo_first)
                            seen.append((fields, bytes(body)))
                            h2.send_headers(stream, [(":status", "200")])
                            h2.send_data(stream, b"ok", end_stream=True)
                connection.sendall(h2.data_to_send())

    with accepting(talk) as address:
        yield address, None, seen


@contextmanager
def served_http3(folder: Path) -> Iterator[tuple[str, Tls | None, Seen]]:
    """Keep the header fields and the body of each request."""
    seen: Seen = []

    def answer(request: Request) -> bytes:
        fields = [(name.decode(), value.decode()) for name, value in request.fields]
        seen.append((sorted(fields, key=_pseudo_first), request.body))
        return b"ok"

    with http3_server(folder / "certificates", answer=answer) as server:
        yield server.address, server.tls, seen


def _pseudo_first(field: tuple[str, str]) -> str:
    return field[0] if field[0][0] == ":" else "~"


@contextmanager
def grpc_server() -> Iterator[tuple[str, Seen]]:
    """Keep method, metadata and message of each call."""
    seen: Seen = []

    class Handler(grpc.GenericRpcHandler):  # type: ignore[misc]
        def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler:
            sent = {key: value for key, value in details.invocation_metadata if key not in OWN}

            def answer(body: bytes, _: grpc.ServicerContext) -> bytes:
                seen.append((details.method, sent, body))
                return b""

            return grpc.unary_unary_rpc_method_handler(answer)

    server = grpc.server(ThreadPoolExecutor(1))
    server.add_generic_rpc_handlers((Handler(),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}", seen
    finally:
        server.stop(None).wait()


@contextmanager
def accepting(talk: Any) -> Iterator[str]:
    """Serve each connection on a thread of its own."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            with suppress(OSError):
                while True:
                    connection = listener.accept()[0]
                    threading.Thread(target=talk, args=(connection,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
