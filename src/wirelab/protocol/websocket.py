"""WebSocket: one message is the request, one message the response; both usually JSON objects."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from wirelab.domain.model import KeyCase, RequestTemplate
from wirelab.domain.refusal import RefusalOrFault
from wirelab.engine.job import Transport
from wirelab.protocol.base import Codec, Undescribed
from wirelab.protocol.http import excerpt, from_json, json_or_text, to_json
from wirelab.protocol.key_case import inward, outward
from wirelab.protocol.message import (
    Answer,
    Malformed,
    Refusal,
    WireReply,
    WireRequest,
    answer_at,
)
from wirelab.protocol.template import as_text, fill

_KINDS: dict[str, RefusalOrFault] = {
    "not_found": "not_found",
    "invalid": "invalid",
    "conflict": "conflict",
    "unauthenticated": "unauthenticated",
    "unavailable": "unavailable",
    "too_late": "too_late",
}

_CLOSED_FOR_A_BAD_MESSAGE = {1003, 1007, 1008}
"""RFC 6455, 7.4.1: unsupported data, invalid payload, policy violation."""


class WebsocketRequest(RequestTemplate):
    """`[operation.NAME.websocket]`: one message."""

    message: dict[str, Any] | str
    """The message: a table, sent as a JSON object, or a text, sent as it is."""
    content: Literal["json", "any"] = "json"
    """How the response is read: `json`, an object; or `any` (JSON if it is valid JSON, otherwise
    text). An object with an `error` other than null is a refusal."""
    until: str = ""
    """A text, such as `"end":`. The response is then a stream: the answer is the list of its
    messages before the one that contains this text, or an `error`. Default: one message."""


@dataclass(frozen=True)
class WebsocketCodec(Codec[WebsocketRequest]):
    """Operations as text messages, which are usually JSON objects."""

    path: str
    case: KeyCase
    protocol = "websocket"
    transport: ClassVar[Transport] = "websocket"
    error_markers = ('"error":', '"error" :')

    def encode_request(
        self, request: WebsocketRequest, parameters: Mapping[str, object]
    ) -> WireRequest:
        """Encode one message."""
        message = fill(request.message, parameters)
        if isinstance(request.message, str):
            body = as_text(message).encode()
        else:
            body = to_json(outward(message, self.case))
        until = (request.until, *self.error_markers) if request.until else ()
        return WireRequest("", self.path, body=body, stream=bool(until), until=until)

    def decode_reply(self, request: WebsocketRequest, reply: WireReply) -> Answer | Refusal:
        """Decode one message; a reply with a status is a closed connection instead."""
        if reply.status is not None:
            kind: RefusalOrFault = "internal"
            if reply.status in _CLOSED_FOR_A_BAD_MESSAGE:
                kind = "invalid"
            detail = f"the connection was closed with {reply.status} {reply.message}".rstrip()
            return Refusal(kind, detail, "the connection was closed; an error message is expected")
        documents = []
        for body in reply.items or (reply.body,):
            document = _read(request, body)
            if isinstance(document, Refusal):
                return document
            documents.append(inward(document, self.case))
        return answer_at(documents[:-1] if request.until else documents[0], request.answer)

    def malformed_requests(self, request: WireRequest) -> list[Malformed]:
        """Return invalid messages: not JSON, not an object, an object without a request."""
        bodies = {
            "a message that is not JSON": request.body[:-1],
            "a message that is not an object": b"[]",
            "an object without a request": b"{}",
        }
        return [Malformed(what, replace(request, body=body)) for what, body in bodies.items()]


class Websocket(Undescribed[WebsocketRequest]):
    """Messages over a WebSocket; they have no description besides the templates."""

    name = "websocket"
    request = WebsocketRequest
    codec_for = WebsocketCodec


PROTOCOL = Websocket()


def _read(request: WebsocketRequest, body: bytes) -> object:
    """Read one message; return the refusal that it is."""
    try:
        document = (json_or_text if request.content == "any" else from_json)(body)
    except ValueError as fault:
        return Refusal("unreadable", f"the message is not JSON, {fault}: {excerpt(body)}")
    if request.content == "json" and not isinstance(document, dict):
        return Refusal("unreadable", f"the message is not an object: {excerpt(body)}")
    error = document.get("error") if isinstance(document, dict) else None
    if error is None:
        return document
    code = str(error.get("code", "")) if isinstance(error, dict) else str(error)
    return Refusal(_KINDS.get(code, "internal"), excerpt(body))
