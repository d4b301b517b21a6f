"""Each codec: bytes out, answers and refusals in."""

import gzip
import json
from dataclasses import replace
from typing import Any

import pytest
import xxhash
from lxml import etree

from wirelab import protocol
from wirelab.domain import Domain, Operation
from wirelab.protocol import (
    Answer,
    CannotEncodeError,
    Expectation,
    Refusal,
    WireReply,
    WireRequest,
)
from wirelab.protocol.base import Codec
from wirelab.protocol.rest import RestCodec, RestRequest
from wirelab.protocol.template import literal
from wirelab.protocol.websocket import WebsocketCodec, WebsocketRequest

NOTE = {
    "title": "A <title> & more",
    "body": "",
    "read_count": 2**53 + 1,
    "pinned": False,
    "price": 19.99,
    "author": {"full_name": "Ada"},
    "tags": ["one"],
    "links": [],
}
ENVELOPE = "http://schemas.xmlsoap.org/soap/envelope/"


@pytest.fixture(params=protocol.NAMES)
def codec(request: pytest.FixtureRequest, notes: Domain) -> Codec[Any]:
    found: Codec[Any] = protocol.get(request.param).bind(notes, "/base")
    return found


def bound(name: str, notes: Domain) -> Codec[Any]:
    found: Codec[Any] = protocol.get(name).bind(notes, "/base")
    return found


def reply(status: int | None, body: bytes | str, form: str = "") -> WireReply:
    content = body.encode() if isinstance(body, str) else body
    form = form or ("text/xml" if content.startswith(b"<") else "application/json")
    return WireReply(status, (("Content-Type", form),), content)


def test_an_unknown_protocol_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        protocol.get("gopher")


def test_encoding_is_the_same_every_time(codec: Codec[Any], notes: Domain) -> None:
    operation = notes.operations["create"]

    assert codec.encode(operation, {"note": NOTE}) == codec.encode(operation, {"note": NOTE})


def test_transports_are_those_of_the_engine(notes: Domain) -> None:
    transports = {name: bound(name, notes).transport for name in protocol.NAMES}

    assert transports == {
        "rest": "http1",
        "graphql": "http1",
        "grpc": "grpc",
        "websocket": "websocket",
        "soap": "http1",
    }


def test_rest_request(notes: Domain) -> None:
    codec = bound("rest", notes)
    read = codec.encode(notes.operations["read"], {"id": "note 001"})
    create = codec.encode(notes.operations["create"], {"note": NOTE})

    headers = (("accept", "application/json"),)
    assert read == WireRequest("GET", "/base/notes/note%20001", headers)
    assert (create.method, create.path) == ("POST", "/base/notes")
    assert ("content-type", "application/json") in create.headers
    assert json.loads(create.body) == NOTE


@pytest.mark.parametrize(("base", "path"), [("/", "/"), ("/base", "/base"), ("/base/", "/base")])
def test_a_request_for_the_root_has_a_path(base: str, path: str) -> None:
    request = RestCodec(base, "snake").encode_request(RestRequest(method="GET", path=""), {})

    assert request.path == path


def test_graphql_request(notes: Domain) -> None:
    request = bound("graphql", notes).encode(notes.operations["create"], {"note": NOTE})
    body = json.loads(request.body)

    assert (request.method, request.path) == ("POST", "/base")
    assert body["query"].startswith("mutation Create")
    assert body["variables"]["note"]["readCount"] == NOTE["read_count"]
    assert body["variables"]["note"]["author"] == {"fullName": "Ada"}


def test_websocket_request(notes: Domain) -> None:
    request = bound("websocket", notes).encode(notes.operations["read"], {"id": "note 001"})

    assert request == WireRequest("", "/base", body=b'{"op":"read","id":"note 001"}')


def test_grpc_request(notes: Domain) -> None:
    request = bound("grpc", notes).encode(notes.operations["read"], {"id": "note 001"})

    assert request == WireRequest("POST", "/notes.Notes/Read", (), b"\n\x08note 001", binary=True)


