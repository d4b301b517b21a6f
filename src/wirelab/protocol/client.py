"""Clients for verification: other people's, one a transport, so that no mistake is made twice.

The engine measures; these only ask. Each keeps one connection and opens it again when a server
closed it between two requests.
"""

from abc import ABC, abstractmethod
from contextlib import ExitStack
from types import TracebackType
from typing import Self

import grpc
import httpx
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection
from websockets.sync.client import connect as websocket_connect

from wirelab.protocol.message import WireReply, WireRequest

LARGEST_REPLY_BYTES = 256 * 2**20


class NoReplyError(Exception):
    """The server did not answer: it cannot be reached, hangs, or breaks the transport's rules."""


class Client(ABC):
    """Sends one request at a time over one connection."""

    @abstractmethod
    def send(self, request: WireRequest) -> WireReply:
        """Send a request and wait for its reply; `NoReplyError` when none comes in time."""

    @abstractmethod
    def close(self) -> None:
        """End the connection."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class HttpClient(Client):
    """HTTP/1.1 with keep-alive, by httpx."""

    def __init__(self, address: str, timeout_s: float) -> None:
        # trust_env: a proxy in the environment must not come between us and 127.0.0.1.
        self._client = httpx.Client(
            base_url=f"http://{address}", timeout=timeout_s, trust_env=False, follow_redirects=False
        )
        # Only the headers of the request itself: with accept-encoding, for example, a server would
        # answer other bytes than it will answer the engine.
        self._client.headers.clear()

    def send(self, request: WireRequest) -> WireReply:
        """Send a request and wait for its reply."""
        try:
            with self._client.stream(
                request.method,
                request.path,
                headers=list(request.headers),
                content=request.body or None,
            ) as reply:
                # Raw: the bytes that the engine will see, not what an encoding makes of them.
                body = b"".join(reply.iter_raw())
        except httpx.HTTPError as error:
            raise NoReplyError(_said(error)) from error
        return WireReply(reply.status_code, tuple(reply.headers.multi_items()), body)

    def close(self) -> None:
        """End the connection."""
        self._client.close()


class GrpcClient(Client):
    """gRPC unary calls of bytes, by grpcio."""

    def __init__(self, address: str, timeout_s: float) -> None:
        options = [
            ("grpc.max_receive_message_length", LARGEST_REPLY_BYTES),
            ("grpc.enable_http_proxy", 0),
        ]
        self._channel = grpc.insecure_channel(address, options=options)
        self._timeout_s = timeout_s

    def send(self, request: WireRequest) -> WireReply:
        """Send a message and wait for its reply; statuses that mean no reply came are errors."""
        call = self._channel.unary_unary(request.path)
        try:
            body, sent = call.with_call(
                request.body, timeout=self._timeout_s, metadata=request.headers or None
            )
        except grpc.RpcError as error:
            code, details = error.code(), error.details() or ""
            if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
                raise NoReplyError(f"{code.name}: {details}") from error
            return WireReply(code.value[0], (), b"", details)
        return WireReply(0, tuple(sent.trailing_metadata() or ()), body)

    def close(self) -> None:
        """End the connection."""
        self._channel.close()


class WebSocketClient(Client):
    """One message asks, one answers, by websockets. Messages are not compressed."""

    def __init__(self, address: str, path: str, timeout_s: float) -> None:
        self._url = f"ws://{address}{path}"
        self._timeout_s = timeout_s
        self._open_connection = ExitStack()
        self._connection: ClientConnection | None = None

    def send(self, request: WireRequest) -> WireReply:
        """Send a message and wait for the next; a close frame instead is a reply with a status."""
        message: str | bytes = request.body
        if not request.binary:
            message = request.body.decode("utf-8")
        try:
            connection = self._open()
            connection.send(message)
            reply = connection.recv(timeout=self._timeout_s)
        except ConnectionClosed as closed:
            self.close()
            if closed.rcvd is None:
                raise NoReplyError("the connection broke off") from closed
            return WireReply(closed.rcvd.code, (), b"", closed.rcvd.reason)
        except (OSError, WebSocketException) as error:
            self.close()
            raise NoReplyError(_said(error)) from error
        return WireReply(None, (), reply.encode() if isinstance(reply, str) else reply)

    def close(self) -> None:
        """End the connection."""
        self._connection = None
        self._open_connection.close()

    def _open(self) -> ClientConnection:
        if self._connection is None:
            connecting = websocket_connect(
                self._url,
                open_timeout=self._timeout_s,
                close_timeout=1,
                compression=None,
                max_size=LARGEST_REPLY_BYTES,
                proxy=None,
            )
            self._connection = self._open_connection.enter_context(connecting)
        return self._connection


def connect(transport: str, address: str, path: str = "/", timeout_s: float = 10.0) -> Client:
    """Return a client for a transport of the engine; `address` is host:port.

    Connects with the first request. `path` is where a WebSocket shakes hands.
    """
    if transport == "http1":
        return HttpClient(address, timeout_s)
    if transport == "grpc":
        return GrpcClient(address, timeout_s)
    if transport == "websocket":
        return WebSocketClient(address, path, timeout_s)
    raise ValueError(f"no client for the transport {transport!r}")


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".rstrip(": ")
