"""The games over WebSocket: one JSON message asks, one answers, in order (see asyncapi.yaml)."""

import json
from os import environ
from typing import Any

from flask import Flask
from flask_sock import Sock
from simple_websocket import Server

from game import Refusal, game_from, id_from, limit_from
from store import Store, open_store

LARGEST_MESSAGE_BYTES = 1024 * 1024


def create_app() -> Flask:
    """Connect to the store and serve the one WebSocket route."""
    app = Flask(__name__)
    app.config["SOCK_SERVER_OPTIONS"] = {"max_message_size": LARGEST_MESSAGE_BYTES}
    app.json.sort_keys = False  # as in the other protocols
    store = open_store(environ["WIRELAB_STORE_URL"])

    @Sock(app).route("/ws")
    def converse(socket: Server) -> None:
        while True:
            socket.send(app.json.dumps(reply_to(socket.receive()), separators=(",", ":")))

    def reply_to(text: str | bytes) -> dict[str, Any]:
        try:
            return answer(store, _message(text))
        except Refusal as refusal:
            return {"error": {"code": refusal.kind, "message": refusal.detail}}
        except Exception:
            app.logger.exception("a message could not be answered")
            return {"error": {"code": "internal", "message": "something went wrong inside"}}

    return app


def answer(store: Store, message: dict[str, Any]) -> dict[str, Any]:
    """Carry out what a message asks for."""
    match message.get("op"):
        case "ping":
            return {"status": "ok"}
        case "create":
            game = store.create(game_from(message.get("game")))
            return {"game": game} if message.get("echo") is True else {"id": game["id"]}
        case "read":
            return {"game": store.read(id_from(message.get("id")))}
        case "update":
            game_id, game = id_from(message.get("id")), game_from(message.get("game"))
            return {"game": store.update(game_id, game)}
        case "delete":
            game_id = id_from(message.get("id"))
            store.delete(game_id)
            return {"id": game_id}
        case "list":
            return {"games": store.list(limit_from(message.get("limit")))}
        case _:
            raise Refusal("invalid", "op: must be ping, create, read, update, delete or list")


def _message(text: str | bytes) -> dict[str, Any]:
    try:
        message = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Refusal("invalid", f"the message is not JSON: {error}") from error
    if not isinstance(message, dict):
        raise Refusal("invalid", "the message must be a JSON object")
    return message
