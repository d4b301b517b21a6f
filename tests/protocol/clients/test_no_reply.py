"""A missing reply is described in words, not by the names of errors of libraries."""

import socket

import httpx
import pytest

from wirelab.protocol.clients.base import Cause
from wirelab.protocol.clients.no_reply import KNOWN, no_reply, no_reply_from


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("[Errno 111] Connection refused", Cause.REFUSED),
        ("Server disconnected without sending a response.", Cause.CLOSED),
        ("Socket closed", Cause.CLOSED),
        ("recvmsg:Connection reset by peer", Cause.RESET),
        ("[Errno 32] Broken pipe", Cause.RESET),
        ("UNAVAILABLE: ipv4:127.0.0.1:1: Failed parsing HTTP/2 (Expected", Cause.NOT_HTTP_2),
        ("peer closed connection without sending complete message body (3)", Cause.OTHER),
        ("[Errno -2] Name or service not known", Cause.OTHER),
    ],
)
def test_known_texts_are_put_in_words(text: str, cause: Cause) -> None:
    error = no_reply_from(text)

    assert error.cause is cause
    assert str(error) in {words for _, _, words in KNOWN}


def test_an_untrusted_certificate_keeps_the_text_of_the_library() -> None:
    error = no_reply_from("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed")

    assert error.cause is Cause.UNTRUSTED_CERTIFICATE
    assert str(error).startswith("[SSL: ")


def test_an_unknown_error_is_its_text_and_one_without_text_that_of_its_cause() -> None:
    assert str(no_reply(httpx.ReadError("[SSL: WRONG_NAME]"))) == "[SSL: WRONG_NAME]"
    error = httpx.ConnectError("")
    error.__cause__ = socket.gaierror(-5, "odd name")
    assert str(no_reply(error)) == "[Errno -5] odd name"
    assert str(no_reply(ConnectionError())) == "the connection failed"
