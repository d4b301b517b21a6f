"""The games over REST: JSON resources, errors as application/problem+json (RFC 9457)."""

from http import HTTPStatus
from os import environ
from pathlib import Path

from flask import Flask, Response, jsonify, request, send_file, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException

from game import Refusal, game_from, id_from, limit_from
from store import open_store

INTERFACE = Path(__file__).resolve().parents[2] / "openapi.yaml"
LARGEST_BODY_BYTES = 1024 * 1024
ECHO = "return=representation"
STATUS = {"not_found": HTTPStatus.NOT_FOUND, "invalid": HTTPStatus.UNPROCESSABLE_ENTITY}


def create_app() -> Flask:
    """Connect to the store and describe the resources."""
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY_BYTES
    app.json.sort_keys = False  # as in the other protocols
    store = open_store(environ["WIRELAB_STORE_URL"])

    @app.get("/ping")
    def ping() -> ResponseReturnValue:
        return {"status": "ok"}

    @app.get("/games")
    def list_games() -> ResponseReturnValue:
        return {"games": store.list(limit_from(request.args.get("limit", type=int)))}

    @app.post("/games")
    def create_game() -> ResponseReturnValue:
        game = store.create(game_from(request.get_json()))
        headers = {"Location": url_for("read_game", game_id=game["id"])}
        if request.headers.get("Prefer") == ECHO:
            return game, HTTPStatus.CREATED, {**headers, "Preference-Applied": ECHO}
        return {"id": game["id"]}, HTTPStatus.CREATED, headers

    @app.get("/games/<game_id>")
    def read_game(game_id: str) -> ResponseReturnValue:
        return store.read(id_from(game_id))

    @app.put("/games/<game_id>")
    def update_game(game_id: str) -> ResponseReturnValue:
        return store.update(id_from(game_id), game_from(request.get_json()))

    @app.delete("/games/<game_id>")
    def delete_game(game_id: str) -> ResponseReturnValue:
        store.delete(id_from(game_id))
        return {"id": game_id}

    @app.get("/openapi.yaml")
    def interface() -> ResponseReturnValue:
        return send_file(INTERFACE, mimetype="application/yaml")

    @app.errorhandler(Refusal)
    def refused(refusal: Refusal) -> Response:
        return _problem(STATUS[refusal.kind], refusal.detail)

    @app.errorhandler(RecursionError)
    def too_deep(_: RecursionError) -> Response:
        return _problem(HTTPStatus.BAD_REQUEST, "the JSON is nested too deeply")

    @app.errorhandler(HTTPException)
    def failed(error: HTTPException) -> Response:
        return _problem(HTTPStatus(error.code or 500), error.description)

    return app


def _problem(status: HTTPStatus, detail: str | None) -> Response:
    response = jsonify(title=status.phrase, status=status, detail=detail)
    response.status = str(status.value)
    response.mimetype = "application/problem+json"
    return response
