"""HTTP/2 and nothing else, by the library h2: `python h2_server.py PORT [tls=CERTIFICATE]`."""

import json
import ssl
import sys
from socketserver import BaseRequestHandler, ThreadingTCPServer

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import RequestReceived

WAYS = dict(way.partition("=")[::2] for way in sys.argv[2:])


class Handler(BaseRequestHandler):
    """One connection: each request is answered with its path."""

    def handle(self) -> None:
        """Answer until the client closes the connection."""
        sock = secured().wrap_socket(self.request, server_side=True) if WAYS else self.request
        http = H2Connection(H2Configuration(client_side=False))
        http.initiate_connection()
        sock.sendall(http.data_to_send())
        while received := sock.recv(65536):
            for event in http.receive_data(received):
                if isinstance(event, RequestReceived):
                    answer(http, event)
            sock.sendall(http.data_to_send())


def answer(http: H2Connection, request: RequestReceived) -> None:
    """Answer a request."""
    body = json.dumps({"path": dict(request.headers)[b":path"].decode()}).encode()
    headers = [
        (":status", "200"),
        ("content-type", "application/json"),
        ("content-length", str(len(body))),
    ]
    http.send_headers(request.stream_id, headers)
    http.send_data(request.stream_id, body, end_stream=True)


def secured() -> ssl.SSLContext:
    """Return a context of TLS that agrees to HTTP/2 alone."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(WAYS["tls"])
    context.set_alpn_protocols(["h2"])
    return context


if __name__ == "__main__":
    ThreadingTCPServer.allow_reuse_address = True
    with ThreadingTCPServer(("127.0.0.1", int(sys.argv[1])), Handler) as server:
        server.daemon_threads = True
        server.serve_forever()
