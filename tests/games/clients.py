"""The operations on games by other people's clients, behind one face."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from websockets.sync.client import ClientConnection
from zeep.helpers import serialize_object

from tests.support.callers import GraphqlCaller, GrpcCaller, RefusedError, RestCaller, SoapCaller
from tests.support.clients import Client, camel, connected, respelt, snake
from wirelab.domain_file.load import find_domain
from wirelab.lab.contenders.contender import Contender

DOCUMENTS = find_domain("games") / "graphql"
ROUTES = {
    "ping": ("GET", "/ping", "status"),
    "create": ("POST", "/games", "id"),
    "create_echoed": ("POST", "/games", ""),
    "read": ("GET", "/games/{id}", ""),
    "update": ("PUT", "/games/{id}", ""),
    "delete": ("DELETE", "/games/{id}", "id"),
    "list": ("GET", "/games", "games"),
}
"""How REST spells an operation, and which member of the answer is meant; "" for a game."""
METHODS = {
    "ping": "Ping",
    "list": "ListGames",
    "create_echoed": "CreateGame",
    **{name: f"{name.capitalize()}Game" for name in ("create", "read", "update", "delete")},
}
"""How gRPC and SOAP spell an operation."""


def _echo(operation: str) -> dict[str, bool]:
    return {"echo": True} if operation == "create_echoed" else {}


class RestClient(RestCaller):
    """The games over REST."""

    def ask(self, operation: str, *, game: Any = None, **parameters: Any) -> Any:
        method, path, member = ROUTES[operation]
        headers = {"prefer": "return=representation"} if _echo(operation) else {}
        sent = {"params": parameters} if operation == "list" else {}
        body = {} if game is None else {"json": game}
        answer = self.call(method, path.format(**parameters), headers=headers, **sent, **body)
        return answer[member] if member else answer


class GraphqlClient(GraphqlCaller):
    """The games over GraphQL."""

    def ask(self, operation: str, **parameters: Any) -> Any:
        (answer,) = self.call(operation, **respelt(parameters, camel)).values()
        return answer["id"] if operation == "create" else respelt(answer, snake)


class WebsocketClient:
    """The games over WebSocket."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    def ask(self, operation: str, **parameters: Any) -> Any:
        message = {"op": operation.removesuffix("_echoed"), **parameters, **_echo(operation)}
        self.connection.send(json.dumps(message))
        answer = json.loads(self.connection.recv(timeout=10))
        if "error" in answer:
            raise RefusedError(answer["error"]["code"], answer["error"]["message"])
        return answer[ROUTES[operation][2] or "game"]


class GrpcClient(GrpcCaller):
    """The games over gRPC."""

    def ask(self, operation: str, **parameters: Any) -> Any:
        answer = self.call(METHODS[operation], **parameters, **_echo(operation))
        member = "game" if _echo(operation) else ROUTES[operation][2]
        return answer.get(member, []) if member else answer


class SoapClient(SoapCaller):
    """The games over SOAP."""

    def ask(self, operation: str, **parameters: Any) -> Any:
        answer = self.call(METHODS[operation], **parameters, **_echo(operation))
        plain = serialize_object(answer, dict)  # type: ignore[no-untyped-call]
        member = {"create": "id", "create_echoed": "game"}.get(operation)
        return plain[member] if member else plain


def open_client(contender: Contender, address: str) -> AbstractContextManager[Client]:
    """Connect to a contender with a client of its protocol."""
    return connected(contender, address, CLIENTS)


CLIENTS: dict[str, Callable[..., Client]] = {
    "rest": RestClient,
    "graphql": partial(GraphqlClient, documents=DOCUMENTS),
    "grpc": partial(GrpcClient, service="games.v1.Games"),
    "websocket": WebsocketClient,
    "soap": partial(SoapClient, namespace="urn:wirelab:games:v1"),
}
