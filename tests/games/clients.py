"""One client a protocol, each of other people's making, behind one face.

A client answers plain values with the field names of the domain, or raises `RefusedError` with the
kind that it reads out of the protocol's own error.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import grpc
import httpx
import zeep
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.json_format import MessageToDict, ParseDict
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)
from websockets.sync.client import ClientConnection, connect
from zeep.helpers import serialize_object

from wirelab.domain.load import find_domain
from wirelab.lab.contender import Contender

Game = dict[str, Any]

DOCUMENTS = find_domain("games") / "graphql"


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

    def __init__(self, http: httpx.Client) -> None:
        self.http = http

    def ping(self) -> str:
        return str(self._answer("GET", "/ping")["status"])

    def create(self, game: Game) -> Game:
        return self._game("POST", "/games", json=game)

    def read(self, game_id: str) -> Game:
        return self._game("GET", f"/games/{game_id}")

    def update(self, game_id: str, game: Game) -> Game:
        return self._game("PUT", f"/games/{game_id}", json=game)

    def delete(self, game_id: str) -> str:
        return str(self._answer("DELETE", f"/games/{game_id}")["id"])

    def list(self, limit: int) -> list[Game]:
        games: list[Game] = self._answer("GET", "/games", params={"limit": limit})["games"]
        return games

    def _game(self, method: str, path: str, **options: Any) -> Game:
        game: Game = self._answer(method, path, **options)
        return game

    def _answer(self, method: str, path: str, **options: Any) -> Any:
        response = self.http.request(method, path, **options)
        if response.is_success:
            return response.json()
        assert response.headers["content-type"] == "application/problem+json"
        problem = response.json()
        assert problem["status"] == response.status_code
        kinds = {404: "not_found", 400: "invalid", 422: "invalid", 500: "internal"}
        raise RefusedError(kinds[response.status_code], problem["detail"])


class GraphqlClient:
    """httpx, with the documents that the domain ships."""

    def __init__(self, http: httpx.Client, url: str) -> None:
        self.http = http
        self.url = url

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
        query = (DOCUMENTS / f"{document}.graphql").read_text()
        response = self.http.post(self.url, json={"query": query, "variables": variables})
        assert response.status_code == 200
        body = response.json()
        for error in body.get("errors", ()):
            kinds = {
                "NOT_FOUND": "not_found",
                "BAD_USER_INPUT": "invalid",
                "GRAPHQL_VALIDATION_FAILED": "invalid",
                "INTERNAL_SERVER_ERROR": "internal",
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
        return self._game("CreateGame", game=game)

    def read(self, game_id: str) -> Game:
        return self._game("ReadGame", id=game_id)

    def update(self, game_id: str, game: Game) -> Game:
        return self._game("UpdateGame", id=game_id, game=game)

    def delete(self, game_id: str) -> str:
        return str(self._answer("DeleteGame", id=game_id)["id"])

    def list(self, limit: int) -> list[Game]:
        games: list[Game] = self._answer("ListGames", limit=limit).get("games", [])
        return games

    def _game(self, name: str, **fields: Any) -> Game:
        game: Game = self._answer(name, **fields)
        return game

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
                grpc.StatusCode.INTERNAL: "internal",
            }
            raise RefusedError(kinds[error.code()], error.details()) from error
        return MessageToDict(answer, preserving_proto_field_name=True)


class SoapClient:
    """zeep, which knows nothing but the served WSDL."""

    def __init__(self, client: zeep.Client) -> None:
        self.zeep = client

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
            kind = "internal"
            if fault.code == "soap:Client":
                kind = fault.detail.findtext("{urn:wirelab:games:v1}code")
            raise RefusedError(kind, fault.message) from fault


@contextmanager
def open_client(contender: Contender, address: str) -> Iterator[Client]:
    """Connect to a contender with a client of its protocol."""
    url = f"{address}{contender.path.rstrip('/')}"
    match contender.protocol:
        case "rest":
            with httpx.Client(base_url=f"http://{url}", trust_env=False) as http:
                yield RestClient(http)
        case "graphql":
            with httpx.Client(trust_env=False) as http:
                yield GraphqlClient(http, f"http://{url}")
        case "websocket":
            with connect(f"ws://{url}", proxy=None) as connection:
                yield WebsocketClient(connection)
        case "grpc":
            with grpc.insecure_channel(url) as channel:
                yield GrpcClient(channel)
        case "soap":
            client = zeep.Client(f"http://{url}?wsdl")  # type: ignore[no-untyped-call]
            with client.transport.session:
                yield SoapClient(client)
        case protocol:
            raise ValueError(f"no client speaks {protocol}")


def _camel(game: Game) -> Game:
    return {re.sub("_([a-z])", lambda match: match[1].upper(), key): game[key] for key in game}


def _snake(game: Game) -> Game:
    return {re.sub("([A-Z])", lambda match: f"_{match[1].lower()}", key): game[key] for key in game}


def _plain(answer: Any) -> Game:
    game: Game = serialize_object(answer, dict)  # type: ignore[no-untyped-call]
    return game
