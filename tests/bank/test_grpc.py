"""gRPC: what the server says about itself, and statuses."""

from collections.abc import Iterator

import grpc
import pytest

from tests.bank.standing import BANK
from tests.support.described import assert_reflects_proto, refusal_of
from tests.support.standing import Named

STATUS = grpc.StatusCode


@pytest.fixture
def channel(contender_named: Named) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(contender_named("grpc-nestjs").address) as opened:
        yield opened


def test_the_server_describes_itself_as_the_proto_does(channel: grpc.Channel) -> None:
    assert_reflects_proto(channel, BANK.folder)


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
        ("InsertMovements", b"\0" * 33 * 2**20, STATUS.RESOURCE_EXHAUSTED),
    ],
    ids=lambda value: str(value[:9]) if isinstance(value, bytes) else None,
)
def test_a_wrong_message_gets_its_status(
    channel: grpc.Channel, method: str, request_bytes: bytes, code: grpc.StatusCode
) -> None:
    assert refusal_of(channel, f"bank.v1.Bank/{method}", request_bytes).code() is code
