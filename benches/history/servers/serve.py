import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

rounds = int(Path("rounds").read_text())


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        total = 0
        for number in range(rounds):
            total += number * number % 7
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok" if total else b"no")

    def log_message(self, *_: object) -> None:
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
