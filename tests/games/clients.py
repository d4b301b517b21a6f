"""One client a protocol, each of other people's making, behind one face.

A client answers plain values with the field names of the domain, or raises `RefusedError` with the
kind that it reads out of the protocol's own error.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import grpc
import httpx
import zeep
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.json_format import MessageToDict, ParseDict
from graphql import build_schema, parse, validate
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)
from websockets.sync.client import ClientConnection, connect
from zeep.helpers import serialize_object

from tests.games.standing import DESCRIPTION, DOMAIN, Running

Game = dict[str, Any]


class RefusedError(Exception):
    """The server refused, in the way of its protocol."""

    def __init__(self, kind: str, detail: str) -> None:
        self.kind = kind
        super().__init__(f"{kind}: {detail}")


class Client(Protocol):
    """What every protocol can be asked."""

    def ping(self) -> str: ...
    def create(self, game: Game) -> Game: ...
    def read(self, game_id: str) -> Game: ...
    def update(self, game_id: str, game: Game) -> Game: ...
    def delete(self, game_id: str) -> str: ...
    def list(self, limit: int) -> list[Game]: ...


class RestClient:
    """httpx."""

    def __init__(self, address: str) -> None:
        self.http = httpx.Client(base_url=f"http://{address}", trust_env=False)

    def ping(self) -> str:
        return str(self._answer("GET", "/ping")["status"])

    def create(self, game: Game) -> Game:
        return self._answer("POST", "/games", json=game)

    def read(self, game_id: str) -> Game:
        return self._answer("GET", f"/games/{game_id}")

    def update(self, game_id: str, game: Game) -> Game:
        return self._answer("PUT", f"/games/{game_id}", json=game)

    def delete(self, game_id: str) -> str:
        return str(self._answer("DELETE", f"/games/{game_id}")["id"])

    def list(self, limit: int) -> list[Game]:
        games: list[Game] = self._answer("GET", "/games", params={"limit": limit})["games"]
        return games

    def _answer(self, method: str, path: str, **options: Any) -> Any:
        response = self.http.request(method, path, **options)
        if response.is_success:
            return response.json()
        assert response.headers["content-type"] == "application/problem+json"
        problem = response.json()
        assert problem["status"] == response.status_code
        kinds = {404: "not_found", 400: "invalid", 422: "invalid"}
        raise RefusedError(kinds[response.status_code], problem["detail"])


class GraphqlClient:
    """httpx, with graphql-core holding every document against the schema."""

    schema = build_schema((DOMAIN / "schema.graphql").read_text())

    def __init__(self, url: str) -> None:
        self.http = httpx.Client(trust_env=False)
        self.url = f"http://{url}"

    def ping(self) -> str:
        return str(self._answer("ping")["ping"])

    def create(self, game: Game) -> Game:
        return _snake(self._answer("create", game=_camel(game))["createGame"])

    def read(self, game_id: str) -> Game:
        return _snake(self._answer("read", id=game_id)["game"])

    def update(self, game_id: str, game: Game) -> Game:
        return _snake(self._answer("update", id=game_id, game=_camel(game))["updateGame"])

    def delete(self, game_id: str) -> str:
        return str(self._answer("delete", id=game_id)["deleteGame"])

    def list(self, limit: int) -> list[Game]:
        return [_snake(game) for game in self._answer("list", limit=limit)["games"]]

    def _answer(self, document: str, **variables: Any) -> Any:
        query = (DOMAIN / "graphql" / f"{document}.graphql").read_text()
        assert validate(self.schema, parse(query)) == []
        response = self.http.post(self.url, json={"query": query, "variables": variables})
        assert response.status_code == 200
        body = response.json()
        for error in body.get("errors", ()):
            kinds = {
                "NOT_FOUND": "not_found",
                "BAD_USER_INPUT": "invalid",
                "GRAPHQL_VALIDATION_FAILED": "invalid",
            }
            raise RefusedError(kinds[error["extensions"]["code"]], error["message"])
        return body["data"]


class WebsocketClient:
    """websockets."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    def ping(self) -> str:
        return str(self._answer(op="ping")["status"])

    def create(self, game: Game) -> Game:
        return self._game(op="create", game=game)

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


