"""What only one protocol has is compared, too: attributes, unknown fields, status, event types."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from wirelab import protocol
from wirelab.domain.model import Common
from wirelab.domain.refusal import FAULTS
from wirelab.protocol.base import Codec
from wirelab.protocol.graphql import GraphqlCodec, GraphqlRequest
from wirelab.protocol.grpc import GrpcCodec, GrpcRequest
from wirelab.protocol.message import Answer, Refusal, WireReply
from wirelab.protocol.soap import SoapCodec, SoapRequest
from wirelab.verify.equality.common_shape import shape, shape_differences
from wirelab.verify.equality.headers import AnswerHeaders

WSDL = """<d:definitions xmlns:d="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:t"
 xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:t="urn:t"
 xmlns:x="http://www.w3.org/2001/XMLSchema">
 <d:types><x:schema targetNamespace="urn:t" elementFormDefault="qualified">
  <x:element name="In"><x:complexType/></x:element>
  <x:element name="Out"><x:complexType><x:sequence>
   {elements}<x:element name="part" minOccurs="0"><x:complexType mixed="true"><x:sequence>
    <x:element name="v" type="x:string" minOccurs="0"/></x:sequence></x:complexType></x:element>
   <x:any minOccurs="0" processContents="skip"/>
  </x:sequence></x:complexType></x:element></x:schema></d:types>
 <d:message name="In"><d:part name="p" element="t:In"/></d:message>
 <d:message name="Out"><d:part name="p" element="t:Out"/></d:message>
 <d:portType name="P"><d:operation name="Get"><d:input message="t:In"/><d:output message="t:Out"/>
 </d:operation></d:portType>
 <d:binding name="B" type="t:P"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
  <d:operation name="Get"><s:operation soapAction=""/><d:input><s:body use="literal"/></d:input>
  <d:output><s:body use="literal"/></d:output></d:operation></d:binding>
 <d:service name="S"><d:port name="Q" binding="t:B"><s:address location="http://h/"/></d:port>
 </d:service></d:definitions>"""
ENVELOPE = """<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>
 <t:Out xmlns:t="urn:t">{}</t:Out></e:Body></e:Envelope>"""
VALUES: Mapping[str, Sequence[str]] = {
    "string": ["", " ", "a", "A", " a", "1"],
    "int": ["0", "1", "-1", "10", "1_0", "١", "1.0"],
    "decimal": ["0.1", "0.10000000000000000001", "10.5", "1_0.5", "-0.1", "1e1"],
    "double": ["NaN", "INF", "-INF", "inf", "nan", "0.1", "10", "1_0"],
    "boolean": ["true", "false", "True", ""],
    "dateTime": ["2020-01-01T00:00:00Z", "2020-01-01T00:00:00.001Z", "2020-01-01T01:00:00Z"],
    "base64Binary": ["AA==", "AQ==", ""],
    "anyType": ["a", "b"],
}
"""Values of each type, of which no two are the same."""
WRITTEN = [
    *("<t:part/>", '<t:part x="1"/>', '<t:part x="2"/>', '<t:part xml:lang="de"/>'),
    *("<t:part><t:v>a</t:v></t:part>", "<t:part><t:v>b</t:v></t:part>", "<t:part>a</t:part>"),
    *('<t:part><t:v y="1">a</t:v></t:part>', "<t:part><v>a</v></t:part>"),
    *("<t:part>a<t:v>a</t:v></t:part>", "<t:part>b<t:v>a</t:v></t:part>"),
    *('<z q="1"/>', '<z q="2"/>', "<z>1</z>", "<z><y q='1'>1</y></z>", "<z><y q='2'>1</y></z>"),
]
"""Parts of an answer that a type does not declare, or that it allows to be anything."""


def soap(folder: Path, elements: str) -> Codec[SoapRequest]:
    (folder / "t.wsdl").write_text(WSDL.format(elements=elements))
    return SoapCodec("/", "camel", protocol.get("soap").read(folder / "t.wsdl"))


def assert_all_differ(answers: Mapping[object, object]) -> None:
    shapes = {name: shape(Common(), "p", answer) for name, answer in answers.items()}
    for one, other in combinations(shapes, 2):
        differing = shape_differences(Common(), shapes[one], shapes[other])
        assert any(True for _ in differing), (one, other)


def value_of(codec: Codec[SoapRequest], written: str) -> object:
    reply = WireReply(200, (("content-type", "text/xml"),), ENVELOPE.format(written).encode())
    outcome = codec.decode_reply(SoapRequest(operation="Get"), reply)
    assert isinstance(outcome, Answer), outcome
    return outcome.value


@pytest.mark.parametrize("kind", VALUES)
def test_one_other_text_of_an_element_is_seen(kind: str, tmp_path: Path) -> None:
    codec = soap(tmp_path, f'<x:element name="v" type="x:{kind}"/>')

    assert_all_differ({it: value_of(codec, f"<t:v>{it}</t:v>") for it in VALUES[kind]})


def test_what_a_schema_does_not_declare_is_seen(tmp_path: Path) -> None:
    codec = soap(tmp_path, "")

    assert_all_differ({it: value_of(codec, it) for it in WRITTEN})


PROTO = """syntax = "proto2"; package t;
message In {}
message Out { optional int32 id = 1; optional Out inner = 2; extensions 100 to 200; }
extend Out { optional string note = 100; repeated Out more = 101; }
service S { rpc Get(In) returns (Out); }
"""
NOTES = [b"\xa2\x06\x01a", b"\xa2\x06\x01b", b"\xa2\x06\x00", b"\xaa\x06\x02\x08\x01"]
UNKNOWN = [b"\x90\x03\x01", b"\x90\x03\x02", b"\x98\x03\x01"]
BODIES = [b"", b"\x08\x00", b"\x08\x01", *NOTES, *UNKNOWN]
BODIES += [b"\x12" + bytes([len(body)]) + body for body in BODIES]


def test_one_other_field_that_a_message_does_not_declare_is_seen(tmp_path: Path) -> None:
    (tmp_path / "t.proto").write_text(PROTO)
    codec = GrpcCodec("", "snake", protocol.get("grpc").read(tmp_path / "t.proto"))
    request = GrpcRequest(method="t.S/Get", message={})
    answers: dict[object, object] = {}
    for body in BODIES:
        outcome = codec.decode_reply(request, WireReply(0, (), body))
        assert isinstance(outcome, Answer), outcome
        answers[body] = outcome.value

    assert_all_differ(answers)


@pytest.mark.parametrize("status", [302, 404, 500])
def test_an_answer_with_the_status_of_an_error_is_none(status: int, tmp_path: Path) -> None:
    (tmp_path / "s.graphql").write_text("type Query { id: ID }")
    (tmp_path / "q.graphql").write_text("{ id }")
    graphql = GraphqlCodec("/", "snake", protocol.get("graphql").read(tmp_path / "s.graphql"))
    asked = GraphqlRequest(document=tmp_path / "q.graphql")
    replies: list[tuple[Codec[Any], Any, bytes]] = [
        (graphql, asked, b'{"data": {"id": "1"}}'),
        (soap(tmp_path, ""), SoapRequest(operation="Get"), ENVELOPE.format("").encode()),
    ]
    for codec, request, body in replies:
        assert isinstance(codec.decode_reply(request, WireReply(200, (), body)), Answer)
        refusal = codec.decode_reply(request, WireReply(status, (), body))
        assert isinstance(refusal, Refusal)
        assert refusal.kind in {*FAULTS, "not_found"}


EVENT = (("content-type", "text/event-stream"),)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (WireReply(200, (), b"{}"), WireReply(203, (), b"{}")),
        (WireReply(200, EVENT, b"event: a\ndata: 1\n\n"), WireReply(200, EVENT, b"data: 1\n\n")),
        (
            WireReply(200, EVENT, b"id: 1\ndata: 1\n\n"),
            WireReply(200, EVENT, b"id: 2\ndata: 1\n\n"),
        ),
    ],
)
def test_status_and_types_of_events_are_compared(one: WireReply, other: WireReply) -> None:
    mine, theirs = AnswerHeaders(), AnswerHeaders()
    mine.add(0, one, one)
    theirs.add(0, other, other)

    (difference,) = mine.differences(theirs, ())
    assert difference.is_of_answer
    assert not list(mine.differences(mine, ()))
