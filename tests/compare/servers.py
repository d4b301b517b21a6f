"""Servers that wirelab did not start, by behaviour: `python servers.py PORT [WAY …]`.

Tests start many, so that each imports only what it needs.
"""

import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qs, urlsplit

WAYS = dict(way.partition("=")[::2] for way in sys.argv[2:])
"""What is odd about this server: slow=SECONDS, wrong, empty, fails, token=T, clock=NS, …"""

ITEMS: list[dict[str, Any]] = [
    {"id": n, "name": f"item {n}", "tags": ["a", f"t{n}"], "price": n / 7} for n in range(60)
]
NEVER = "1000000000"
REMOVED: set[str] = set()
POOL = threading.Semaphore(int(WAYS.get("pool", NEVER)))


class Handler(BaseHTTPRequestHandler):
    """Answers GET /items, GET /items/N, and POST /items."""

    protocol_version = WAYS.get("http", "HTTP/1.1")
    requests = 0
    disable_nagle_algorithm = "nagle" not in WAYS
    wbufsize = 0 if "nagle" in WAYS else 65536

    def do_GET(self) -> None:
        """Answer as the ways say."""
        Handler.requests += 1
        if Handler.requests > int(WAYS.get("ends", NEVER)):
            os._exit(1)
        if "slow" in WAYS:
            time.sleep(float(WAYS["slow"]))
        if "pool" in WAYS:
            with POOL:
                time.sleep(0.03)
        if "token" in WAYS:
            right = f"Bearer {WAYS['token']}"
            gone = Handler.requests > int(WAYS.get("expires", NEVER))
            if self.headers.get("authorization") != right or gone:
                self._send(401, {"error": "who are you?"}, ("WWW-Authenticate", "Bearer"))
                return
        if Handler.requests > int(WAYS.get("limit", NEVER)):
            self._send(429, {"error": "slow down"}, ("Retry-After", "3"))
            return
        if "redirect" in WAYS:
            self._send(302, {}, ("Location", "/login"))
            return
        if not self.path.startswith(WAYS.get("below", "")):
            self._send(404, {"error": "no such path"})
            return
        if "cookie" in WAYS and "session" not in self.headers.get("cookie", ""):
            self._send(403, {}, ("Set-Cookie", "session=1; Path=/"))
            return
        self._answer(urlsplit(self.path.removeprefix(WAYS.get("prefix", ""))))

    def do_POST(self) -> None:
        """Write down what was sent, where a journal is kept."""
        sent = self.rfile.read(int(self.headers.get("content-length", "0")))
        if "journal" in WAYS:
            with open(WAYS["journal"], "ab") as journal:
                journal.write(sent + b"\n")
        self._send(201, ITEMS[0])

    def do_PUT(self) -> None:
        """Say only that it went well."""
        self.rfile.read(int(self.headers.get("content-length", "0")))
        self.send_response(204)
        self.end_headers()

    def do_DELETE(self) -> None:
        """Remove an item, which is possible once."""
        status = 404 if self.path in REMOVED else 200
        REMOVED.add(self.path)
        self._send(status, {"removed": self.path})

    def _answer(self, request: SplitResult) -> None:
        if request.path == "/openapi.json":
            import yaml  # noqa: PLC0415

            self._send(200, yaml.safe_load(Path(__file__).with_name("openapi.yaml").read_text()))
            return
        if request.path == "/items":
            limit = int(parse_qs(request.query).get("limit", ["10"])[0])
            if "fails" in WAYS and limit % 2:
                self._send(500, {"error": "cannot count to odd numbers"})
                return
            if "forbids" in WAYS:
                self._send(405, {}, ("Allow", "POST"))
                return
            if "object" in WAYS:
                self._send(200, {"error": "the database is down"})
                return
            found = [] if "empty" in WAYS else ITEMS[:limit]
            if "grows" in WAYS:
                found = ITEMS[: Handler.requests % 7 + 1]
            self._send(200, list(reversed(found)) if "reversed" in WAYS else found)
            return
        name = request.path.removeprefix("/items/")
        refused = "refuses" in WAYS and name.isdecimal() and not int(name) % int(WAYS["refuses"])
        if refused or not name.isdecimal() or int(name) >= len(ITEMS):
            self._send(404, {"error": "no such item"})
            return
        item = dict(ITEMS[int(name)])
        if "otherwise" in WAYS:
            item |= {"display_name": None, "price": round(item["price"], 8)}
        if "wrong" in WAYS:
            item["name"] = item["name"].upper()
        if "clock" in WAYS:
            item["asked_at"] = time.time_ns() // int(WAYS["clock"] or 1)
        if "echo" in WAYS:
            item["you"] = self.headers.get("authorization", "")
        self._send(200, item)

    def _send(self, status: int, value: object, *headers: tuple[str, str]) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        if "gzip" in WAYS:
            import gzip  # noqa: PLC0415

            body = gzip.compress(body, mtime=0)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, text in headers:
            self.send_header(name, text)
        if "close" in WAYS:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        if "nagle" in WAYS:  # the header and the body in three packets, as Nagle likes it least
            self.wfile.write(body[:1])
            self.wfile.write(body[1:])
        else:
            self.wfile.write(body)

    def version_string(self) -> str:
        """Name a development server where one is asked for."""
        return WAYS.get("server", "tests/1.0")

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Log nothing, unless the test requires a log with secrets."""
        if "tell" in WAYS:
            sys.stderr.write(f"{self.headers.get('authorization')}\n")


def secured(server: ThreadingHTTPServer) -> None:
    """Speak TLS and never take up a session again; the way names a certificate with its key.

    With a certificate of clients, serve only who shows that.
    """
    import ssl  # noqa: PLC0415

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(WAYS["tls"])
    context.num_tickets = 0
    if "clients" in WAYS:
        context.load_verify_locations(WAYS["clients"])
        context.verify_mode = ssl.CERT_REQUIRED
    server.socket = context.wrap_socket(server.socket, server_side=True)


if __name__ == "__main__":
    served = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    if "tls" in WAYS:
        secured(served)
    served.serve_forever()
