"""A missing reply is described in words, not by the names of errors of libraries."""

import socket

import httpx
import pytest

from wirelab.protocol.clients.no_reply import CLOSED, NOT_HTTP_2, RESET, in_words, why_no_reply


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[Errno 111] Connection refused", "the connection was refused: nothing listens there"),
        ("Server disconnected without sending a response.", CLOSED),
        ("Socket closed", CLOSED),
        ("recvmsg:Connection reset by peer", RESET),
        ("[Errno 32] Broken pipe", RESET),
        ("UNAVAILABLE: ipv4:127.0.0.1:1: Failed parsing HTTP/2 (Expected SETTINGS", NOT_HTTP_2),
        (
            "peer closed connection without sending complete message body (received 3 bytes)",
            "the server closed the connection before the end of its answer",
        ),
        ("[Errno -2] Name or service not known", "the name of the host is not known"),
        ("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed", ""),
    ],
)
def test_known_texts_are_put_in_words(text: str, words: str) -> None:
    assert in_words(text) == words


def test_an_unknown_error_is_its_text_and_one_without_text_that_of_its_cause() -> None:
    assert why_no_reply(httpx.ReadError("[SSL: WRONG_NAME]")) == "[SSL: WRONG_NAME]"
    error = httpx.ConnectError("")
    error.__cause__ = socket.gaierror(-5, "odd name")
    assert why_no_reply(error) == "[Errno -5] odd name"
    assert why_no_reply(ConnectionError()) == "the connection failed"
