"""A small server; its versions in git differ in how much work an answer takes."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from work import ROUNDS


class Handler(BaseHTTPRequestHandler):
    """Answers GET /items/N."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server_version = "versions/1"
    sys_version = ""
    wbufsize = 65536

    def do_GET(self) -> None:
        """Do the work of this version, and answer."""
        total = 0
        for number in range(ROUNDS):
            total += number * number % 7
        body = json.dumps({"item": self.path.rpartition("/")[2], "total": total % 7}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
