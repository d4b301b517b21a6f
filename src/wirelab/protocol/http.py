"""What REST, GraphQL and SOAP share: JSON, media types, and what a status says of a refusal."""

import json
from http import HTTPStatus
from typing import Any, Literal

from wirelab.domain.refusal import RefusalOrFault
from wirelab.protocol.message import WireReply

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
    """Return what a status that is not a success says; "unreadable" where it says nothing."""
    failed = status is not None and status >= HTTPStatus.INTERNAL_SERVER_ERROR
    return _KINDS.get(status or 0, "internal" if failed else "unreadable")


def media_type(reply: WireReply) -> str:
    """Return the media type of a reply without its parameters."""
    return reply.header("content-type").partition(";")[0].strip().lower()


def is_labelled(reply: WireReply, form: Literal["json", "xml"]) -> bool:
    """Tell whether a reply's media type fits its form; one that names none says nothing false."""
    kind = media_type(reply)
    return kind in ("", f"application/{form}", f"text/{form}") or kind.endswith(f"+{form}")


def from_json(body: bytes) -> Any:
    """Read JSON strictly; `ValueError` where it is none, or an object has a key twice.

    RFC 8259 leaves open what such an object means, and readers differ: some take the first value.
    """
    try:
        return json.loads(body, object_pairs_hook=_object)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} occurs twice")
    return found


def to_json(value: object) -> bytes:
    """Write a value as compact JSON in UTF-8."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def excerpt(body: bytes, limit: int = 200) -> str:
    """Return the beginning of a body as text, for messages."""
    text = body[:limit].decode("utf-8", errors="replace")
    return text + "…" if len(body) > limit else text
