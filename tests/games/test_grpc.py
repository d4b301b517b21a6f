"""gRPC: what the server says about itself, and statuses."""

from collections.abc import Callable, Iterator

import grpc
import pytest
from google.protobuf import descriptor_pool
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)
from grpc_tools import protoc

from tests.games.catalogue import Game
from tests.games.standing import GAMES
from wirelab.lab.contenders.running import RunningContender


@pytest.fixture
def channel(
    contender_named: Callable[[str], RunningContender], games: list[Game]
) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(contender_named("grpc-grpcio").address) as opened:
        yield opened


def test_the_server_describes_itself_as_games_proto_does(
    channel: grpc.Channel, tmp_path: object
) -> None:
    output = f"{tmp_path}/games.binpb"
    assert (
        protoc.main(["", f"-I{GAMES.folder}", f"--descriptor_set_out={output}", "games.proto"]) == 0
    )
    with open(output, "rb") as file:
        (described,) = FileDescriptorSet.FromString(file.read()).file
    for message in described.message_type:
        for field in message.field:
            field.ClearField("json_name")  # a server leaves out what follows from the name

    database = ProtoReflectionDescriptorDatabase(channel)
    pool = descriptor_pool.DescriptorPool(database)
    served = FileDescriptorProto()
    pool.FindServiceByName("games.v1.Games").file.CopyToProto(served)

    assert "games.v1.Games" in database.get_services()
    assert served == described


def test_an_absent_text_is_distinguished_from_an_empty_one(channel: grpc.Channel) -> None:
    pool = descriptor_pool.DescriptorPool(ProtoReflectionDescriptorDatabase(channel))
    game = pool.FindMessageTypeByName("games.v1.Game")

    assert game.fields_by_name["mature_content"].has_presence


@pytest.mark.parametrize(
    ("method", "request_bytes", "code"),
    [
        ("ReadGame", b"", grpc.StatusCode.INVALID_ARGUMENT),
        ("ReadGame", b"\x0a\x01\x00", grpc.StatusCode.INVALID_ARGUMENT),
        ("ReadGame", b"\x0a\x06nobody", grpc.StatusCode.NOT_FOUND),
        ("CreateGame", b"", grpc.StatusCode.INVALID_ARGUMENT),
        ("ListGames", b"", grpc.StatusCode.INVALID_ARGUMENT),
        ("DeleteGame", b"", grpc.StatusCode.INVALID_ARGUMENT),
        # What is no message at all is refused by the gRPC library, with the status that gRPC
        # lays down for it.
        ("ReadGame", b"\xff\xff\xff", grpc.StatusCode.INTERNAL),
        ("Nothing", b"", grpc.StatusCode.UNIMPLEMENTED),
    ],
)
def test_a_wrong_message_gets_its_status(
    channel: grpc.Channel, method: str, request_bytes: bytes, code: grpc.StatusCode
) -> None:
    with pytest.raises(grpc.RpcError) as refused:
        channel.unary_unary(f"/games.v1.Games/{method}")(request_bytes, timeout=10)

    assert refused.value.code() is code


def test_not_a_number_is_invalid(channel: grpc.Channel) -> None:
    price_is_nan = b"\x0a\x0d\x1a\x01x\xa1\x01" + b"\x00" * 6 + b"\xf8\x7f"
    with pytest.raises(grpc.RpcError) as refused:
        channel.unary_unary("/games.v1.Games/CreateGame")(price_is_nan, timeout=10)

    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "original_price" in refused.value.details()
