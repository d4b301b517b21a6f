"""Serve counters from the document store."""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from pymongo import MongoClient

counters = MongoClient(os.environ["WIRELAB_STORE_URL"]).get_default_database()["counters"]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        if self.path == "/ping":
            self.answer(200, {"status": "ok"})
            return
        found = counters.find_one({"_id": self.path.removeprefix("/counters/")})
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
