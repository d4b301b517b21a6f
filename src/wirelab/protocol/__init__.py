"""Protocols: operations become requests, replies become answers."""

from wirelab.protocol.message import (
    Answer,
    CannotEncodeError,
    Expectation,
    InterfaceError,
    Malformed,
    Refusal,
    WireReply,
    WireRequest,
)
from wirelab.protocol.registry import NAMES, bind, get

__all__ = [
    "NAMES",
    "Answer",
    "CannotEncodeError",
    "Expectation",
    "InterfaceError",
    "Malformed",
    "Refusal",
    "WireReply",
    "WireRequest",
    "bind",
    "get",
]
