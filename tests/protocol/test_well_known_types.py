"""gRPC answers with the well-known types of Protocol Buffers."""

import base64
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format, message_factory

from tests.support.wording import assert_worded
from wirelab.protocol.grpc import PROTOCOL, GrpcCodec, GrpcRequest
from wirelab.protocol.message import Answer, Refusal, WireReply

PROTO = """
syntax = "proto3";
package t;
import "google/protobuf/any.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
service Things { rpc Get(Inner) returns (Thing); }
message Inner { int64 count = 1; string name = 2; }
message Thing {
  google.protobuf.Any any = 1;
  google.protobuf.Int64Value count = 2;
  google.protobuf.BytesValue bytes = 3;
  google.protobuf.Struct free = 4;
  google.protobuf.Timestamp at = 5;
  repeated google.protobuf.UInt64Value counts = 6;
}
"""
REQUEST = GrpcRequest(method="t.Things/Get", message={})
INNER = "type.googleapis.com/t.Inner"


@pytest.fixture
def codec(tmp_path: Path) -> GrpcCodec:
    file = tmp_path / "things.proto"
    file.write_text(PROTO)
    return GrpcCodec("/", "snake", PROTOCOL.read(file))


def thing(codec: GrpcCodec) -> Any:
    return message_factory.GetMessageClass(codec.services.methods["t.Things/Get"].output_type)()


def answered(codec: GrpcCodec, message: Any) -> Answer | Refusal:
    return codec.decode_reply(REQUEST, WireReply(0, (), message.SerializeToString()))


def test_a_wrapped_value_is_the_value_itself(codec: GrpcCodec) -> None:
    written = {"count": "5", "bytes": "AAE=", "counts": ["0", str(2**53 + 1)]}
    message = json_format.ParseDict(written, thing(codec))

    assert answered(codec, message) == Answer(
        {"count": 5, "bytes": "AAE=", "counts": [0, 2**53 + 1]}
    )


def test_structures_and_times_have_their_json_form(codec: GrpcCodec) -> None:
    written = {"free": {"a": [1, None, "x"]}, "at": "2026-01-31T10:00:00Z"}
    message = json_format.ParseDict(written, thing(codec))

    assert answered(codec, message) == Answer({**written, "counts": []})


def test_any_message_of_a_known_type_is_read(codec: GrpcCodec) -> None:
    message = thing(codec)
    inner = message_factory.GetMessageClass(codec.services.methods["t.Things/Get"].input_type)
    message.any.Pack(inner(count=7, name="seven"))

    value = {"@type": INNER, "count": 7, "name": "seven"}
    assert answered(codec, message) == Answer({"any": value, "counts": []})


def test_any_message_of_a_well_known_type_is_its_value(codec: GrpcCodec) -> None:
    message = thing(codec)
    message.count.value = 7
    message.any.Pack(message.count)
    message.ClearField("count")

    value = {"@type": "type.googleapis.com/google.protobuf.Int64Value", "value": 7}
    assert answered(codec, message) == Answer({"any": value, "counts": []})


@pytest.mark.parametrize(
    ("url", "content"), [("type.googleapis.com/x.Unheard", b"\x08\x07"), (INNER, b"\xff\xff")]
)
def test_any_message_that_cannot_be_read_is_its_bytes(
    codec: GrpcCodec, url: str, content: bytes
) -> None:
    message = thing(codec)
    message.any.type_url, message.any.value = url, content

    value = {"@type": url, "value": base64.b64encode(content).decode()}
    assert answered(codec, message) == Answer({"any": value, "counts": []})


def test_a_value_that_json_cannot_express_is_unreadable(codec: GrpcCodec) -> None:
    message = thing(codec)
    message.at.seconds = 2**60
    found = answered(codec, message)

    assert isinstance(found, Refusal)
    assert found.kind == "unreadable"
    assert_worded(found.detail)
