"""Common parts of protocols over HTTP: JSON, media types, events, and refusals by status."""

import json
from collections import Counter
from decimal import Decimal, DecimalException
from http import HTTPStatus
from typing import Any, Literal

from wirelab.domain.canonical import as_written
from wirelab.domain.refusal import RefusalOrFault
from wirelab.protocol.message import WireReply
from wirelab.terminal.untrusted import NESTED

EVENT_STREAM = "text/event-stream"
DEEPEST = 200
"""Maximum depth of JSON: Python's stack is enough for several calls for each level."""

_KINDS: dict[int, RefusalOrFault] = {
    HTTPStatus.BAD_REQUEST: "invalid",
    HTTPStatus.UNAUTHORIZED: "unauthenticated",
    HTTPStatus.PAYMENT_REQUIRED: "conflict",
    HTTPStatus.NOT_FOUND: "not_found",
    HTTPStatus.CONFLICT: "conflict",
    HTTPStatus.GONE: "not_found",
    HTTPStatus.PRECONDITION_FAILED: "conflict",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "invalid",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "invalid",
    HTTPStatus.UNPROCESSABLE_ENTITY: "invalid",
    HTTPStatus.SERVICE_UNAVAILABLE: "unavailable",
    HTTPStatus.GATEWAY_TIMEOUT: "too_late",
}


def refusal_kind(status: int | None) -> RefusalOrFault:
    """Return the refusal that a status other than success expresses; "unreadable" if none."""
    failed = status is not None and status >= HTTPStatus.INTERNAL_SERVER_ERROR
    return _KINDS.get(status or 0, "internal" if failed else "unreadable")


def succeeded(reply: WireReply) -> bool:
    """Return whether the status of a reply over HTTP expresses success."""
    return reply.status is None or HTTPStatus.OK <= reply.status < HTTPStatus.MULTIPLE_CHOICES


def media_type(reply: WireReply) -> str:
    """Return the media type of a reply without its parameters."""
    return reply.header("content-type").partition(";")[0].strip().lower()


def is_labelled(reply: WireReply, form: Literal["json", "xml"]) -> bool:
    """Return whether a reply's media type fits its form; a missing one is accepted."""
    kind = media_type(reply)
    return kind in ("", f"application/{form}", f"text/{form}") or kind.endswith(f"+{form}")


def event_data(reply: WireReply) -> list[str]:
    """Return the data of the server-sent events in a body (WHATWG HTML, 9.2).

    As there, a byte order mark at the beginning is skipped, and an event without an empty line
    after it is dropped. The engine counts the same events.
    """
    events: list[str] = []
    data: list[str] = []
    text = as_exact_text(reply.content)
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for line in lines[:-1]:
        name, _, value = line.partition(":")
        if name == "data":
            data.append(value.removeprefix(" "))
        if not line and data:
            events.append("\n".join(data))
            data.clear()
    return events


def from_json(body: bytes) -> Any:
    """Read JSON strictly; raises `ValueError` if invalid, or if an object has a key twice.

    RFC 8259 does not define the meaning of such an object: some readers take the first value. It
    has neither NaN nor Infinity (section 6), but numbers of any size and precision.
    """
    try:
        value = json.loads(
            body, object_pairs_hook=_object, parse_float=read_number, parse_constant=_no_number
        )
    except RecursionError:
        raise ValueError(NESTED) from None
    if body.count(b"[") + body.count(b"{") > DEEPEST:
        _require_flat(value)
    return value


def json_or_text(body: bytes) -> Any:
    """Read a body as JSON if it is that, otherwise as text.

    A JSON text is a text as it is written, so that "a" with quotes is not a without them.
    """
    try:
        document = from_json(body)
    except ValueError:
        return as_exact_text(body)
    return as_exact_text(body) if isinstance(document, str) else document


def as_exact_text(body: bytes) -> str:
    """Return a body as a text; bytes that are not UTF-8 become lone surrogates, each another."""
    return body.decode("utf-8", errors="surrogateescape")


def read_number(text: str) -> float | Decimal:
    """Read a decimal number as a float if that is how programs write one, otherwise exactly.

    Raises `ValueError` if it is none.
    """
    read = float(text)
    if repr(read) == text:
        return read
    try:
        return as_written(Decimal(text))
    except DecimalException:
        raise ValueError(f"the number {text:.40} is out of range") from None


def _require_flat(value: Any) -> None:
    """Raise `ValueError` if a value is nested beyond `DEEPEST`."""
    level = [value]
    for _ in range(DEEPEST):
        parts = (each.values() if isinstance(each, dict) else each for each in level)
        level = [inner for part in parts for inner in part if type(inner) in (dict, list)]
        if not level:
            return
    raise ValueError(NESTED)


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    headers = dict(pairs)
    if len(headers) < len(pairs):
        twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise ValueError(f"the key {twice!r} occurs twice")
    return headers


def to_json(value: object) -> bytes:
    """Write a value as compact JSON in UTF-8."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def excerpt(body: bytes, limit: int = 200) -> str:
    """Return the beginning of a body as text, for messages."""
    text = body[:limit].decode("utf-8", errors="replace")
    return text + "…" if len(body) > limit else text
