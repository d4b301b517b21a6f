"""gRPC: what the server says about itself, and statuses."""

from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)
from grpc_tools import protoc

from tests.bank.standing import BANK
from wirelab.lab.contenders.running import RunningContender

STATUS = grpc.StatusCode


@pytest.fixture
def channel(contender_named: Callable[[str], RunningContender]) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(contender_named("grpc-nestjs").address) as opened:
        yield opened


def test_the_server_describes_itself_as_the_proto_does(
    channel: grpc.Channel, tmp_path: Path
) -> None:
    output = tmp_path / "bank.binpb"
    assert (
        protoc.main(["", f"-I{BANK.folder}", f"--descriptor_set_out={output}", "bank.proto"]) == 0
    )
    (described,) = FileDescriptorSet.FromString(output.read_bytes()).file

    database = ProtoReflectionDescriptorDatabase(channel)
    served = FileDescriptorProto()
    DescriptorPool(database).FindServiceByName("bank.v1.Bank").file.CopyToProto(served)

    assert "bank.v1.Bank" in database.get_services()
    assert shape(served) == shape(described)


def shape(file: FileDescriptorProto) -> dict[str, object]:
    """What a client must know of a file; servers may leave out what follows from it."""
    return {
        "package": file.package,
        "messages": {
            message.name: [(f.name, f.number, f.type, f.label, f.type_name) for f in message.field]
            for message in file.message_type
        },
        "enums": {enum.name: [(v.name, v.number) for v in enum.value] for enum in file.enum_type},
        "methods": {
            (service.name, method.name): (method.input_type, method.output_type)
            for service in file.service
            for method in service.method
        },
    }


@pytest.mark.parametrize(
    ("method", "request_bytes", "code"),
    [
        ("ReadMovement", b"", STATUS.NOT_FOUND),
        ("ReadMovement", b"\x08\x80\x80\x80\x80\x08", STATUS.NOT_FOUND),
        ("ListMovements", b"", STATUS.INVALID_ARGUMENT),
        ("ListMovements", b"\x08\x01\x10\x09", STATUS.INVALID_ARGUMENT),
        ("InsertMovements", b"", STATUS.INVALID_ARGUMENT),
        ("InsertMovements", b"\x0a\x00", STATUS.INVALID_ARGUMENT),
        # What is no message at all is refused by the gRPC library, with the status that gRPC
        # lays down for it.
        ("ReadMovement", b"\xff\xff\xff", STATUS.INTERNAL),
        ("Nothing", b"", STATUS.UNIMPLEMENTED),
    ],
)
def test_a_wrong_message_gets_its_status(
    channel: grpc.Channel, method: str, request_bytes: bytes, code: grpc.StatusCode
) -> None:
    with pytest.raises(grpc.RpcError) as refused:
        channel.unary_unary(f"/bank.v1.Bank/{method}")(request_bytes, timeout=30)

    assert refused.value.code() is code


def test_an_endless_message_is_refused(channel: grpc.Channel) -> None:
    with pytest.raises(grpc.RpcError) as refused:
        channel.unary_unary("/bank.v1.Bank/InsertMovements")(b"\0" * 33 * 2**20, timeout=30)

    assert refused.value.code() is STATUS.RESOURCE_EXHAUSTED
