"""Servers that somebody else started, with ways of their own: `python servers.py PORT [WAY …]`."""

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

WAYS = dict(way.partition("=")[::2] for way in sys.argv[2:])
"""What is odd about this server: slow=SECONDS, wrong, empty, limit=N, token=T, expires=N, …"""

ITEMS = [{"id": n, "name": f"item {n}", "tags": ["a", f"t{n}"], "price": n / 7} for n in range(60)]


class Handler(BaseHTTPRequestHandler):
    """Answers GET /items, GET /items/N, and POST /items."""

    protocol_version = WAYS.get("http", "HTTP/1.1")
    asked = 0
    disable_nagle_algorithm = "nagle" not in WAYS

    def do_GET(self) -> None:
        """Answer as the ways say."""
        Handler.asked += 1
        if "slow" in WAYS:
            until = time.perf_counter() + float(WAYS["slow"])
            while time.perf_counter() < until:
                pass
        if "token" in WAYS:
            right = f"Bearer {WAYS['token']}"
            gone = Handler.asked > int(WAYS.get("expires", "1000000000"))
            if self.headers.get("authorization") != right or gone:
                self._send(401, {"error": "who are you?"}, ("WWW-Authenticate", "Bearer"))
                return
        if Handler.asked > int(WAYS.get("limit", "1000000000")):
            self._send(429, {"error": "slow down"}, ("Retry-After", "3"))
            return
        if "redirect" in WAYS:
            self._send(302, {}, ("Location", "/login"))
            return
        if "cookie" in WAYS and "session" not in self.headers.get("cookie", ""):
            self._send(403, {}, ("Set-Cookie", "session=1; Path=/"))
            return
        self._answer(urlsplit(self.path))

    def _answer(self, asked) -> None:
        if asked.path == "/items":
            limit = int(parse_qs(asked.query).get("limit", ["10"])[0])
            found = [] if "empty" in WAYS else ITEMS[:limit]
            self._send(200, list(reversed(found)) if "reversed" in WAYS else found)
            return
        name = asked.path.removeprefix("/items/")
        if not name.isdecimal() or int(name) >= len(ITEMS):
            self._send(404, {"error": "no such item"})
            return
        item = dict(ITEMS[int(name)])
        if "wrong" in WAYS:
            item["name"] = item["name"].upper()
        if "clock" in WAYS:
            item["asked_at"] = time.time_ns()
        if "echo" in WAYS:
            item["you"] = self.headers.get("authorization", "")
        self._send(200, item)

    def _send(self, status: int, value: object, *headers: tuple[str, str]) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, text in headers:
            self.send_header(name, text)
        if "close" in WAYS:
            self.send_header("Connection", "close")
        if "nagle" in WAYS:  # the header and the body in two packets, as Nagle likes it least
            self.end_headers()
            self.wfile.write(body[:1])
            self.wfile.write(body[1:])
            return
        self._headers_buffer.append(b"\r\n" + body)
        self.flush_headers()

    def version_string(self) -> str:
        """Name a development server where one is asked for."""
        return WAYS.get("server", "tests/1.0")

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing, unless asked to tell what must not be told."""
        if "tell" in WAYS:
            sys.stderr.write(f"{self.headers.get('authorization')}\n")


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
