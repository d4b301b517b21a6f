"""The protocols by name, each imported on first use, since some imports are slow."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wirelab.protocol.base import Protocol

NAMES = ("rest", "graphql", "grpc", "websocket", "soap", "jsonrpc", "mcp")


def get(name: str) -> "Protocol[Any, Any]":
    """Return the protocol of this name; raises `KeyError` if there is none."""
    if name not in NAMES:
        raise KeyError(name)
    protocol: Protocol[Any, Any] = import_module(f"wirelab.protocol.{name}").PROTOCOL
    return protocol
