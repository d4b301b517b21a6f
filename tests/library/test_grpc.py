"""gRPC: what the server says of itself, and what goes wrong in its own way."""

from collections.abc import Callable, Iterator

import grpc
import pytest
from google.protobuf import descriptor_pb2
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)

from tests.library.shelf import Row
from tests.library.standing import LIBRARY
from wirelab.lab.contenders.running import RunningContender
from wirelab.protocol import get


@pytest.fixture
def channel(
    contender_named: Callable[[str], RunningContender], rows: dict[str, list[Row]]
) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(contender_named("grpc-spring").address) as opened:
        yield opened


def test_reflection_returns_the_content_of_the_proto(channel: grpc.Channel) -> None:
    database = ProtoReflectionDescriptorDatabase(channel)
    assert "library.v1.Library" in database.get_services()
    served = descriptor_pb2.FileDescriptorProto()
    DescriptorPool(database).FindServiceByName("library.v1.Library").file.CopyToProto(served)
    written = get("grpc").read(LIBRARY.interface.files["grpc"])
    described = descriptor_pb2.FileDescriptorProto()
    next(iter(written.methods.values())).containing_service.file.CopyToProto(described)

    for file in (served, described):
        file.ClearField("source_code_info")
        for message in file.message_type:
            for field in message.field:
                field.ClearField("json_name")  # protoc fills it in, sooner or later
    assert served == described


@pytest.mark.parametrize(
    ("method", "message", "code"),
    [
        ("ReadAuthor", b"\xff" * 12, grpc.StatusCode.UNKNOWN),
        ("NoSuchMethod", b"", grpc.StatusCode.UNIMPLEMENTED),
        ("ReadAuthor", b"", grpc.StatusCode.NOT_FOUND),
        ("AddAuthor", b"", grpc.StatusCode.INVALID_ARGUMENT),
        ("FindAuthors", b"", grpc.StatusCode.INVALID_ARGUMENT),
    ],
)
def test_wrong_requests_have_the_correct_status(
    channel: grpc.Channel, method: str, message: bytes, code: grpc.StatusCode
) -> None:
    call = channel.unary_unary(f"/library.v1.Library/{method}")
    with pytest.raises(grpc.RpcError) as caught:
        call(message, timeout=10)

    assert caught.value.code() is code
    assert "Exception" not in (caught.value.details() or "")
