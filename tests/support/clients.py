"""Clients of a domain's operations, one a protocol, by other people's means."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

import grpc
import httpx
import zeep
from websockets.sync.client import connect

from tests.support.plain_http import NO_TLS
from wirelab.lab.contenders.contender import Contender

ClientT = TypeVar("ClientT")

PATIENCE_S = 120.0
LARGEST_MESSAGE = 64 * 2**20


class Client(Protocol):
    """What every protocol can be asked: an operation of the domain with its parameters."""

    def ask(self, operation: str, **parameters: Any) -> Any: ...


@contextmanager
def connected(
    contender: Contender, address: str, clients: Mapping[str, Callable[..., ClientT]]
) -> Iterator[ClientT]:
    """Connect to a contender with a client of its protocol.

    A client gets an HTTP client (with GraphQL and MCP, also the address), a channel or a
    connection.
    """
    make, url = clients[contender.protocol], f"{address}{contender.path.rstrip('/')}"
    match contender.protocol:
        case "rest":
            with httpx.Client(
                base_url=f"http://{url}", trust_env=False, timeout=PATIENCE_S, verify=NO_TLS
            ) as http:
                yield make(http)
        case "graphql" | "mcp":
            with httpx.Client(trust_env=False, timeout=PATIENCE_S, verify=NO_TLS) as http:
                yield make(http, f"http://{url}")
        case "websocket":
            with connect(f"ws://{url}", proxy=None) as connection:
                yield make(connection)
        case "grpc":
            options = [("grpc.max_receive_message_length", LARGEST_MESSAGE)]
            with grpc.insecure_channel(url, options=options) as channel:
                yield make(channel)
        case "soap":
            client = zeep.Client(f"http://{url}?wsdl")  # type: ignore[no-untyped-call]
            with client.transport.session:
                yield make(client)


def camel(name: str) -> str:
    """Spell a name as JSON does."""
    return re.sub("_([a-z])", lambda found: found[1].upper(), name)


def snake(name: str) -> str:
    """Spell a name as the tables do."""
    return re.sub("([A-Z])", lambda found: f"_{found[1].lower()}", name)


def pascal(operation: str) -> str:
    """Spell an operation as a method."""
    return "".join(word.capitalize() for word in operation.split("_"))


def respelt(value: Any, spell: Callable[[str], str]) -> Any:
    """Spell every key of a value in another way."""
    if isinstance(value, dict):
        return {spell(key): respelt(item, spell) for key, item in value.items()}
    return [respelt(item, spell) for item in value] if isinstance(value, list) else value