class GrpcClient:
    """grpcio, which asks the server itself what its messages are."""

    def __init__(self, channel: grpc.Channel) -> None:
        self.channel = channel
        pool = descriptor_pool.DescriptorPool(ProtoReflectionDescriptorDatabase(channel))
        self.service = pool.FindServiceByName("games.v1.Games")

    def ping(self) -> str:
        return str(self._answer("Ping")["status"])

    def create(self, game: Game) -> Game:
        return self._answer("CreateGame", game=game)

    def read(self, game_id: str) -> Game:
        return self._answer("ReadGame", id=game_id)

    def update(self, game_id: str, game: Game) -> Game:
        return self._answer("UpdateGame", id=game_id, game=game)

    def delete(self, game_id: str) -> str:
        return str(self._answer("DeleteGame", id=game_id)["id"])

    def list(self, limit: int) -> list[Game]:
        games: list[Game] = self._answer("ListGames", limit=limit).get("games", [])
        return games

    def _answer(self, name: str, **fields: Any) -> Any:
        method = self.service.methods_by_name[name]
        request = ParseDict(fields, message_factory.GetMessageClass(method.input_type)())
        call = self.channel.unary_unary(
            f"/{self.service.full_name}/{name}",
            request_serializer=type(request).SerializeToString,
            response_deserializer=message_factory.GetMessageClass(method.output_type).FromString,
        )
        try:
            answer = call(request, timeout=10)
        except grpc.RpcError as error:
            kinds = {
                grpc.StatusCode.NOT_FOUND: "not_found",
                grpc.StatusCode.INVALID_ARGUMENT: "invalid",
            }
            raise RefusedError(kinds[error.code()], error.details()) from error
        return MessageToDict(answer, preserving_proto_field_name=True)


class SoapClient:
    """zeep, which knows nothing but the served WSDL."""

    def __init__(self, url: str) -> None:
        self.zeep = zeep.Client(f"http://{url}?wsdl")

    def ping(self) -> str:
        return str(self._answer("Ping"))

    def create(self, game: Game) -> Game:
        return self._game("CreateGame", game=game)

    def read(self, game_id: str) -> Game:
        return self._game("ReadGame", id=game_id)

    def update(self, game_id: str, game: Game) -> Game:
        return self._game("UpdateGame", id=game_id, game=game)

    def delete(self, game_id: str) -> str:
        return str(self._answer("DeleteGame", id=game_id))

    def list(self, limit: int) -> list[Game]:
        return [_plain(game) for game in self._answer("ListGames", limit=limit)]

    def _game(self, operation: str, **fields: Any) -> Game:
        return _plain(self._answer(operation, **fields))

    def _answer(self, operation: str, **fields: Any) -> Any:
        try:
            return self.zeep.service[operation](**fields)
        except zeep.exceptions.Fault as fault:
            kind = fault.detail.findtext("{urn:wirelab:games:v1}code")
            if fault.code != "soap:Client" or kind is None:
                raise
            raise RefusedError(kind, fault.message) from fault


@contextmanager
def rest(contender: Running) -> Iterator[Client]:
    client = RestClient(contender.url)
    with client.http:
        yield client


@contextmanager
def graphql(contender: Running) -> Iterator[Client]:
    client = GraphqlClient(contender.url)
    with client.http:
        yield client


@contextmanager
def websocket(contender: Running) -> Iterator[Client]:
    with connect(f"ws://{contender.url}", proxy=None) as connection:
        yield WebsocketClient(connection)


@contextmanager
def grpc_client(contender: Running) -> Iterator[Client]:
    with grpc.insecure_channel(contender.url) as channel:
        yield GrpcClient(channel)


@contextmanager
def soap(contender: Running) -> Iterator[Client]:
    client = SoapClient(contender.url)
    with client.zeep.transport.session:
        yield client


_OPEN: dict[str, Callable[[Running], Any]] = {
    "rest": rest,
    "graphql": graphql,
    "websocket": websocket,
    "grpc": grpc_client,
    "soap": soap,
}


def open_client(contender: Running) -> Any:
    """Connect to a contender with a client of its protocol."""
    return _OPEN[DESCRIPTION["contender"][contender.name]["protocol"]](contender)


def _camel(game: Game) -> Game:
    return {re.sub("_([a-z])", lambda match: match[1].upper(), key): game[key] for key in game}


def _snake(game: Game) -> Game:
    return {re.sub("([A-Z])", lambda match: f"_{match[1].lower()}", key): game[key] for key in game}


def _plain(answer: Any) -> Game:
    game: Game = serialize_object(answer, dict)
    return game
