"""Clients and codecs on real sockets, against servers that know nothing of either."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import grpc
import pytest
import zeep
from websockets.sync.server import ServerConnection, serve

from tests.support.note_servers import Logic, http, serving
from tests.support.wording import raises_worded
from wirelab import protocol
from wirelab.domain import Dataset, canonical, difference
from wirelab.engine.job import Endpoint, Transport
from wirelab.protocol import Answer, Refusal, WireReply, WireRequest
from wirelab.protocol.clients import client as client_module
from wirelab.protocol.clients.base import Cause, NoReplyError
from wirelab.protocol.clients.client import connect, connect_to
from wirelab.protocol.clients.no_reply import CLOSED
from wirelab.protocol.clients.websocket import UNASKED
from wirelab.protocol.message import CannotEncodeError
from wirelab.protocol.plan import plan_transaction

NEW = {"title": "New", "body": "", "read_count": 0, "pinned": True, "tags": ["a", "b"]}


@pytest.mark.parametrize("name", protocol.NAMES)
def test_an_object_is_created_read_and_deleted_over_the_wire(name: str, dataset: Dataset) -> None:
    codec = protocol.get(name).bind(dataset.domain, "/")
    operations = dataset.domain.operations

    def call(operation: str, **parameters: Any) -> Answer | Refusal:
        request = codec.encode(operations[operation], parameters)
        return codec.decode(operations[operation], client.send(request))

    with (
        serving(name, Logic(dataset)) as address,
        connect(codec.transport, address, codec.path) as client,
    ):
        for row in dataset.tables["note"]:
            answer = call("read", id=row["id"])
            assert isinstance(answer, Answer)
            assert difference(canonical(row), canonical(answer.value)) is None
        created = call("create", note=NEW)
        assert isinstance(created, Answer)
        assert isinstance(created.value, dict)
        key = created.value["id"]
        assert difference(canonical({**NEW, "id": key}), canonical(created.value)) is None
        assert call("delete", id=key) == Answer(key)
        gone = call("read", id=key)
        assert isinstance(gone, Refusal)
        assert gone.kind == "not_found"


def test_the_envelopes_are_those_of_another_client(dataset: Dataset) -> None:
    """What zeep as a whole sends and reads is what the codec makes out of its parts."""
    codec = protocol.get("soap").bind(dataset.domain, "/")
    operation = dataset.domain.operations["read"]
    seen = []

    def keep(method: str, path: str, body: bytes) -> tuple[int, str, bytes]:
        seen.append(body)
        return 500, "text/xml", b""

    with http(keep) as address, connect("http1", address) as client:
        client.send(codec.encode(operation, {"id": "note 001"}))
        wsdl = str(dataset.domain.interface.files["soap"])
        outside: Any = zeep.Client(wsdl)  # type: ignore[no-untyped-call]
        service = outside.create_service("{urn:notes}NotesSoap", f"http://{address}/")
        with pytest.raises(zeep.exceptions.TransportError):
            service.Read(id="note 001")

    ours, theirs = seen
    assert ours == theirs


@pytest.mark.parametrize(
    ("id_", "shape"), [("note 004", (1,)), ("note 001", (1, 1)), ("note 007", (1, 2))]
)
def test_later_rounds_come_from_earlier_answers(
    id_: str, shape: tuple[int, ...], dataset: Dataset
) -> None:
    domain = dataset.domain
    codec = protocol.get("rest").bind(domain, "/")
    with serving("rest", Logic(dataset)) as address, connect("http1", address) as client:
        done = plan_transaction(client, codec, domain.operations["follow"], {"id": id_})
        again = [
            [client.send(exchange.request) for exchange in exchanges] for exchanges in done.rounds
        ]

    assert tuple(len(exchanges) for exchanges in done.rounds) == shape
    assert isinstance(done.outcome, Answer)
    rows = {row["id"]: row for row in dataset.tables["note"]}
    expected = {**rows[id_], "linked": [rows[link] for link in rows[id_]["links"]]}
    assert difference(canonical(expected), canonical(done.outcome.value)) is None
    # The server need not understand the finished requests.
    bodies = [[exchange.reply.body for exchange in exchanges] for exchanges in done.rounds]
    assert [[each.body for each in replies] for replies in again] == bodies


def test_both_spellings_of_a_composed_operation_answer_the_same(dataset: Dataset) -> None:
    values = []
    for name in ("rest", "graphql"):
        codec = protocol.get(name).bind(dataset.domain, "/")
        with serving(name, Logic(dataset)) as address, connect("http1", address) as client:
            operation = dataset.domain.operations["follow"]
            done = plan_transaction(client, codec, operation, {"id": "note 007"})
            assert isinstance(done.outcome, Answer)
            values.append(canonical(done.outcome.value))

    over_rest, over_graphql = values
    assert difference(over_rest, over_graphql) is None


def test_a_refusal_in_the_first_round_ends_the_transaction(dataset: Dataset) -> None:
    codec = protocol.get("rest").bind(dataset.domain, "/")
    operation = dataset.domain.operations["follow"]
    with serving("rest", Logic(dataset)) as address, connect("http1", address) as client:
        done = plan_transaction(client, codec, operation, {"id": "nobody"})

    assert isinstance(done.outcome, Refusal)
    assert [len(exchanges) for exchanges in done.rounds] == [1]


def test_http_requests_carry_only_their_own_headers() -> None:
    request = WireRequest("POST", "/a?b=c%20d", (("accept", "x/y"),), b"body")
    with (
        listening(b"body") as (address, received),
        connect("http1", address) as client,
        pytest.raises(NoReplyError),
    ):
        client.send(request)

    head, _, body = received[0].partition(b"\r\n\r\n")
    lines = head.decode().lower().split("\r\n")
    assert lines[0] == "post /a?b=c%20d http/1.1"
    assert {line.partition(":")[0] for line in lines[1:]} == {"host", "accept", "content-length"}
    assert body == b"body"


@pytest.mark.parametrize("transport", ["http1", "grpc", "websocket"])
def test_a_server_that_closes_the_connection_gives_no_reply(transport: Transport) -> None:
    with (
        listening() as (address, _),
        connect(transport, address, timeout_s=2) as client,
        pytest.raises(NoReplyError, match=f"^{CLOSED}"),
    ):
        client.send(WireRequest("GET", "/x", body=b""))


@pytest.mark.parametrize("transport", ["http1", "grpc", "websocket"])
def test_a_silent_server_gives_no_reply_in_time(transport: Transport) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with (
            connect(transport, address, timeout_s=0.3) as client,
            pytest.raises(NoReplyError, match=r"after 0\.3 s"),
        ):
            client.send(WireRequest("GET", "/x", body=b""))


@contextmanager
def grpc_serving(handler: grpc.RpcMethodHandler) -> Iterator[tuple[str, grpc.Server]]:
    server = grpc.server(ThreadPoolExecutor(1))
    methods = grpc.method_handlers_generic_handler("any.Any", {"Ask": handler})
    server.add_generic_rpc_handlers([methods])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}", server
    finally:
        server.stop(None).wait()


@pytest.mark.parametrize("code", [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED])
def test_a_status_that_the_server_has_sent_is_a_reply(code: grpc.StatusCode) -> None:
    def refuse(_: bytes, context: grpc.ServicerContext) -> None:
        context.abort(code, "no")

    with (
        grpc_serving(grpc.unary_unary_rpc_method_handler(refuse)) as (address, server),
        connect("grpc", address) as client,
    ):
        reply = client.send(WireRequest("POST", "/any.Any/Ask"))
        server.stop(None).wait()
        with raises_worded(NoReplyError):
            client.send(WireRequest("POST", "/any.Any/Ask"))

    assert reply == WireReply(code.value[0], (), b"", "no")


def test_a_stream_of_grpc_is_all_of_its_messages(dataset: Dataset) -> None:
    def stream(body: bytes, context: grpc.ServicerContext) -> Iterator[bytes]:
        if not body:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "no")
        yield from (b"\x12\x01a", b"", b"\x12\x01b")

    codec = protocol.get("grpc").bind(dataset.domain, "/")
    template = codec.rounds(dataset.domain.operations["read"])[0][0]
    watch = template.model_copy(update={"method": "notes.Notes/Watch"})
    request = codec.encode_request(watch, {"id": "note 001"})
    with (
        grpc_serving(grpc.unary_stream_rpc_method_handler(stream)) as (address, _),
        connect("grpc", address) as client,
    ):
        reply = client.send(replace(request, path="/any.Any/Ask"))
        refused = client.send(replace(request, path="/any.Any/Ask", body=b""))

    assert request.stream
    assert reply.items == (b"\x12\x01a", b"", b"\x12\x01b")
    assert reply.body == b"\x12\x01a\x12\x01b"  # as the engine takes it together
    answer = codec.decode_reply(watch, reply)
    assert isinstance(answer, Answer)
    assert isinstance(answer.value, list)
    assert [note["title"] for note in answer.value] == ["a", "", "b"]
    outcome = codec.decode_reply(watch, refused)
    assert isinstance(outcome, Refusal)
    assert outcome.kind == "invalid"


def test_a_message_is_sent_several_times_if_a_method_takes_a_stream(dataset: Dataset) -> None:
    def upload(notes: Iterator[bytes], context: grpc.ServicerContext) -> bytes:
        sent = list(notes)
        return b"\x0a\x01" + str(len(sent)).encode() if len(set(sent)) == 1 else b""

    codec = protocol.get("grpc").bind(dataset.domain, "/")
    template = codec.rounds(dataset.domain.operations["read"])[0][0]
    rounds = template.model_copy(update={"method": "notes.Notes/Upload", "send": "{count}"})
    request = codec.encode_request(rounds, {"id": "note 001", "count": 7})
    with (
        grpc_serving(grpc.stream_unary_rpc_method_handler(upload)) as (address, _),
        connect("grpc", address) as client,
    ):
        answer = codec.decode_reply(rounds, client.send(replace(request, path="/any.Any/Ask")))

    assert (request.send, request.stream) == (7, False)
    assert isinstance(answer, Answer)
    assert answer.value == {"id": "7"}
    for count in (0, "seven", 1.5):
        with pytest.raises(CannotEncodeError, match="a stream of"):
            codec.encode_request(rounds, {"id": "note 001", "count": count})


@contextmanager
def conversing(converse: Callable[[ServerConnection], None]) -> Iterator[str]:
    with serve(converse, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"127.0.0.1:{server.socket.getsockname()[1]}"
        server.shutdown()
        thread.join()


def test_a_websocket_closed_instead_of_a_reply_has_a_status_and_opens_again() -> None:
    def converse(connection: ServerConnection) -> None:
        for message in connection:
            if message == "bad":
                connection.close(1007, "not understood")
            else:
                connection.send("fine")

    with conversing(converse) as address, connect("websocket", address) as client:
        closed = client.send(WireRequest("", "/", body=b"bad"))
        fine = client.send(WireRequest("", "/", body=b"good"))

    assert (closed.status, closed.message) == (1007, "not understood")
    assert (fine.status, fine.body) == (None, b"fine")


@pytest.mark.parametrize("greetings", [0, 1])
@pytest.mark.parametrize("before", [True, False])
def test_a_message_that_answers_no_request_is_an_error_unless_it_is_stated(
    greetings: int, *, before: bool
) -> None:
    """A server sends one at the beginning, or an answer too much."""

    def converse(connection: ServerConnection) -> None:
        if before or greetings:
            connection.send("welcome")
        for message in connection:
            connection.send(f"re: {message!s}")
            if not before:
                connection.send("one more")

    answers: list[Any] = []
    with conversing(converse) as address:
        endpoint = Endpoint(transport="websocket", address=address, greetings=greetings)
        with connect_to(endpoint, timeout_s=5) as client:
            try:
                for each in (b"a", b"b"):
                    answers.append(client.send(WireRequest("", "/", body=each)).body)
                    time.sleep(0.05)
            except NoReplyError as error:
                answers.append((error.cause, str(error)))

    if before and greetings:
        assert answers == [b"re: a", b"re: b"]
    else:
        *right, wrong = answers
        assert right == ([] if before else [b"re: a"])
        cause, why = wrong
        assert cause is Cause.UNASKED
        assert why.startswith(UNASKED)


@pytest.mark.parametrize(
    ("largest_bytes", "timeout_s", "reported"),
    [(2**20, 0.5, "after 0.5 s"), (1000, 30.0, "more than 1,000 bytes")],
    ids=["time", "size"],
)
def test_an_endless_reply_is_abandoned(
    largest_bytes: int, timeout_s: float, reported: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Heartbeats of server-sent events, or a body that grows without bound."""
    monkeypatch.setattr(client_module, "LARGEST_REPLY_BYTES", largest_bytes)
    over = threading.Event()

    def dribble(server: socket.socket) -> None:
        connection, _ = server.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while not over.wait(0.05):
                connection.sendall(b"64\r\n" + b"x" * 100 + b"\r\n")

    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor() as pool:
        dribbling = pool.submit(dribble, server)
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with (
            connect("http1", address, timeout_s=timeout_s) as client,
            pytest.raises(NoReplyError, match=reported),
        ):
            client.send(WireRequest("GET", "/"))
        over.set()
        with suppress(ConnectionError):
            dribbling.result(timeout=10)


def test_an_unknown_transport_is_an_error() -> None:
    with pytest.raises(ValueError, match="pigeon"):
        connect("pigeon", "127.0.0.1:1")  # type: ignore[arg-type]


@contextmanager
def listening(until: bytes = b"") -> Iterator[tuple[str, list[bytes]]]:
    """Accept one connection, keep what arrives until its end is `until`, and hang up."""
    received: list[bytes] = []

    def accept() -> None:
        with listener.accept()[0] as connection:
            arrived = connection.recv(65536)
            while not arrived.endswith(until):
                arrived += connection.recv(65536)
            received.append(arrived)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=accept)
        thread.start()
        yield f"127.0.0.1:{listener.getsockname()[1]}", received
        thread.join()
