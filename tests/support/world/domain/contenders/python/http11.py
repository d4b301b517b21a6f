"""As much of HTTP/1.1 as counters need, loaded in a fraction of the time of `http.server`.

Tests start this contender often, and importing modules took a quarter of its CPU time.
"""

import socket
from socketserver import StreamRequestHandler, ThreadingTCPServer

REASONS = {200: "OK", 404: "Not Found", 500: "Internal Server Error"}


class Server(ThreadingTCPServer):
    """A thread for every connection."""

    allow_reuse_address = True
    daemon_threads = True


class Handler(StreamRequestHandler):
    """Answers the requests of a connection one after the other, by its method `respond`."""

    disable_nagle_algorithm = True
    wbufsize = -1  # an answer is one packet
    method = path = ""
    closes = False

    def handle(self) -> None:
        """Answer until one side closes the connection."""
        while not self.closes and (line := self.rfile.readline()):
            self.method, self.path, version = line.decode("ascii").split()
            headers = {}
            while header := self.rfile.readline().decode("latin-1").strip():
                name, _, value = header.partition(":")
                headers[name.lower()] = value.strip().lower()
            self.rfile.read(int(headers.get("content-length", 0)))
            self.closes = version == "HTTP/1.0" or headers.get("connection") == "close"
            self.respond()
            self.wfile.flush()

    def respond(self) -> None:
        """Answer a request."""
        raise NotImplementedError

    def send(self, status: int, body: bytes, kind: str) -> None:
        """Send an answer."""
        head = f"HTTP/1.1 {status} {REASONS[status]}\r\n"
        head += f"content-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n"
        self.wfile.write(head.encode() + body)


def get(server: str, path: str) -> tuple[int, bytes, str]:
    """Ask a server at "host:port" by a connection of its own; return status, body and its type."""
    host, _, port = server.rpartition(":")
    request = f"GET {path} HTTP/1.1\r\nhost: {server}\r\nconnection: close\r\n\r\n"
    with socket.create_connection((host.strip("[]"), int(port))) as connection:
        connection.sendall(request.encode())
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return int(first.split()[1]), body, headers["content-type"]