def test_soap_request(notes: Domain) -> None:
    request = bound("soap", notes).encode(notes.operations["create"], {"note": NOTE})
    content = etree.fromstring(request.body).find(f"{{{ENVELOPE}}}Body")[0]

    assert ("soapaction", '"urn:notes/Create"') in request.headers
    assert ("content-type", "text/xml; charset=utf-8") in request.headers
    assert content.tag == "{urn:notes}Create"
    assert content.findtext(".//{urn:notes}readCount") == str(2**53 + 1)
    assert content.findtext(".//{urn:notes}title") == NOTE["title"]
    assert content.findtext(".//{urn:notes}pinned") == "false"


@pytest.mark.parametrize(
    ("body", "value"),
    [('{"a": 1}', {"a": 1}), ("[1]", [1]), ("pong", "pong"), ('{"error": null}', {"error": None})],
)
def test_a_message_of_a_websocket_may_be_any_text(body: str, value: object) -> None:
    codec = WebsocketCodec("/socket", "snake")
    template = WebsocketRequest(message=literal("{ping}"), content="any")

    assert codec.encode_request(template, {}) == WireRequest("", "/socket", body=b"{ping}")
    assert codec.decode_reply(template, reply(None, body)) == Answer(value)


@pytest.mark.parametrize("name", ["grpc", "soap"])
def test_values_that_the_types_forbid_cannot_be_encoded(name: str, notes: Domain) -> None:
    with pytest.raises(CannotEncodeError):
        bound(name, notes).encode(notes.operations["create"], {"note": {"colour": "blue"}})


def test_grpc_keeps_whole_numbers_zeros_and_absence(notes: Domain) -> None:
    codec, operation = bound("grpc", notes), notes.operations["create"]
    sent = codec.encode(operation, {"note": NOTE})
    # The request wraps the note as its field 1: what follows tag and length is the note itself.
    answer = codec.decode(operation, WireReply(0, (), sent.body[2:]))

    assert isinstance(answer, Answer)
    assert answer.value == NOTE
    empty = codec.decode(operation, WireReply(0, (), b""))
    absent = {"title": "", "read_count": 0, "pinned": False, "tags": [], "links": []}
    assert empty == Answer(absent)


def test_soap_keeps_empty_texts_and_reads_types(notes: Domain) -> None:
    codec, operation = bound("soap", notes), notes.operations["read"]
    note = (
        "<note><title></title><body/><readCount> 7 </readCount><pinned>1</pinned>"
        "<price>19.99</price><author><fullName>Ada</fullName></author><tags>one</tags>"
        "<unheardOf><deep>x</deep></unheardOf></note>"
    )
    body = f'<e:Envelope xmlns:e="{ENVELOPE}"><e:Body><ReadResponse xmlns="urn:notes">{note}'
    answer = codec.decode(operation, reply(200, f"{body}</ReadResponse></e:Body></e:Envelope>"))

    assert answer == Answer(
        {
            "title": "",
            "body": "",
            "read_count": 7,
            "pinned": True,
            "price": 19.99,
            "author": {"full_name": "Ada"},
            "tags": ["one"],
            "unheard_of": {"deep": "x"},
        }
    )


def soap_fault(code: str, detail: str = "") -> str:
    return (
        f'<e:Envelope xmlns:e="{ENVELOPE}"><e:Body><e:Fault><faultcode>e:{code}</faultcode>'
        f"<faultstring>why</faultstring>{detail}</e:Fault></e:Body></e:Envelope>"
    )


PROBLEM = "application/problem+json"


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


def test_malformed_inputs_differ_from_the_correct_request(codec: Codec[Any], notes: Domain) -> None:
    operation = notes.operations["create"]
    right = codec.encode(operation, {"note": NOTE})
    malformed = codec.malformed(operation, {"note": NOTE})

    assert malformed
    for case in malformed:
        assert case.what
        assert "invalid" in case.refusals
        assert case.request.body != right.body
        assert replace(case.request, body=b"") == replace(right, body=b"")


