"""MCP over streamable HTTP: calls of tools by JSON-RPC, with structured results.

Revision 2026-07-28 has no sessions: each request says what initialisation said before. Earlier
revisions open a session, whose id each request carries.
"""

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from wirelab.domain.kinds import Kinds, united
from wirelab.domain.model import Domain, KeyCase, RequestTemplate
from wirelab.engine.job import Transport
from wirelab.inputs.close_match import close_match, one_of
from wirelab.protocol.answer_shape import Shape
from wirelab.protocol.base import Codec, Mistake, Protocol
from wirelab.protocol.descriptions.openapi import kinds_in_value, table
from wirelab.protocol.descriptions.openapi_answer import shape_of_schema
from wirelab.protocol.descriptions.openapi_required import mistakes_in_value
from wirelab.protocol.http import (
    EVENT_STREAM,
    event_data,
    excerpt,
    from_json,
    json_or_text,
    media_type,
    to_json,
)
from wirelab.protocol.jsonrpc import KINDS, call, malformed_calls, outcome_of, result_of
from wirelab.protocol.key_case import inward, outward
from wirelab.protocol.message import (
    Answer,
    ClientSession,
    Headers,
    InterfaceError,
    Malformed,
    Refusal,
    WireReply,
    WireRequest,
    answer_at,
)
from wirelab.protocol.template import fill

CURRENT: Literal["2026-07-28"] = "2026-07-28"
Revision = Literal["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"]
SESSION_ID = "mcp-session-id"

_CLIENT = {"name": "wirelab", "version": "1"}
_META = {
    "io.modelcontextprotocol/protocolVersion": CURRENT,
    "io.modelcontextprotocol/clientInfo": _CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}
_HEADERS = (
    ("accept", f"application/json, {EVENT_STREAM}"),
    ("content-type", "application/json"),
)
_NAMED_KIND = re.compile(rf"\b({'|'.join(KINDS)}):")
_BLAMES_ARGUMENTS = re.compile(
    r"\b(invalid|validat(e|ing|ion)|deseriali[sz]e|unknown tool)\b", re.IGNORECASE
)
"""What servers say of arguments that do not fit the schema of a tool."""
_PLAIN = re.compile(r"[!-~]([ -~]*[!-~])?")
"""A text that a header can carry as it is."""


class McpRequest(RequestTemplate):
    """`[operation.NAME.mcp]`: one call of a tool."""

    tool: str
    """Name of the tool."""
    arguments: dict[str, Any] = Field(default={})
    """Its arguments, by name. Default: none."""
    content: Literal["structured", "text", "progress"] = "structured"
    """How the result is read: `structured`, its `structuredContent`; `text`, the text of its
    first content, as JSON if it is valid JSON; or `progress`, the list of the messages of the
    notifications of progress before it, each likewise. A result that is an error is a refusal,
    whose kind is the first of wirelab's kinds in the text with a colon after it, such as
    `not_found: `."""
    revision: Revision = "2026-07-28"
    """Revision of the specification. Before 2026-07-28, each client opens a session first, which is
    not a part of the load."""
    new_session: bool = False
    """True opens a session for each call, and ends it, both as a part of the call. Only with a
    `revision` that has sessions."""


