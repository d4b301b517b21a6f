"""GraphQL over a WebSocket: the protocol graphql-transport-ws, one operation after the other.

Specified at https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md. An id is free again
when its operation is complete, so all operations of a connection have the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from wirelab.domain.refusal import RefusalOrFault
from wirelab.engine.job import Message, Transport
from wirelab.protocol.base import Codec
from wirelab.protocol.graphql import GraphqlCodec, GraphqlRequest, subscribes
from wirelab.protocol.http import excerpt, from_json, to_json
from wirelab.protocol.message import Answer, Malformed, Refusal, WireReply, WireRequest

_ENDS = tuple(f'"type":{space}"{kind}"' for kind in ("complete", "error") for space in ("", " "))


_INVALID_MESSAGE = 4400
"""The code with which a server closes after a message that the protocol does not have."""


@dataclass(frozen=True)
class GraphqlOverWebsocket(Codec[GraphqlRequest]):
    """Operations as messages `subscribe`, which are answered by `next` until `complete`."""

    over_http: GraphqlCodec
    protocol = "graphql"
    transport: ClassVar[Transport] = "websocket"
    headers = (("Sec-WebSocket-Protocol", "graphql-transport-ws"),)
    subscribe = Message(body=to_json({"type": "connection_init"}), answers=1)
    error_markers = ('"type":"error"', '"type": "error"', *GraphqlCodec.error_markers)

    @property
    def path(self) -> str:  # type: ignore[override]
        """The path of the opening handshake."""
        return self.over_http.path

    def encode_request(
        self, request: GraphqlRequest, parameters: Mapping[str, object]
    ) -> WireRequest:
        """Encode one operation."""
        whole = request.model_copy(update={"persisted": False})
        payload = from_json(self.over_http.encode_request(whole, parameters).body)
        body = to_json({"id": "1", "type": "subscribe", "payload": payload})
        return WireRequest("", self.path, body=body, stream=True, until=_ENDS)

    def decode_reply(self, request: GraphqlRequest, reply: WireReply) -> Answer | Refusal:
        """Decode the messages of one operation; a reply with a status is a closed connection."""
        if reply.status is not None:
            kind: RefusalOrFault = "invalid" if reply.status == _INVALID_MESSAGE else "internal"
            return Refusal(kind, f"the connection was closed with {reply.status} {reply.message}")
        try:
            messages: list[Any] = [from_json(each) for each in reply.items]
            *results, end = [(each["type"], each.get("payload")) for each in messages]
        except (ValueError, TypeError, KeyError, AttributeError):
            return Refusal("unreadable", f"no message of the protocol: {excerpt(reply.body)}")
        if end[0] == "error":
            results.append(("next", {"errors": end[1] or [{}]}))
        bodies = [to_json(payload) for kind, payload in results if kind == "next"]
        if subscribes(request.document.read_text(encoding="utf-8")) or not bodies:
            return self.over_http.results(request, bodies)
        return self.over_http.result(request, WireReply(None, (), bodies[0]))

    def malformed_requests(self, request: WireRequest) -> list[Malformed]:  # noqa: ARG002
        """Return nothing: after some errors, servers close or send further messages."""
        return []
