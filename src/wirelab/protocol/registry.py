"""The protocols by name, each imported on first use, since some imports are slow."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wirelab.domain.model import Domain
    from wirelab.protocol.base import Codec, Protocol

NAMES = ("rest", "graphql", "grpc", "websocket", "soap", "jsonrpc", "mcp")


def get(name: str) -> "Protocol[Any, Any]":
    """Return the protocol of this name; raises `KeyError` if there is none."""
    if name not in NAMES:
        raise KeyError(name)
    protocol: Protocol[Any, Any] = import_module(f"wirelab.protocol.{name}").PROTOCOL
    return protocol


def bind(name: str, domain: "Domain", path: str, transport: str) -> "Codec[Any]":
    """Return the codec of a protocol over a transport of the engine: GraphQL has two.

    `path` is the one that a contender declares.
    """
    codec: Any = get(name).bind(domain, path)
    if name == "graphql" and transport == "websocket":
        from wirelab.protocol.graphql_websocket import GraphqlOverWebsocket  # noqa: PLC0415

        codec = GraphqlOverWebsocket(codec)
    bound: Codec[Any] = codec
    return bound
