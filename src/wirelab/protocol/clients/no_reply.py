"""Why a server did not reply, in words: the errors of libraries name their own classes."""

import re

CLOSED = "the server closed the connection without an answer"
RESET = "the server reset the connection without an answer"
NOT_HTTP_2 = "the answer is not HTTP/2"

WORDS = (
    (r"Connection refused|ECONNREFUSED", "the connection was refused: nothing listens there"),
    (
        r"Server disconnected|Socket closed|closed while reading HTTP status line",
        CLOSED,
    ),
    (
        r"without sending complete message body",
        "the server closed the connection before the end of its answer",
    ),
    (r"UNEXPECTED_EOF_WHILE_READING", "the server closed the connection in the TLS handshake"),
    (r"illegal status line|valid HTTP response", "the answer is not HTTP/1.1"),
    (r"Failed parsing HTTP/2", NOT_HTTP_2),
    (r"Connection reset|Broken pipe", RESET),
    (r"ConnectionTerminated", "the server ended the HTTP/2 connection without an answer"),
    (
        r"Name or service not known|nodename nor servname|Temporary failure in name resolution"
        r"|DNS resolution failed|Domain name not found",
        "the name of the host is not known",
    ),
    (r"No route to host|Network is unreachable", "the network does not lead to the host"),
)
"""What is reported, by patterns of what libraries report."""


def why_no_reply(error: BaseException) -> str:
    """Return why there is no reply, by the error of a library and what caused it."""
    texts = []
    cause: BaseException | None = error
    while cause is not None:
        texts.append(" ".join(str(cause).split()))
        cause = cause.__cause__
    return in_words(" ".join(texts)) or next(filter(None, texts), "the connection failed")


def in_words(text: str) -> str:
    """Return what the text of an error means; "" if that is not known."""
    return next((words for pattern, words in WORDS if re.search(pattern, text)), "")
