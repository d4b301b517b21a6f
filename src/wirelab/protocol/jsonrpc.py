"""JSON-RPC 2.0 over HTTP: each POST is one call, and its reply a result or an error."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, ClassVar
from zlib import crc32

from pydantic import Field

from wirelab.domain.model import KeyCase, RequestTemplate
from wirelab.domain.refusal import FAULTS, REFUSALS, RefusalOrFault
from wirelab.engine.job import Transport
from wirelab.protocol.base import Codec, Undescribed
from wirelab.protocol.http import excerpt, from_json, is_labelled, media_type, refusal_kind, to_json
from wirelab.protocol.key_case import inward, outward
from wirelab.protocol.message import (
    Answer,
    Malformed,
    Refusal,
    WireReply,
    WireRequest,
    answer_at,
)
from wirelab.protocol.template import fill

KINDS: dict[str, RefusalOrFault] = {kind: kind for kind in (*REFUSALS, *FAULTS)}  # type: ignore[misc]
INVALID = {-32700, -32600, -32601, -32602}
"""Codes of errors that blame the request: parse error, invalid request, method, parameters."""
HEADERS = (("accept", "application/json"), ("content-type", "application/json"))


class JsonrpcRequest(RequestTemplate):
    """`[operation.NAME.jsonrpc]`: one call of a method."""

    method: str
    """The method."""
    params: dict[str, Any] | list[Any] = Field(default={})
    """Its parameters, by name or by position. Default: none."""


@dataclass(frozen=True)
class JsonrpcCodec(Codec[JsonrpcRequest]):
    """Operations as calls, all to one path."""

    path: str
    case: KeyCase
    protocol = "jsonrpc"
    transport: ClassVar[Transport] = "http1"
    error_markers = ('"error":{', '"error": {')

    def encode_request(
        self, request: JsonrpcRequest, parameters: Mapping[str, object]
    ) -> WireRequest:
        """Encode one call."""
        params = outward(fill(request.params, parameters), self.case)
        return WireRequest("POST", self.path, HEADERS, call(request.method, params))

    def decode_reply(self, request: JsonrpcRequest, reply: WireReply) -> Answer | Refusal:
        """Decode the reply to one call."""
        outcome = result_of(reply)
        if isinstance(outcome, Refusal):
            return outcome
        return answer_at(inward(outcome.value, self.case), request.answer)

    def malformed_requests(self, request: WireRequest) -> list[Malformed]:
        """Return invalid bodies: not JSON, a method that is no text, an unknown method."""
        return malformed_calls(request)


class Jsonrpc(Undescribed[JsonrpcRequest]):
    """JSON-RPC, for which no description language is in general use."""

    name = "jsonrpc"
    request = JsonrpcRequest
    codec_for = JsonrpcCodec


PROTOCOL = Jsonrpc()


def call(method: str, params: object) -> bytes:
    """Write a call; empty parameters are left out.

    Its id is a hash of what is called, so that different calls have different ids. The same call
    has the same again, because the engine compares the bytes of answers, which repeat the id.
    """
    called = {"method": method, **({"params": params} if params else {})}
    return to_json({"jsonrpc": "2.0", "id": crc32(to_json(called)), **called})


def malformed_calls(request: WireRequest) -> list[Malformed]:
    """Return what no server may accept in place of a call.

    An object without a method could be a response: servers that make calls may accept it.
    """
    bodies = {
        "a body that is not JSON": request.body[:-1],
        "a method that is no text": to_json({"jsonrpc": "2.0", "id": 1, "method": 7}),
        "a method that does not exist": call("noSuchMethod", {}),
    }
    return [Malformed(what, replace(request, body=body)) for what, body in bodies.items()]


def result_of(reply: WireReply) -> Answer | Refusal:
    """Return the result in a JSON body, or why there is none."""
    try:
        document = from_json(reply.content)
    except ValueError:
        document = None
    outcome = outcome_of(document, reply)
    if isinstance(outcome, Answer) and not is_labelled(reply, "json"):
        detail = f"the body is JSON, but its media type is {media_type(reply)}"
        return Refusal("unreadable", detail)
    return outcome


def outcome_of(response: object, reply: WireReply) -> Answer | Refusal:
    """Return the result or the error of a response."""
    if not isinstance(response, dict) or not {"result", "error"} & response.keys():
        detail = f"HTTP {reply.status}: {excerpt(reply.content)}"
        kind = refusal_kind(reply.status)
        return Refusal(kind, detail, "the body is not a response of JSON-RPC")
    error = response.get("error")
    if error is not None:
        return _refusal(error, reply.status)
    asked, told = _id_of(reply.asked), response.get("id")
    if asked is not None and told != asked:
        return Refusal("unreadable", f"the response has the id {told}, not {asked}")
    return Answer(response["result"])


def _id_of(body: bytes) -> object:
    """Return the id of a call; None if a body has none, such as a malformed one."""
    try:
        document = from_json(body)
    except ValueError:
        return None
    return document.get("id") if isinstance(document, dict) else None


def _refusal(error: object, status: int | None) -> Refusal:
    """Read an error: the kind in its data, otherwise that of its code, or of the HTTP status."""
    written = error if isinstance(error, dict) else {}
    code, data = written.get("code"), written.get("data")
    detail = f"{code}: {written.get('message', error)}"
    named = data.get("code") if isinstance(data, dict) else data
    if isinstance(named, str) and named in KINDS:
        return Refusal(KINDS[named], detail)
    if code in INVALID:
        return Refusal("invalid", detail)
    failed = status is not None and status >= HTTPStatus.BAD_REQUEST
    return Refusal(refusal_kind(status) if failed else "internal", detail)
