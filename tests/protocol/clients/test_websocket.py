"""The client for WebSockets over TLS, against servers of the same library and of none."""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.server import ServerConnection, serve

from tests.support.certificates import certificate
from tests.support.wording import raises_worded
from wirelab.engine.job import Endpoint, Tls
from wirelab.protocol.clients.base import NoReplyError
from wirelab.protocol.clients.websocket import WebSocketClient
from wirelab.protocol.message import WireRequest

MESSAGE = WireRequest("", "/", body=b"ping")


@contextmanager
def echoing(certificate: Path, key: Path) -> Iterator[str]:
    """Send back each message, over TLS."""

    def converse(connection: ServerConnection) -> None:
        for message in connection:
            connection.send(message)

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with serve(converse, "127.0.0.1", 0, ssl=context) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"127.0.0.1:{server.socket.getsockname()[1]}"
        server.shutdown()
        thread.join()


def test_one_thread_reads_and_writes_over_tls(tmp_path: Path) -> None:
    """OpenSSL allows no other: a write that meets the tickets of TLS 1.3 hung now and then."""
    used: set[int] = set()

    class Watched(ssl.SSLObject):
        def read(self, *arguments: Any) -> Any:
            used.add(threading.get_ident())
            return super().read(*arguments)

        def write(self, data: Any) -> int:
            used.add(threading.get_ident())
            return super().write(data)

    made, key = certificate(tmp_path, "localhost")
    context = ssl.create_default_context(cafile=str(made))
    context.sslobject_class = Watched
    with echoing(made, key) as address:
        endpoint = Endpoint(transport="websocket", address=address, tls=Tls(ca=made))
        with WebSocketClient(endpoint, 10.0, context) as client:
            replies = [client.send(MESSAGE).body for _ in range(3)]

    assert replies == [b"ping"] * 3
    assert len(used) == 1


@pytest.mark.parametrize(
    ("answer", "tls"),
    [
        (b"", True),
        (b"HTTP/1.1 302 Found\r\nLocation: ws://localhost:1/\r\nContent-Length: 0\r\n\r\n", False),
    ],
)
def test_a_failed_opening_handshake_has_a_reason(answer: bytes, tls: bool) -> None:
    """A redirect is not followed: what is measured is at the address that was given."""

    def accept() -> None:
        with listener.accept()[0] as connection:
            connection.recv(65536)
            connection.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=accept)
        thread.start()
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        endpoint = Endpoint(transport="websocket", address=address, tls=Tls() if tls else None)
        context = ssl.create_default_context() if tls else None
        with (
            WebSocketClient(endpoint, 10.0, context) as client,
            raises_worded(NoReplyError),
        ):
            client.send(MESSAGE)
        thread.join()
