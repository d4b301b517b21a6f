"""What is no answer: the refusals of every protocol, and replies that cannot be read."""

from dataclasses import replace

import pytest

from wirelab.domain import Domain
from wirelab.protocol import Answer, Refusal, WireReply

from .exchanges import (
    ENVELOPE,
    EVENTS,
    PROBLEM,
    bound,
    error,
    reply,
    result,
    soap_fault,
    tool_error,
)


@pytest.mark.parametrize(
    ("name", "answered", "kind"),
    [
        ("rest", reply(404, "{}", PROBLEM), "not_found"),
        ("rest", reply(410, "{}", PROBLEM), "not_found"),
        ("rest", reply(400, "{}", PROBLEM), "invalid"),
        ("rest", reply(422, "{}", PROBLEM), "invalid"),
        ("rest", reply(409, "{}", PROBLEM), "conflict"),
        ("rest", reply(500, "{}", PROBLEM), "internal"),
        ("rest", reply(503, "{}", PROBLEM), "unavailable"),
        ("rest", reply(504, "{}", PROBLEM), "too_late"),
        ("rest", reply(401, "{}", PROBLEM), "unauthenticated"),
        ("rest", reply(402, "{}", PROBLEM), "conflict"),
        ("rest", reply(403, "{}", PROBLEM), "unreadable"),
        ("rest", reply(204, ""), "unreadable"),
        ("rest", reply(200, "not JSON"), "unreadable"),
        ("graphql", reply(200, '{"data":null,"errors":[{"message":"no","path":["note"],'
                               '"extensions":{"code":"NOT_FOUND"}}]}'), "not_found"),
        ("graphql", reply(200, '{"errors":[{"message":"no","extensions":'
                               '{"code":"BAD_USER_INPUT"}}]}'), "invalid"),
        ("graphql", reply(200, '{"errors":[{"message":"no","extensions":'
                               '{"code":"UNAUTHENTICATED"}}]}'), "unauthenticated"),
        ("graphql", reply(200, '{"errors":[{"message":"no","extensions":'
                               '{"code":"SERVICE_UNAVAILABLE"}}]}'), "unavailable"),
        ("graphql", reply(200, '{"errors":[{"message":"no","extensions":'
                               '{"code":"DEADLINE_EXCEEDED"}}]}'), "too_late"),
        ("graphql", reply(400, '{"errors":[{"message":"Cannot query field"}]}'), "invalid"),
        ("graphql", reply(500, '{"errors":[{"message":"oops"}]}'), "internal"),
        ("graphql", reply(200, '{"data":{"note":null},"errors":[{"message":"oops",'
                               '"path":["note"]}]}'), "internal"),
        ("graphql", reply(200, '{"data":null,"errors":[{"message":"oops","path":["note"]}]}'),
         "internal"),
        ("graphql", reply(200, '{"errors":["odd"]}'), "invalid"),
        ("graphql", reply(200, "<html>"), "unreadable"),
        ("graphql", reply(502, "<html>"), "internal"),
        ("grpc", WireReply(5, (), b"", "no"), "not_found"),
        ("grpc", WireReply(3, (), b"", "no"), "invalid"),
        ("grpc", WireReply(6, (), b"", "no"), "conflict"),
        ("grpc", WireReply(16, (), b"", "no"), "unauthenticated"),
        ("grpc", WireReply(13, (), b"", "no"), "internal"),
        ("grpc", WireReply(2, (), b"", "no"), "internal"),
        ("grpc", WireReply(14, (), b"", "no"), "unavailable"),
        ("grpc", WireReply(4, (), b"", "no"), "too_late"),
        ("grpc", WireReply(0, (), b"\xff\xff"), "unreadable"),
        ("websocket", reply(None, '{"error":{"code":"not_found","message":"no"}}'), "not_found"),
        ("websocket", reply(None, '{"error":{"code":"invalid"}}'), "invalid"),
        ("websocket", reply(None, '{"error":{"code":"oops"}}'), "internal"),
        ("websocket", reply(None, '{"error":"conflict"}'), "conflict"),
        ("websocket", reply(None, '{"error":"unauthenticated"}'), "unauthenticated"),
        ("websocket", reply(None, '{"error":{"code":"unavailable"}}'), "unavailable"),
        ("websocket", reply(None, '{"error":{"code":"too_late"}}'), "too_late"),
        ("websocket", reply(None, "[]"), "unreadable"),
        ("websocket", reply(None, "oops"), "unreadable"),
        ("websocket", WireReply(1007, (), b"", "not text"), "invalid"),
        ("websocket", WireReply(1011, (), b"", "oops"), "internal"),
        ("soap", reply(500, soap_fault("Client", "<detail><code>not_found</code></detail>")),
         "not_found"),
        ("soap", reply(500, soap_fault("Client")), "invalid"),
        ("soap", reply(500, soap_fault("Client.Syntax")), "invalid"),
        ("soap", reply(500, soap_fault("Server")), "internal"),
        ("soap", reply(500, "<html>"), "internal"),
        ("soap", reply(200, "<html/>"), "unreadable"),
        ("soap", reply(200, f'<e:Envelope xmlns:e="{ENVELOPE}"><e:Body><Other/></e:Body>'
                            "</e:Envelope>"), "unreadable"),
        ("jsonrpc", error(-32000, "not_found"), "not_found"),
        ("jsonrpc", error(-32001, {"code": "conflict"}), "conflict"),
        ("jsonrpc", error(-32602), "invalid"),
        ("jsonrpc", error(-32601, status=404), "invalid"),
        ("jsonrpc", error(-32603), "internal"),
        ("jsonrpc", error(-32020, status=400), "invalid"),
        ("jsonrpc", replace(result("1"), asked=b'{"id": 7}'), "unreadable"),
        ("jsonrpc", reply(503, "<html>"), "unavailable"),
        ("mcp", error(-32602), "invalid"),
        ("mcp", tool_error("Error executing tool read: not_found: there is none"), "not_found"),
        ("mcp", tool_error("conflict: too late"), "conflict"),
        ("mcp", tool_error("1 validation error for readArguments"), "invalid"),
        ("mcp", tool_error('validating "arguments": no'), "invalid"),
        ("mcp", tool_error("Invalid arguments for tool read"), "invalid"),
        ("mcp", tool_error("Unknown tool: read"), "invalid"),
        ("mcp", tool_error("Error executing tool read"), "internal"),
        ("mcp", result('{"content":[{"type":"text","text":"{}"}]}'), "unreadable"),
        ("mcp", result("[]"), "unreadable"),
        ("mcp", reply(200, "event: message\ndata: {}\n\n", EVENTS), "unreadable"),
        ("mcp", reply(200, "data: {\n\n", EVENTS), "unreadable"),
        ("mcp", reply(400, "Bad Request", "text/plain"), "invalid"),
    ],
)  # fmt: skip
def test_refusals_of_every_protocol(
    name: str, answered: WireReply, kind: str, notes: Domain
) -> None:
    outcome = bound(name, notes).decode(notes.operations["read"], answered)

    assert isinstance(outcome, Refusal)
    assert outcome.kind == kind
    assert outcome.detail


