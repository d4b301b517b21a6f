"""Why a server did not reply: the cause, and words for what libraries name by their own classes."""

import re

from wirelab.protocol.clients.base import Cause, NoReplyError

CLOSED = "the server closed the connection without an answer"

KNOWN: tuple[tuple[str, Cause, str], ...] = (
    (
        r"Connection refused|ECONNREFUSED",
        Cause.REFUSED,
        "the connection was refused: nothing listens there",
    ),
    (
        r"Server disconnected|Socket closed|closed while reading HTTP status line",
        Cause.CLOSED,
        CLOSED,
    ),
    (
        r"without sending complete message body",
        Cause.OTHER,
        "the server closed the connection before the end of its answer",
    ),
    (
        r"UNEXPECTED_EOF_WHILE_READING",
        Cause.OTHER,
        "the server closed the connection in the TLS handshake",
    ),
    (r"illegal status line|valid HTTP response", Cause.OTHER, "the answer is not HTTP/1.1"),
    (r"Failed parsing HTTP/2", Cause.NOT_HTTP_2, "the answer is not HTTP/2"),
    (
        r"Connection reset|Broken pipe",
        Cause.RESET,
        "the server reset the connection without an answer",
    ),
    (
        r"ConnectionTerminated",
        Cause.OTHER,
        "the server ended the HTTP/2 connection without an answer",
    ),
    (
        r"Name or service not known|nodename nor servname|Temporary failure in name resolution"
        r"|DNS resolution failed|Domain name not found",
        Cause.OTHER,
        "the name of the host is not known",
    ),
    (
        r"No route to host|Network is unreachable",
        Cause.OTHER,
        "the network does not lead to the host",
    ),
    (r"CERTIFICATE_VERIFY_FAILED", Cause.UNTRUSTED_CERTIFICATE, ""),
    (r"CERTIFICATE_REQUIRED", Cause.CLIENT_CERTIFICATE, ""),
)
"""Patterns of what libraries report, their cause, and what is reported instead; "" for the same."""


def no_reply(error: BaseException) -> NoReplyError:
    """Return the error for one of a library and what caused it."""
    texts = []
    cause: BaseException | None = error
    while cause is not None:
        texts.append(" ".join(str(cause).split()))
        cause = cause.__cause__
    return no_reply_from(" ".join(texts), next(filter(None, texts), "the connection failed"))


def no_reply_from(text: str, shown: str = "") -> NoReplyError:
    """Return the error for a library's text; `shown` is reported unless there are better words."""
    for pattern, cause, words in KNOWN:
        if re.search(pattern, text):
            return NoReplyError(words or shown or text, cause)
    return NoReplyError(shown or text)