def test_a_request_without_a_body_cannot_be_malformed_over_rest(notes: Domain) -> None:
    assert bound("rest", notes).malformed(notes.operations["read"], {"id": "x"}) == []


def test_reads_are_expected_to_the_last_byte(codec: Codec[Any], notes: Domain) -> None:
    body = b'{"data": 1}'
    expected = codec.expectation(notes.operations["read"], reply(200, body), reply(200, body))

    assert expected == Expectation(200, body_xxh3=xxhash.xxh3_64_hexdigest(body))
    assert expected.body_xxh3 is not None
    assert len(expected.body_xxh3) == 16


def test_a_compressed_reply_is_expected_as_the_engine_compares_it(notes: Domain) -> None:
    codec, read, body = bound("rest", notes), notes.operations["read"], b'{"text": "abc"}' * 9
    packed = replace(reply(200, gzip.compress(body, 1)), headers=(("Content-Encoding", "gzip"),))
    otherwise = replace(packed, body=gzip.compress(body, 9))

    expected = codec.expectation(read, packed, otherwise)

    assert expected == Expectation(200, body_xxh3=xxhash.xxh3_64_hexdigest(body))


def test_a_varying_reply_is_expected_by_its_length_or_not_at_all(notes: Domain) -> None:
    codec, read = bound("rest", notes), notes.operations["read"]
    same = codec.expectation(read, reply(200, b"abc"), reply(200, b"abx"))
    other = codec.expectation(read, reply(200, b"abc"), reply(200, b"abxy"))

    assert same == Expectation(200, body_length=3)
    assert other == Expectation(200)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("graphql", '{"data": null, "errors": [{"message": "no"}]}'),
        ("graphql", '{"errors":[{"message":"no"}]}'),
        ("soap", soap_fault("Server")),
        ("soap", "<Envelope><Body><Fault xmlns=''>"),
        ("websocket", '{"error":{"code":"invalid"}}'),
        ("websocket", '{"error": {"code": "invalid"}}'),
    ],
)
def test_an_error_in_the_reply_to_a_write_is_noticed(name: str, wrong: str, notes: Domain) -> None:
    create: Operation = notes.operations["create"]
    right = b'{"data": {"text": "\\"errors\\": [ and <Fault, escaped"}}'
    expected = bound(name, notes).expectation(create, reply(200, right))

    assert expected.body_xxh3 is None
    assert expected.body_length is None
    assert any(mark in wrong for mark in expected.must_not_contain)
    assert not any(mark.encode() in right for mark in expected.must_not_contain)


def test_a_marker_that_correct_answers_contain_is_no_marker(notes: Domain) -> None:
    right = reply(200, '{"data": {"report": {"errors": []}}}')
    expected = bound("graphql", notes).expectation(notes.operations["create"], right)

    assert expected.must_not_contain == ('"errors":[',)


def test_a_composed_operation_is_not_one_request(notes: Domain) -> None:
    with pytest.raises(ValueError, match="follow takes several requests over rest"):
        bound("rest", notes).encode(notes.operations["follow"], {"id": "note 001"})


@pytest.mark.parametrize("name", ["rest", "graphql", "websocket"])
def test_an_object_with_a_key_twice_is_no_answer(name: str, notes: Domain) -> None:
    codec, read = bound(name, notes), notes.operations["read"]
    status = None if name == "websocket" else 200
    right = {"rest": "{}", "graphql": '{"data": {"note": {}}}', "websocket": '{"note": {}}'}[name]
    twice = right.replace("{}", '{"id": "a", "title": "x", "id": "b"}')

    assert isinstance(codec.decode(read, reply(status, right)), Answer)
    found = codec.decode(read, reply(status, twice))
    assert isinstance(found, Refusal)
    assert found.kind == "unreadable"
    if name != "graphql":
        assert "'id' occurs twice" in found.detail


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
            assert f"its media type is {form}" in found.detail

    unlabelled = bound("rest", notes).decode(read, WireReply(200, (), b"{}"))
    assert isinstance(unlabelled, Answer)
