"""The items of servers.py over a WebSocket: `python websocket_server.py PORT [WAY …]`."""

import json
import ssl
import sys
import time
from http import HTTPStatus
from typing import Any

from websockets.http11 import Request, Response
from websockets.sync.server import ServerConnection, serve

WAYS = dict(way.partition("=")[::2] for way in sys.argv[2:])
"""What is odd about this server: slow=SECONDS, wrong, text, refuses, closes, token=T, journal=F."""


def answer(request: Any) -> Any:
    """Answer {"item": N}."""
    if "refuses" in WAYS:
        return {"error": {"code": "not_found", "message": "no such item"}}
    name = f"item {request['item']}"
    return {"id": request["item"], "name": name.upper() if "wrong" in WAYS else name}


def converse(connection: ServerConnection) -> None:
    """Answer each message with one."""
    for message in connection:
        if "slow" in WAYS:
            time.sleep(float(WAYS["slow"]))
        if "journal" in WAYS:
            with open(WAYS["journal"], "a", encoding="utf-8") as journal:
                journal.write(f"{message!s}\n")
        if "closes" in WAYS:
            connection.close(1008, "not like this")
        elif "text" in WAYS:
            connection.send(f"pong of {message!s}")
        else:
            connection.send(json.dumps(answer(json.loads(message))))


def authorise(connection: ServerConnection, request: Request) -> Response | None:
    """Shake hands at /socket with those who have the token, if there is one."""
    if request.path != "/socket":
        return connection.respond(HTTPStatus.NOT_FOUND, "no such path\n")
    right = f"Bearer {WAYS['token']}" if "token" in WAYS else None
    if right and request.headers.get("authorization") != right:
        return connection.respond(HTTPStatus.UNAUTHORIZED, "who are you?\n")
    return None


if __name__ == "__main__":
    context = None
    if "tls" in WAYS:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(WAYS["tls"])
    with serve(
        converse,
        "127.0.0.1",
        int(sys.argv[1]),
        process_request=authorise,
        compression=None,
        ssl=context,
    ) as server:
        server.serve_forever()