@dataclass(frozen=True)
class McpCodec(Codec[McpRequest]):
    """Operations as calls of tools, all to one path."""

    path: str
    case: KeyCase
    protocol = "mcp"
    transport: ClassVar[Transport] = "http1"
    error_markers = ('"isError":true', '"isError": true', '"error":{', '"error": {')

    def encode_request(self, request: McpRequest, parameters: Mapping[str, object]) -> WireRequest:
        """Encode one call."""
        arguments = outward(fill(request.arguments, parameters), self.case)
        params = {"name": request.tool, "arguments": arguments}
        if request.content == "progress":
            params["_meta"] = {"progressToken": 1}
        encoded = mcp_request(
            self.path, "tools/call", params, request.revision, anew=request.new_session
        )
        if request.content != "progress":
            return encoded
        return replace(encoded, stream=True, item_pointer="/params/message")

    def decode_reply(self, request: McpRequest, reply: WireReply) -> Answer | Refusal:
        """Decode the reply to one call, which is JSON or a stream of events."""
        outcome = mcp_result(reply)
        if isinstance(outcome, Refusal):
            return outcome
        result = table(outcome.value)
        text = _first_text(result)
        if result.get("isError") is True:
            return _refusal(text)
        if request.content == "progress":
            value: object = [
                json_or_text(str(table(each.get("params")).get("message")).encode())
                for each in _notifications(reply)
            ]
        elif request.content == "text":
            value = json_or_text(text.encode("utf-8", errors="surrogateescape"))
        elif "structuredContent" in result:
            value = result["structuredContent"]
        else:
            has = "text" if text else f"{sorted(result)}"
            detail = (
                f"the tool returned {has} instead of structuredContent; if its text is the answer,"
                f' write content = "text" in its binding: {excerpt(text.encode())}'
            )
            return Refusal("unreadable", detail)
        return answer_at(inward(value, self.case), request.answer)

    def malformed_requests(self, request: WireRequest) -> list[Malformed]:
        """Return invalid bodies: those of JSON-RPC, an unknown tool."""
        body = from_json(request.body)
        body["params"]["name"] = "no_such_tool"
        headers = tuple(
            (name, "no_such_tool" if name == "mcp-name" else value)
            for name, value in request.headers
        )
        other = replace(request, headers=headers, body=to_json(body))
        unknown = Malformed("a tool that does not exist", other, ("invalid", "not_found"))
        return [*malformed_calls(request), unknown]


class Mcp(Protocol[Mapping[str, dict[str, Any]], McpRequest]):
    """MCP, described by the result of `tools/list` as JSON."""

    name = "mcp"
    description = "list of tools"
    describes_itself = True
    request = McpRequest

    def read(self, path: Path) -> dict[str, dict[str, Any]]:
        """Return the tools of a list, by name."""
        try:
            document = from_json(path.read_bytes())
        except ValueError as error:
            raise InterfaceError(f"it is not JSON: {error}") from None
        tools = table(document).get("tools")
        if not isinstance(tools, list) or not all(_is_tool(each) for each in tools):
            raise InterfaceError("it has no list `tools`, each with a name and an inputSchema")
        return {each["name"]: each for each in tools}

    def mistakes(
        self, interface: Mapping[str, dict[str, Any]], request: McpRequest
    ) -> Iterator[Mistake]:
        """Yield an unknown tool, or where the arguments do not fit its schema."""
        tool = interface.get(request.tool)
        if tool is None:
            hint = close_match(request.tool, interface)
            yield Mistake("tool", request.tool, one_of(interface), hint)
            return
        schema, arguments = tool["inputSchema"], request.arguments
        yield from mistakes_in_value(schema, schema, arguments, "arguments", request.tool)

    def kinds(
        self, interface: Mapping[str, dict[str, Any]], request: McpRequest
    ) -> dict[str, Kinds]:
        """Return the kinds of values that the schema of the arguments allows."""
        schema = interface[request.tool]["inputSchema"]
        return united(kinds_in_value(schema, schema, request.arguments))

    def response(self, interface: Mapping[str, dict[str, Any]], request: McpRequest) -> Shape:
        """Return the form of the result, if the tool describes it."""
        schema = table(interface.get(request.tool)).get("outputSchema")
        if request.content != "structured" or not isinstance(schema, dict):
            return None
        return shape_of_schema(schema, schema, f"a key of the result of {request.tool}")

    def codec(
        self,
        domain: Domain,
        interface: Mapping[str, dict[str, Any]],  # noqa: ARG002  (needed only to check templates)
        path: str,
    ) -> McpCodec:
        """Return the codec; all calls go to the contender's path."""
        return McpCodec(path, domain.interface.case(self.name))

    def bind(self, domain: Domain, path: str = "/") -> McpCodec:
        """Return the codec for a domain and a contender's path."""
        return self.codec(domain, {}, path)


