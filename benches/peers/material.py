"""The bodies and messages that all generators send and get, written to files once."""

import json
import struct
from pathlib import Path

from benches.peers.case import Body

BODY_BYTES: dict[Body, int] = {"small": 130, "big": 3_530}
USERS: dict[Body, int] = {"small": 1, "big": 46}
CALL = "echo.Echo/Unary"


def write_material(folder: Path) -> None:
    """Write what servers serve and generators send into an existing folder."""
    for body in BODY_BYTES:
        body_path(folder, body).parent.mkdir(exist_ok=True)
        body_path(folder, body).write_bytes(body_bytes(body))
        message = grpc_message(body)
        grpc_frame_path(folder, body).write_bytes(struct.pack(">BI", 0, len(message)) + message)
        grpc_json_path(folder, body).write_text(json.dumps({"users": users(body)}))


def body_path(folder: Path, body: Body) -> Path:
    """Return where a body lies: the folder `served` is the root of the web servers."""
    return folder / "served" / body


def grpc_frame_path(folder: Path, body: Body) -> Path:
    """Return where a message lies with the prefix that gRPC gives it."""
    return folder / f"{body}.grpc"


def grpc_json_path(folder: Path, body: Body) -> Path:
    """Return where a message lies as JSON, for generators that encode it themselves."""
    return folder / f"{body}.json"


def body_bytes(body: Body) -> bytes:
    """Return a JSON document of exactly the size of its name."""
    frame = json.dumps({"kind": body, "text": ""})
    return json.dumps({"kind": body, "text": "x" * (BODY_BYTES[body] - len(frame))}).encode()


def users(body: Body) -> list[dict[str, object]]:
    """Return the users of a message: 75 bytes each, when encoded."""
    return [
        {
            "id": 1 + number % 100,
            "name": f"user number {number:04}",
            "address": "somewhere else " * 3 + "there!",
        }
        for number in range(USERS[body])
    ]


def grpc_message(body: Body) -> bytes:
    """Encode the users as echo.proto says."""
    message = b""
    for user in users(body):
        name, address = str(user["name"]).encode(), str(user["address"]).encode()
        encoded = b"\x08" + bytes([int(str(user["id"]))]) + _text(2, name) + _text(3, address)
        message += _text(1, encoded)
    return message


def _text(field: int, content: bytes) -> bytes:
    """Encode a field with a length; all lengths here fit into one byte."""
    assert len(content) < 0x80
    return bytes([field << 3 | 2, len(content)]) + content
