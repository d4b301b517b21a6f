"""A pointer to an answer leads through fields that its message has, or it is a mistake."""

import pytest

from wirelab.protocol.base import Mistake
from wirelab.protocol.grpc import PROTOCOL, GrpcRequest, Services

PROTO = """
syntax = "proto3";
package t;
import "google/protobuf/empty.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/wrappers.proto";
service Things {
  rpc Get(Nested) returns (Thing);
  rpc Watch(Nested) returns (stream Thing);
  rpc Nothing(Nested) returns (google.protobuf.Empty);
}
message Nested {
  repeated Thing things = 1;
  map<string, Thing> by_name = 2;
  map<string, int32> counts = 3;
}
message Thing {
  string full_name = 1;
  bytes bytesRead = 2;
  Nested nested = 3;
  google.protobuf.Struct free = 4;
  google.protobuf.Int64Value count = 5;
}
"""


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Services:
    file = tmp_path_factory.mktemp("proto") / "things.proto"
    file.write_text(PROTO)
    return PROTOCOL.read(file)


def mistakes(services: Services, method: str, answer: str) -> list[Mistake]:
    request = GrpcRequest(method=f"t.Things/{method}", message={}, answer=answer)
    return list(PROTOCOL.mistakes(services, request))


@pytest.mark.parametrize(
    ("method", "answer"),
    [
        ("Get", ""),
        ("Get", "/full_name"),
        ("Get", "/bytesRead"),
        ("Get", "/bytes_read"),  # with key_case = "camel"
        ("Get", "/nested/things"),
        ("Get", "/nested/things/0/full_name"),
        ("Get", "/nested/things/*/nested/by_name/any name/count"),
        ("Get", "/nested/counts/any name"),
        ("Get", "/free/any/name"),
        ("Watch", "/*/count"),
        ("Watch", "/0"),
        ("Nothing", ""),
    ],
)
def test_a_pointer_to_a_value_that_may_exist_is_right(
    services: Services, method: str, answer: str
) -> None:
    assert mistakes(services, method, answer) == []


FIELDS = "one of bytesRead, count, free, full_name, nested"


@pytest.mark.parametrize(
    ("method", "answer", "expected", "hint"),
    [
        ("Get", "/fullName", f"a field of t.Thing: {FIELDS}", "full_name"),
        (
            "Get",
            "/nested/thing",
            "a field of t.Nested after /nested: one of by_name, counts, things",
            "things",
        ),
        (
            "Get",
            "/nested/by_name/x/first",
            f"a field of t.Thing after /nested/by_name/x: {FIELDS}",
            "",
        ),
        ("Get", "/nested/things/count", "an index or * after /nested/things, which is a list", ""),
        ("Get", "/full_name/first", "no key after /full_name, which is a single value", ""),
        ("Get", "/count/value", "no key after /count, which is a single value", ""),
        ("Get", "/nested/counts/x/y", "no key after /nested/counts/x, which is a single value", ""),
        ("Watch", "/count", "an index or * first, since the answer is a stream", ""),
        (
            "Nothing",
            "/status",
            "a field of google.protobuf.Empty: nothing, since none is defined",
            "",
        ),
    ],
)
def test_a_pointer_to_a_value_that_cannot_exist_is_a_mistake(
    services: Services, method: str, answer: str, expected: str, hint: str
) -> None:
    (mistake,) = mistakes(services, method, answer)

    assert (mistake.key, mistake.value, mistake.expected) == ("answer", answer, expected)
    assert mistake.hint == (f"did you mean '{hint}'?" if hint else "")
