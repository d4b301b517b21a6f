"""What a server speaks instead of what a request needs, found on real sockets."""

import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from http.server import ThreadingHTTPServer

import grpc
import pytest

from tests.support.certificates import certificate
from tests.support.http_server import QuietHandler, http_server
from wirelab.engine.job import Endpoint
from wirelab.lab.network.ports import free_port
from wirelab.verify.servers.protocol_mismatch import spoken_instead

NEEDS_HTTP2 = ("HTTP/1.1, and gRPC needs HTTP/2", "")
NOT_H2C = ("HTTP/1.1, not HTTP/2 without TLS", "http")
NEEDS_HTTP1 = ("HTTP/2, and a WebSocket needs HTTP/1.1", "")


class Handler(QuietHandler):
    """Knows no path."""


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    """The addresses of servers by what they speak."""
    chain, key = certificate(tmp_path_factory.mktemp("tls"), "server")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, key)
    context.set_alpn_protocols(["http/1.1"])
    pair = (key.read_bytes(), chain.read_bytes())
    with ExitStack() as ends, ThreadPoolExecutor(1) as pool:
        http = ends.enter_context(http_server(Handler))
        secured = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        secured.socket = context.wrap_socket(secured.socket, server_side=True)
        ends.callback(secured.server_close)
        ends.callback(secured.shutdown)
        threading.Thread(target=secured.serve_forever, args=(0.02,), daemon=True).start()
        calls = grpc.server(pool)
        ports = [
            calls.add_insecure_port("127.0.0.1:0"),
            calls.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([pair])),
        ]
        calls.start()
        ends.callback(lambda: calls.stop(None).wait())
        closing = ends.enter_context(socket.create_server(("127.0.0.1", 0)))
        threading.Thread(target=close_all, args=(closing,), daemon=True).start()
        ends.callback(closing.shutdown, socket.SHUT_RDWR)
        yield {
            "http": http,
            "https": f"127.0.0.1:{secured.server_port}",
            "grpc": f"127.0.0.1:{ports[0]}",
            "grpcs": f"127.0.0.1:{ports[1]}",
            "closes": f"127.0.0.1:{closing.getsockname()[1]}",
            "nothing": f"127.0.0.1:{free_port()}",
        }


def close_all(listener: socket.socket) -> None:
    """Close each connection, as the port of a container does in which nothing listens yet."""
    while True:
        try:
            listener.accept()[0].close()
        except OSError:
            return


@pytest.mark.parametrize(
    ("transport", "secure", "server", "expected"),
    [
        ("http1", False, "https", ("only with TLS", "https")),
        ("http1", True, "http", ("without TLS", "http")),
        ("http1", True, "grpc", ("without TLS", "http")),
        ("http1", False, "grpc", ("HTTP/2, not HTTP/1.1", "h2c")),
        ("http1", True, "grpcs", ("HTTP/2, not HTTP/1.1", "h2")),
        ("http2", False, "http", NOT_H2C),
        ("http2", True, "https", ("HTTP/1.1, not HTTP/2", "https")),
        ("grpc", False, "http", NEEDS_HTTP2),
        ("grpc", True, "https", NEEDS_HTTP2),
        ("grpc", False, "grpcs", ("only with TLS", "grpcs")),
        ("grpc", True, "grpc", ("without TLS", "grpc")),
        ("websocket", False, "https", ("only with TLS", "wss")),
        ("websocket", True, "http", ("without TLS", "ws")),
        ("websocket", False, "grpc", NEEDS_HTTP1),
        ("http1", False, "http", None),
        ("http1", True, "https", None),
        ("grpc", False, "grpc", None),
        ("http2", True, "grpcs", None),
        ("http1", False, "closes", None),
        ("grpc", True, "closes", None),
        ("http1", False, "nothing", None),
    ],
)
def test_what_a_server_speaks_instead(
    servers: Mapping[str, str],
    transport: str,
    *,
    secure: bool,
    server: str,
    expected: tuple[str, str] | None,
) -> None:
    tls = {"insecure": True} if secure else None
    written = {"transport": transport, "address": servers[server], "tls": tls}
    found = spoken_instead(Endpoint.model_validate(written))

    assert (found and (found.how, found.scheme)) == expected