@pytest.mark.parametrize("form", [PROBLEM, f"{PROBLEM}; charset=utf-8"])
def test_a_refusal_in_the_usual_form_has_no_remark(form: str, notes: Domain) -> None:
    outcome = bound("rest", notes).decode(notes.operations["read"], reply(404, "{}", form))

    assert isinstance(outcome, Refusal)
    assert outcome.remark == ""


def test_a_reply_with_a_document_type_is_no_envelope(notes: Domain) -> None:
    bomb = (
        '<!DOCTYPE e [<!ENTITY secret SYSTEM "file:///etc/hostname">]>'
        f'<e:Envelope xmlns:e="{ENVELOPE}"><e:Body><ReadResponse xmlns="urn:notes"><note>'
        "<title>&secret;</title></note></ReadResponse></e:Body></e:Envelope>"
    )
    outcome = bound("soap", notes).decode(notes.operations["read"], reply(200, bomb))

    assert isinstance(outcome, Refusal)
    assert outcome.kind == "unreadable"


@pytest.mark.parametrize("name", ["rest", "graphql", "websocket"])
@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ('{"id": "a", "title": "x", "id": "b"}', "'id' occurs twice"),
        (f'{{"id": {600 * "["}{600 * "]"}}}', "nested too deeply"),
        (450 * '{"a":' + "1" + 450 * "}", "nested too deeply"),
    ],
)
def test_json_that_is_read_in_several_ways_or_not_to_its_end_is_no_answer(
    name: str, wrong: str, why: str, notes: Domain
) -> None:
    codec, read = bound(name, notes), notes.operations["read"]
    status = None if name == "websocket" else 200
    right = {"rest": "{}", "graphql": '{"data": {"note": {}}}', "websocket": '{"note": {}}'}[name]

    assert isinstance(codec.decode(read, reply(status, right)), Answer)
    found = codec.decode(read, reply(status, right.replace("{}", wrong)))
    assert isinstance(found, Refusal)
    assert found.kind == "unreadable"
    if name != "graphql":
        assert why in found.detail


@pytest.mark.parametrize(
    ("form", "right"),
    [
        ("application/json", True),
        ("application/json; charset=utf-8", True),
        ("application/vnd.notes+json", True),
        ("text/html", False),
        ("application/octet-stream", False),
    ],
)
def test_an_answer_with_another_media_type_is_rejected(
    form: str, right: bool, notes: Domain
) -> None:
    read = notes.operations["read"]
    for name, body in (("rest", "{}"), ("graphql", '{"data": {"note": {}}}')):
        found = bound(name, notes).decode(read, reply(200, body, form))
        assert isinstance(found, Answer) == right, found
        if isinstance(found, Refusal):
            assert form in found.detail

    unlabelled = bound("rest", notes).decode(read, WireReply(200, (), b"{}"))
    assert isinstance(unlabelled, Answer)
