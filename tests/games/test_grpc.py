"""gRPC: what the server says about itself, and statuses."""

from collections.abc import Iterator

import grpc
import pytest

from tests.games.catalogue import Game
from tests.games.standing import GAMES
from tests.support.callers import GrpcCaller
from tests.support.described import assert_reflects_proto, refusal_of
from tests.support.standing import Named

STATUS = grpc.StatusCode


@pytest.fixture
def channel(contender_named: Named, games: list[Game]) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(contender_named("grpc-grpcio").address) as opened:
        yield opened


def test_the_server_describes_itself_as_games_proto_does(channel: grpc.Channel) -> None:
    assert_reflects_proto(channel, GAMES.folder)


def test_an_absent_text_is_distinguished_from_an_empty_one(channel: grpc.Channel) -> None:
    game = GrpcCaller(channel, "games.v1.Games").service.methods_by_name["ReadGame"].output_type

    assert game.fields_by_name["mature_content"].has_presence


@pytest.mark.parametrize(
    ("method", "request_bytes", "code"),
    [
        ("ReadGame", b"", STATUS.INVALID_ARGUMENT),
        ("ReadGame", b"\x0a\x01\x00", STATUS.INVALID_ARGUMENT),
        ("ReadGame", b"\x0a\x06nobody", STATUS.NOT_FOUND),
        ("CreateGame", b"", STATUS.INVALID_ARGUMENT),
        ("ListGames", b"", STATUS.INVALID_ARGUMENT),
        ("DeleteGame", b"", STATUS.INVALID_ARGUMENT),
        # What is no message at all is refused by the gRPC library, with the status that gRPC
        # lays down for it.
        ("ReadGame", b"\xff\xff\xff", STATUS.INTERNAL),
        ("Nothing", b"", STATUS.UNIMPLEMENTED),
    ],
)
def test_a_wrong_message_gets_its_status(
    channel: grpc.Channel, method: str, request_bytes: bytes, code: grpc.StatusCode
) -> None:
    assert refusal_of(channel, f"games.v1.Games/{method}", request_bytes).code() is code


def test_not_a_number_is_invalid(channel: grpc.Channel) -> None:
    price_is_nan = b"\x0a\x0d\x1a\x01x\xa1\x01" + b"\x00" * 6 + b"\xf8\x7f"
    refused = refusal_of(channel, "games.v1.Games/CreateGame", price_is_nan)

    assert refused.code() is STATUS.INVALID_ARGUMENT
    assert "original_price" in refused.details()
