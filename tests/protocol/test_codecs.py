"""Each codec: operations to bytes, and bytes to answers."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from wirelab import protocol
from wirelab.domain import Domain
from wirelab.domain.kinds import BOOLEAN, LIST, NUMBER, TABLE, TEXT, WHOLE, Kinds
from wirelab.protocol import (
    Answer,
    CannotEncodeError,
    Refusal,
    WireReply,
    WireRequest,
)
from wirelab.protocol.base import Codec
from wirelab.protocol.rest import RestCodec, RestRequest
from wirelab.protocol.template import literal
from wirelab.protocol.websocket import WebsocketCodec, WebsocketRequest

from .exchanges import ENVELOPE, bound, reply

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
PETS = """
paths:
  /pets/{id}:
    put:
      parameters: [{ name: id, in: path, schema: { type: integer } }]
      requestBody: { content: { application/json: { schema: { $ref: "#/components/pet" } } } }
components:
  pet:
    properties:
      name: { type: [string, "null"] }
      owner: { properties: { price: { type: number }, any: {} } }
      broken: { type: { no: type } }
      tags: { type: array }
"""


def test_an_unknown_protocol_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        protocol.get("gopher")


def test_encoding_is_the_same_every_time(codec: Codec[Any], notes: Domain) -> None:
    operation = notes.operations["create"]

    assert codec.encode(operation, {"note": NOTE}) == codec.encode(operation, {"note": NOTE})


def test_transports_are_those_of_the_engine(notes: Domain) -> None:
    transports = {name: bound(name, notes).transport for name in protocol.NAMES}
    others = {name: each for name, each in transports.items() if each != "http1"}

    assert others == {"grpc": "grpc", "websocket": "websocket"}


def test_each_description_says_which_kinds_of_values_parameters_take(notes: Domain) -> None:
    def kinds(name: str, operation: str) -> dict[str, Kinds]:
        known = protocol.get(name)
        description = known.read(notes.interface.files.get(name, Path()))
        ((request,),) = notes.operations[operation].bindings[name].rounds
        return known.kinds(description, request)

    assert kinds("rest", "list") == {"limit": WHOLE}
    assert kinds("rest", "read") == {}  # every value is a text in a URL
    assert kinds("graphql", "list") == {"limit": WHOLE}
    assert kinds("graphql", "update") == {"id": TEXT | WHOLE, "note": TABLE}
    assert kinds("grpc", "list") == {"limit": WHOLE}
    assert kinds("grpc", "update") == {"id": TEXT, "note": TABLE}
    assert kinds("soap", "list") == {"limit": WHOLE}
    assert kinds("soap", "update") == {"note": TABLE}  # every value is a text in XML
    assert kinds("websocket", "read") == {}
    assert kinds("mcp", "list") == {"limit": WHOLE}
    assert kinds("mcp", "update") == {"id": TEXT, "note": TABLE}
    assert notes.operations["update"].kinds == {"id": TEXT, "note": TABLE}


def test_kinds_are_found_within_tables(tmp_path: Path) -> None:
    (tmp_path / "openapi.yaml").write_text(PETS)
    rest = protocol.get("rest")
    owner = {"price": "{price}", "any": "{any}"}
    body = {"name": "{name}", "owner": owner, "tags": "{tags}", "broken": "{no}", "of": "a {text}"}
    request = rest.request(method="PUT", path="/pets/{key}", body=body)

    assert rest.kinds(rest.read(tmp_path / "openapi.yaml"), request) == {
        "key": WHOLE,
        "name": TEXT,
        "price": NUMBER,
        "tags": LIST,
    }


def test_kinds_are_found_within_parts_of_a_soap_message(notes: Domain) -> None:
    soap = protocol.get("soap")
    keys = ("title", "read_count", "pinned", "price", "author", "tags")
    request = soap.request(
        operation="Create", message={"note": {key: f"{{{key}}}" for key in keys}}
    )

    assert soap.kinds(soap.read(notes.interface.files["soap"]), request) == {
        "read_count": WHOLE,
        "pinned": BOOLEAN,
        "price": NUMBER,
        "author": TABLE,
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
    assert dict(request.headers)["content-type"].startswith("text/xml")
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


@pytest.mark.parametrize(
    ("select", "selected"),
    [
        ("[*].{id: id}", Answer([{"id": 1}])),
        ("length(@)", Answer(1)),
        ("[*].missing", Answer([])),
        ("abs(@)", "unreadable"),
        (None, Answer([{"id": 1, "body": "b"}])),
    ],
)
def test_a_client_takes_a_part_of_what_it_gets(select: str | None, selected: Any) -> None:
    request = RestRequest(method="GET", path="/notes", answer="/notes", select=select)

    got = RestCodec("/", "snake").outcome(
        request, reply(200, '{"notes": [{"id": 1, "body": "b"}]}')
    )

    assert (got.kind if isinstance(got, Refusal) else got) == selected


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


def test_malformed_inputs_differ_from_the_correct_request(codec: Codec[Any], notes: Domain) -> None:
    operation = notes.operations["create"]
    right = codec.encode(operation, {"note": NOTE})
    malformed = codec.malformed(operation, {"note": NOTE})

    assert malformed
    for case in malformed:
        assert case.what
        assert "invalid" in case.refusals
        assert case.request.body != right.body
        sent = {name for name, _ in case.request.headers}
        assert sent == {name for name, _ in right.headers}
        same = replace(case.request, body=b"", headers=())
        assert same == replace(right, body=b"", headers=())


def test_a_request_without_a_body_cannot_be_malformed_over_rest(notes: Domain) -> None:
    assert bound("rest", notes).malformed(notes.operations["read"], {"id": "x"}) == []


def test_a_composed_operation_is_not_one_request(notes: Domain) -> None:
    with pytest.raises(ValueError, match="follow takes several"):
        bound("rest", notes).encode(notes.operations["follow"], {"id": "note 001"})
