"""The games over gRPC: unary calls on a thread pool, with server reflection."""

import logging
import signal
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from os import environ
from typing import TypeVar

import games_pb2 as messages
import games_pb2_grpc as service
import grpc
from google.protobuf.message import Message
from grpc_reflection.v1alpha import reflection

from game import FIELDS, LIST_FIELDS, Document, Refusal, game_from, id_from, limit_from
from store import Store, open_store

THREADS = 4
GRACE_S = 0.2
CODE = {"not_found": grpc.StatusCode.NOT_FOUND, "invalid": grpc.StatusCode.INVALID_ARGUMENT}
OPTIONAL = [name for name in FIELDS if name not in {"id", "name", *LIST_FIELDS}]

RequestType = TypeVar("RequestType", bound=Message)
ResponseType = TypeVar("ResponseType", bound=Message)
Method = Callable[["Games", RequestType, grpc.ServicerContext], ResponseType]


def refusing(method: Method[RequestType, ResponseType]) -> Method[RequestType, ResponseType]:
    """Turn what a method raises into the status of the call."""

    @wraps(method)
    def call(self: "Games", request: RequestType, context: grpc.ServicerContext) -> ResponseType:
        try:
            return method(self, request, context)
        except Refusal as refusal:
            context.abort(CODE[refusal.kind], refusal.detail)
        except Exception:
            logging.exception("%s failed", method.__name__)
            context.abort(grpc.StatusCode.INTERNAL, "something went wrong inside the server")

    return call


class Games(service.GamesServicer):
    """The service as games.proto describes it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def Ping(
        self, request: messages.PingRequest, context: grpc.ServicerContext
    ) -> messages.PingResponse:
        return messages.PingResponse(status="ok")

    @refusing
    def CreateGame(
        self, request: messages.CreateGameRequest, context: grpc.ServicerContext
    ) -> messages.CreateGameResponse:
        game = self._store.create(_document(request.game))
        if request.echo:
            return messages.CreateGameResponse(game=messages.Game(**game))
        return messages.CreateGameResponse(id=game["id"])

    @refusing
    def ReadGame(
        self, request: messages.ReadGameRequest, context: grpc.ServicerContext
    ) -> messages.Game:
        return messages.Game(**self._store.read(id_from(request.id)))

    @refusing
    def UpdateGame(
        self, request: messages.UpdateGameRequest, context: grpc.ServicerContext
    ) -> messages.Game:
        game_id, game = id_from(request.id), _document(request.game)
        return messages.Game(**self._store.update(game_id, game))

    @refusing
    def DeleteGame(
        self, request: messages.DeleteGameRequest, context: grpc.ServicerContext
    ) -> messages.DeleteGameResponse:
        self._store.delete(id_from(request.id))
        return messages.DeleteGameResponse(id=request.id)

    @refusing
    def ListGames(
        self, request: messages.ListGamesRequest, context: grpc.ServicerContext
    ) -> messages.ListGamesResponse:
        games = self._store.list(limit_from(request.limit))
        return messages.ListGamesResponse(games=[messages.Game(**game) for game in games])


def _document(game: messages.GameInput) -> Document:
    given = {name: getattr(game, name) for name in OPTIONAL if game.HasField(name)}
    lists = {name: list(getattr(game, name)) for name in LIST_FIELDS}
    return game_from({"name": game.name, **given, **lists})


def main() -> None:
    """Serve until SIGTERM or SIGINT."""
    server = grpc.server(
        ThreadPoolExecutor(max_workers=THREADS),
        # Without this a second server on the same port would silently share its calls.
        options=[("grpc.so_reuseport", 0)],
    )
    service.add_GamesServicer_to_server(Games(open_store(environ["WIRELAB_STORE_URL"])), server)
    described = (messages.DESCRIPTOR.services_by_name["Games"].full_name, reflection.SERVICE_NAME)
    reflection.enable_server_reflection(described, server)
    server.add_insecure_port(f"{environ['WIRELAB_HOST']}:{environ['WIRELAB_PORT']}")

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: server.stop(GRACE_S))
    server.start()
    server.wait_for_termination()


if __name__ == "__main__":
    logging.basicConfig(stream=sys.stderr, level=logging.INFO)
    main()
