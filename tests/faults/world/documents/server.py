"""Serve counters from the document store."""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pymongo import MongoClient, ReturnDocument

client = MongoClient[dict[str, Any]](os.environ["WIRELAB_STORE_URL"])
counters = client.get_default_database()["counters"]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        if self.path == "/ping":
            self.answer(200, {"status": "ok"})
        else:
            self.answer_with(counters.find_one(self.selected()))

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        one_more, after = {"$inc": {"value": 1}}, ReturnDocument.AFTER
        self.answer_with(
            counters.find_one_and_update(self.selected(), one_more, return_document=after)
        )

    def selected(self) -> dict[str, str]:
        return {"_id": self.path.removeprefix("/counters/")}

    def answer_with(self, found: dict[str, Any] | None) -> None:
        if found is None:
            self.answer(404, {"title": "no such counter"}, "application/problem+json")
        else:
            self.answer(200, {"id": found["_id"], "value": found["value"]})

    def answer(self, status: int, value: object, kind: str = "application/json") -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


ThreadingHTTPServer(
    (os.environ["WIRELAB_HOST"], int(os.environ["WIRELAB_PORT"])), Handler
).serve_forever()
