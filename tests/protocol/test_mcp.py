"""MCP: calls in its revisions, sessions, streams of events, and text instead of values."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from tests.support.http_server import QuietHandler, http_server
from wirelab.domain import Domain
from wirelab.engine.job import Endpoint, Job, Stop
from wirelab.experiment.blocks.jobs import engine_target
from wirelab.measure.driver import run_engine
from wirelab.protocol import Answer, Refusal, WireReply
from wirelab.protocol.clients.base import Cause, NoReplyError
from wirelab.protocol.clients.client import connect
from wirelab.protocol.mcp import CURRENT, McpCodec, McpRequest
from wirelab.protocol.message import Expectation
from wirelab.study import ClosedLoad
from wirelab.verify.plans import Plan, PlannedRequest
from wirelab.verify.servers.symptoms import Symptom, Watched

from .exchanges import EVENTS, bound, reply, result

CODEC = McpCodec("/mcp", "snake")
OLDER = McpRequest(tool="read", arguments={"id": "{id}"}, revision="2025-11-25")
ANSWER = {"jsonrpc": "2.0", "id": 1, "result": {"structuredContent": {"id": "a"}}}


def read(answered: WireReply, **keys: Any) -> Answer | Refusal:
    return CODEC.decode_reply(McpRequest(tool="read", **keys), answered)


def test_a_call_of_the_current_revision_needs_no_session(notes: Domain) -> None:
    request = bound("mcp", notes).encode(notes.operations["read"], {"id": "note 001"})
    headers, body = dict(request.headers), json.loads(request.body)

    assert (request.method, request.path, request.session) == ("POST", "/base", None)
    assert headers["mcp-protocol-version"] == CURRENT
    assert (headers["mcp-method"], headers["mcp-name"]) == ("tools/call", "read")
    assert headers["accept"] == f"application/json, {EVENTS}"
    assert (body["jsonrpc"], body["method"]) == ("2.0", "tools/call")
    assert body["params"]["arguments"] == {"id": "note 001"}
    assert body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == CURRENT


def test_a_name_that_no_header_can_have_is_in_base64() -> None:
    request = CODEC.encode_request(McpRequest(tool="lire é"), {})

    assert dict(request.headers)["mcp-name"] == "=?base64?bGlyZSDDqQ==?="


def test_the_response_in_a_stream_may_follow_notifications() -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}}
    events = f": ping\n\ndata: {json.dumps(note)}\n\nid: 7\ndata: {json.dumps(ANSWER)}\n\n"

    assert read(reply(200, events, EVENTS)) == Answer({"id": "a"})
    refused = read(reply(200, f"data: {json.dumps(note)}\n\n", EVENTS))
    assert isinstance(refused, Refusal)
    assert refused.kind == "unreadable"


def test_an_event_without_data_only_opens_a_stream() -> None:
    events = f"id: 0\nretry: 3000\ndata:\n\ndata: {json.dumps(ANSWER)}\n\n"

    assert read(reply(200, events, EVENTS)) == Answer({"id": "a"})


def test_a_server_that_cannot_deserialize_blames_the_arguments() -> None:
    content = [{"type": "text", "text": "failed to deserialize parameters: missing field `id`"}]
    body = {"jsonrpc": "2.0", "id": 1, "result": {"isError": True, "content": content}}

    refused = read(reply(200, json.dumps(body)))

    assert isinstance(refused, Refusal)
    assert refused.kind == "invalid"


def test_different_calls_have_different_ids() -> None:
    first, same, other = (json.loads(CODEC.encode_request(OLDER, {"id": it}).body) for it in "aab")

    assert first["id"] == same["id"] != other["id"]


def test_text_is_an_answer_only_if_the_binding_says_so() -> None:
    answered = result('{"content":[{"type":"text","text":"{\\"id\\": 7}"}]}')

    refused = read(answered)
    assert isinstance(refused, Refusal)
    assert refused.kind == "unreadable"
    assert 'content = "text"' in refused.detail
    assert read(answered, content="text", answer="/id") == Answer(7)
    plain = result('{"content":[{"type":"image"},{"type":"text","text":"seven"}]}')
    assert read(plain, content="text") == Answer("seven")


@contextmanager
def in_sessions(seen: list[tuple[str, str]], calls: int) -> Iterator[str]:
    """Serve tools in sessions that end after so many calls, and keep what was sent."""
    left: dict[str, int] = {}

    class Requests(QuietHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            session = self.headers.get("mcp-session-id", "")
            seen.append((body["method"], session))
            if body["method"] == "initialize":
                left[name := f"s{len(left)}"] = calls
                self.answer(200, {"jsonrpc": "2.0", "id": body["id"], "result": {}}, name)
            elif body["method"].startswith("notifications/"):
                self.answer(202)
            elif left.get(session, 0) > 0:
                left[session] -= 1
                self.answer(200, {**ANSWER, "id": body["id"]})
            else:
                error = {"code": -32001, "message": "Session not found"}
                self.answer(404, {"jsonrpc": "2.0", "id": None, "error": error})

        def do_DELETE(self) -> None:
            seen.append(("DELETE", self.headers["mcp-session-id"]))
            self.answer(204)

        def answer(self, status: int, body: object = None, session: str = "") -> None:
            content = b"" if body is None else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            if session:
                self.send_header("Mcp-Session-Id", session)
            self.end_headers()
            self.wfile.write(content)

    with http_server(Requests) as address:
        yield address


def test_a_session_is_opened_once_and_again_when_it_has_ended() -> None:
    seen: list[tuple[str, str]] = []
    with in_sessions(seen, calls=2) as address, connect("http1", address) as client:
        request = CODEC.encode_request(OLDER, {"id": "a"})
        watched = Watched(client)
        replies = [watched.send(request) for _ in range(3)]

    assert [CODEC.decode_reply(OLDER, each) for each in replies] == 3 * [Answer({"id": "a"})]
    assert [each.is_renewed for each in replies] == [False, False, True]
    assert watched.renewals == 1
    assert Symptom.SESSION_ENDED in {each.symptom for each in watched.signs}
    opening = ["initialize", "notifications/initialized"]
    assert [method for method, _ in seen] == [*opening, *3 * ["tools/call"], *opening, "tools/call"]
    assert [session for _, session in seen] == ["", *4 * ["s0"], "", *2 * ["s1"]]


def test_each_call_may_have_a_session_of_its_own() -> None:
    seen: list[tuple[str, str]] = []
    anew = OLDER.model_copy(update={"new_session": True})
    with in_sessions(seen, calls=1) as address, connect("http1", address) as client:
        for _ in range(2):
            client.send(CODEC.encode_request(anew, {"id": "a"}))

    one = ["initialize", "notifications/initialized", "tools/call", "DELETE"]
    assert [method for method, _ in seen] == [*one, *one]
    assert [session for _, session in seen] == ["", *3 * ["s0"], "", *3 * ["s1"]]


@pytest.mark.parametrize("anew", [False, True])
def test_the_engine_opens_a_session_for_each_client_or_call(tmp_path: Path, *, anew: bool) -> None:
    seen: list[tuple[str, str]] = []
    template = OLDER.model_copy(update={"new_session": anew})
    request = CODEC.encode_request(template, {"id": "a"})
    plan = Plan("w", "read", 0, ((PlannedRequest(request, Expectation(200)),),))
    load = ClosedLoad(title="three", kind="closed", clients=3)
    with in_sessions(seen, calls=1 if anew else 100) as address:
        endpoint = Endpoint(transport="http1", address=address)
        target = engine_target("t", [plan], endpoint, load=load, seed=1)
        job = Job(targets=(target,), output=tmp_path, stop=Stop(transactions=12))
        result = run_engine(job, tmp_path)

    assert result.only.counts.failed == 0
    sessions = [session for method, session in seen if method == "tools/call"]
    assert len(sessions) == 12
    assert len(set(sessions)) == (12 if anew else 3)
    assert [method for method, _ in seen].count("DELETE") == (12 if anew else 0)


def test_a_session_that_ends_at_once_is_a_refusal() -> None:
    seen: list[tuple[str, str]] = []
    with in_sessions(seen, calls=0) as address, connect("http1", address) as client:
        answered = client.send(CODEC.encode_request(OLDER, {"id": "a"}))

    assert answered.status == HTTPStatus.NOT_FOUND
    assert isinstance(CODEC.decode_reply(OLDER, answered), Refusal)


def test_a_stream_that_never_ends_is_a_time_out_by_name() -> None:
    ended = threading.Event()

    class Endless(QuietHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.send_header("content-type", EVENTS)
            self.end_headers()
            self.wfile.write(f"data: {json.dumps(ANSWER)}\n\n".encode())
            self.wfile.flush()
            ended.wait(10)

    with http_server(Endless) as address, connect("http1", address, timeout_s=0.3) as client:
        with pytest.raises(NoReplyError) as raised:
            client.send(CODEC.encode_request(McpRequest(tool="read"), {}))
        ended.set()

    assert raised.value.cause is Cause.ENDLESS_EVENTS
