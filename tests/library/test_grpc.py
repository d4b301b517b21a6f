"""gRPC: what the server says of itself, and what goes wrong in its own way."""

from collections.abc import Iterator

import grpc
import pytest

from tests.library.shelf import Row
from tests.library.standing import LIBRARY
from tests.support.described import assert_reflects_proto, refusal_of
from tests.support.standing import Named

STATUS = grpc.StatusCode


@pytest.fixture
def channel(contender_named: Named, rows: dict[str, list[Row]]) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(contender_named("grpc-spring").address) as opened:
        yield opened


def test_reflection_returns_the_content_of_the_proto(channel: grpc.Channel) -> None:
    assert_reflects_proto(channel, LIBRARY.folder)


@pytest.mark.parametrize(
    ("method", "message", "code"),
    [
        ("ReadAuthor", b"\xff" * 12, STATUS.UNKNOWN),
        ("NoSuchMethod", b"", STATUS.UNIMPLEMENTED),
        ("ReadAuthor", b"", STATUS.NOT_FOUND),
        ("AddAuthor", b"", STATUS.INVALID_ARGUMENT),
        ("FindAuthors", b"", STATUS.INVALID_ARGUMENT),
    ],
)
def test_wrong_requests_have_the_correct_status(
    channel: grpc.Channel, method: str, message: bytes, code: grpc.StatusCode
) -> None:
    refused = refusal_of(channel, f"library.v1.Library/{method}", message)

    assert refused.code() is code
    assert "Exception" not in (refused.details() or "")