PROTOCOL = Mcp()


def mcp_request(
    path: str,
    method: str,
    params: Mapping[str, object],
    revision: Revision,
    *,
    anew: bool = False,
) -> WireRequest:
    """Return one request of MCP, in a session if the revision has sessions; `anew` in its own."""
    if revision != CURRENT:
        headers: Headers = (*_HEADERS, ("mcp-protocol-version", revision))
        session = _session(path, revision, anew=anew)
        return WireRequest("POST", path, headers, call(method, params), session=session)
    meta = {**table(params.get("_meta")), **_META}
    headers = (*_HEADERS, ("mcp-protocol-version", CURRENT), ("mcp-method", method))
    if "name" in params:
        headers = (*headers, ("mcp-name", _in_header(str(params["name"]))))
    return WireRequest("POST", path, headers, call(method, {**params, "_meta": meta}))


def mcp_result(reply: WireReply) -> Answer | Refusal:
    """Return the result of a request, from a body that is JSON or a stream of events.

    Of a stream, notifications before the response are skipped.
    """
    if media_type(reply) != EVENT_STREAM:
        return result_of(reply)
    for data in _messages(reply):
        try:
            message = from_json(data.encode())
        except ValueError as error:
            return Refusal("unreadable", f"an event is not JSON: {error}")
        if isinstance(message, dict) and {"result", "error"} & message.keys():
            return outcome_of(message, reply)
    return Refusal("unreadable", "the stream of events ended without a response")


@lru_cache(maxsize=16)
def _session(path: str, revision: Revision, *, anew: bool) -> ClientSession:
    """Return what opens a session: initialisation, and the notification that it is complete."""
    params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": _CLIENT}
    begin = WireRequest("POST", path, _HEADERS, call("initialize", params))
    done = to_json({"jsonrpc": "2.0", "method": "notifications/initialized"})
    headers: Headers = (*_HEADERS, ("mcp-protocol-version", revision))
    opening = (begin, WireRequest("POST", path, headers, done))
    end = WireRequest("DELETE", path, (("mcp-protocol-version", revision),))
    return ClientSession(opening, SESSION_ID, end if anew else None)


def _in_header(text: str) -> str:
    """Write a text in a header as MCP does: in base64 if it has other than visible ASCII."""
    if _PLAIN.fullmatch(text) and not text.startswith("=?base64?"):
        return text
    return f"=?base64?{b64encode(text.encode()).decode()}?="


def _is_tool(written: object) -> bool:
    tool = table(written)
    return isinstance(tool.get("name"), str) and isinstance(tool.get("inputSchema"), dict)


def _first_text(result: Mapping[str, Any]) -> str:
    content = result.get("content")
    texts = [table(each).get("text") for each in content] if isinstance(content, list) else []
    return next((text for text in texts if isinstance(text, str)), "")


def _messages(reply: WireReply) -> Iterator[str]:
    """Yield the messages of a stream of events; one without data only opens the stream."""
    return filter(None, event_data(reply))


def _notifications(reply: WireReply) -> Iterator[Mapping[str, Any]]:
    """Yield the notifications of progress in a stream of events."""
    for data in _messages(reply):
        message = table(from_json(data.encode()))
        if message.get("method") == "notifications/progress":
            yield message


def _refusal(text: str) -> Refusal:
    """Read the text of an error: the kind that it names, otherwise whether it blames arguments."""
    if named := _NAMED_KIND.search(text):
        return Refusal(KINDS[named[1]], text)
    return Refusal("invalid" if _BLAMES_ARGUMENTS.search(text) else "internal", text)
