"""One client a protocol, each of other people's making, behind one face.

A client answers plain values with the field names of the domain, or raises `RefusedError` with the
kind that it reads out of the protocol's own error.
"""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Protocol

from websockets.sync.client import ClientConnection
from zeep.helpers import serialize_object

from tests.support.callers import (
    GraphqlCaller,
    GrpcCaller,
    RefusedError,
    RestCaller,
    SoapCaller,
)
from tests.support.clients import camel, connected, respelt, snake
from wirelab.domain_file.load import find_domain
from wirelab.lab.contenders.contender import Contender

Game = dict[str, Any]

DOCUMENTS = find_domain("games") / "graphql"


class Client(Protocol):
    """What every protocol can be asked."""

    def ping(self) -> str: ...
    def create(self, game: Game) -> str: ...
    def create_echoed(self, game: Game) -> Game: ...
    def read(self, game_id: str) -> Game: ...
    def update(self, game_id: str, game: Game) -> Game: ...
    def delete(self, game_id: str) -> str: ...
    def list(self, limit: int) -> list[Game]: ...


class RestClient(RestCaller):
    """The games over REST."""

    def ping(self) -> str:
        return str(self.call("GET", "/ping")["status"])

    def create(self, game: Game) -> str:
        return str(self.call("POST", "/games", json=game)["id"])

    def create_echoed(self, game: Game) -> Game:
        return self._game("POST", "/games", json=game, headers={"prefer": "return=representation"})

    def read(self, game_id: str) -> Game:
        return self._game("GET", f"/games/{game_id}")

    def update(self, game_id: str, game: Game) -> Game:
        return self._game("PUT", f"/games/{game_id}", json=game)

    def delete(self, game_id: str) -> str:
        return str(self.call("DELETE", f"/games/{game_id}")["id"])

    def list(self, limit: int) -> list[Game]:
        games: list[Game] = self.call("GET", "/games", params={"limit": limit})["games"]
        return games

    def _game(self, method: str, path: str, **options: Any) -> Game:
        game: Game = self.call(method, path, **options)
        return game


class GraphqlClient(GraphqlCaller):
    """The games over GraphQL."""

    def ping(self) -> str:
        return str(self.call("ping")["ping"])

    def create(self, game: Game) -> str:
        return str(self.call("create", game=respelt(game, camel))["createGame"]["id"])

    def create_echoed(self, game: Game) -> Game:
        return _snake(self.call("create_echoed", game=respelt(game, camel))["createGame"])

    def read(self, game_id: str) -> Game:
        return _snake(self.call("read", id=game_id)["game"])

    def update(self, game_id: str, game: Game) -> Game:
        sent = respelt(game, camel)
        return _snake(self.call("update", id=game_id, game=sent)["updateGame"])

    def delete(self, game_id: str) -> str:
        return str(self.call("delete", id=game_id)["deleteGame"])

    def list(self, limit: int) -> list[Game]:
        return [_snake(game) for game in self.call("list", limit=limit)["games"]]


class WebsocketClient:
    """websockets."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    def ping(self) -> str:
        return str(self._answer(op="ping")["status"])

    def create(self, game: Game) -> str:
        return str(self._answer(op="create", game=game)["id"])

    def create_echoed(self, game: Game) -> Game:
        return self._game(op="create", game=game, echo=True)

    def read(self, game_id: str) -> Game:
        return self._game(op="read", id=game_id)

    def update(self, game_id: str, game: Game) -> Game:
        return self._game(op="update", id=game_id, game=game)

    def delete(self, game_id: str) -> str:
        return str(self._answer(op="delete", id=game_id)["id"])

    def list(self, limit: int) -> list[Game]:
        games: list[Game] = self._answer(op="list", limit=limit)["games"]
        return games

    def _game(self, **message: Any) -> Game:
        game: Game = self._answer(**message)["game"]
        return game

    def _answer(self, **message: Any) -> Any:
        self.connection.send(json.dumps(message))
        answer = json.loads(self.connection.recv(timeout=10))
        if "error" in answer:
            raise RefusedError(answer["error"]["code"], answer["error"]["message"])
        return answer


class GrpcClient(GrpcCaller):
    """The games over gRPC."""

    def ping(self) -> str:
        return str(self.call("Ping")["status"])

    def create(self, game: Game) -> str:
        return str(self.call("CreateGame", game=game)["id"])

    def create_echoed(self, game: Game) -> Game:
        created: Game = self.call("CreateGame", game=game, echo=True)["game"]
        return created

    def read(self, game_id: str) -> Game:
        return self._game("ReadGame", id=game_id)

    def update(self, game_id: str, game: Game) -> Game:
        return self._game("UpdateGame", id=game_id, game=game)

    def delete(self, game_id: str) -> str:
        return str(self.call("DeleteGame", id=game_id)["id"])

    def list(self, limit: int) -> list[Game]:
        games: list[Game] = self.call("ListGames", limit=limit).get("games", [])
        return games

    def _game(self, name: str, **fields: Any) -> Game:
        game: Game = self.call(name, **fields)
        return game


class SoapClient(SoapCaller):
    """The games over SOAP."""

    def ping(self) -> str:
        return str(self.call("Ping"))

    def create(self, game: Game) -> str:
        return str(_plain(self.call("CreateGame", game=game))["id"])

    def create_echoed(self, game: Game) -> Game:
        created: Game = _plain(self.call("CreateGame", game=game, echo=True))["game"]
        return created

    def read(self, game_id: str) -> Game:
        return self._game("ReadGame", id=game_id)

    def update(self, game_id: str, game: Game) -> Game:
        return self._game("UpdateGame", id=game_id, game=game)

    def delete(self, game_id: str) -> str:
        return str(self.call("DeleteGame", id=game_id))

    def list(self, limit: int) -> list[Game]:
        return [_plain(game) for game in self.call("ListGames", limit=limit)]

    def _game(self, operation: str, **fields: Any) -> Game:
        return _plain(self.call(operation, **fields))


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


def _snake(game: Any) -> Game:
    spelt: Game = respelt(game, snake)
    return spelt


def _plain(answer: Any) -> Game:
    game: Game = serialize_object(answer, dict)  # type: ignore[no-untyped-call]
    return game
