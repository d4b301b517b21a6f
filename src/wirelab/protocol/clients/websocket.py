"""WebSockets for verification, by websockets."""

import asyncio
import socket
import ssl
from collections.abc import Mapping
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.typing import Subprotocol

from wirelab.engine.job import Endpoint
from wirelab.lab.network.address import host_and_port
from wirelab.protocol.clients.base import (
    LARGEST_REPLY_BYTES,
    Cause,
    Client,
    NoReplyError,
    timed_out,
)
from wirelab.protocol.clients.loop_thread import LoopThread
from wirelab.protocol.clients.no_reply import CLOSED, no_reply
from wirelab.protocol.http import excerpt
from wirelab.protocol.message import WireReply, WireRequest

SUBPROTOCOL = "sec-websocket-protocol"
UNASKED_S = 0.05
"""How long a new connection is watched for messages that answer no request."""
UNASKED = (
    "the server sent a message that answers no request (if it greets each connection, state the"
    " number of messages with `greetings` in contender.toml)"
)


class WebSocketClient(Client):
    """One request message, one reply. Messages are not compressed.

    A message that answers no request, such as a greeting that the endpoint does not state, is an
    error: otherwise it would be taken for the answer to the next request.

    The connection is read and written by one thread: the client of websockets with two can hang, as
    OpenSSL must not read (the tickets that a server sends after the handshake) and write at once.
    """

    def __init__(
        self, endpoint: Endpoint, timeout_s: float, context: ssl.SSLContext | None
    ) -> None:
        self._endpoint, self._timeout_s, self._context = endpoint, timeout_s, context
        self._loop = LoopThread()
        self._connection: ClientConnection | None = None
        self._received: asyncio.Queue[str | bytes | ConnectionClosed] = asyncio.Queue()
        self._reading: asyncio.Task[None] | None = None

    def send(self, request: WireRequest) -> WireReply:
        """Send a message and wait for the next, or of a stream for the one that ends it.

        A close frame instead is a reply with a status.
        """
        message: str | bytes = request.body
        if not request.binary:
            message = request.body.decode("utf-8")
        try:
            messages = self._loop.run(self._exchange(message, request.until))
        except ConnectionClosed as closed:
            self._disconnect()
            if closed.rcvd is None:
                raise NoReplyError(f"{CLOSED} or a close frame", Cause.CLOSED) from closed
            return WireReply(closed.rcvd.code, (), b"", closed.rcvd.reason)
        except TimeoutError as error:
            self._disconnect()
            raise timed_out(self._timeout_s) from error
        except InvalidStatus as error:
            self._disconnect()
            status = error.response.status_code
            raise NoReplyError(str(error), Cause.HANDSHAKE, status) from error
        except (OSError, WebSocketException) as error:
            self._disconnect()
            raise no_reply(error) from error
        items = tuple(map(_as_bytes, messages))
        return WireReply(None, (), b"".join(items), items=items if request.stream else ())

    def close(self) -> None:
        """End the connection and the thread."""
        self._disconnect()
        self._loop.close()

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            self._loop.run(connection.close())

    async def _exchange(self, message: str | bytes, until: tuple[str, ...]) -> list[str | bytes]:
        if self._connection is None:
            self._connection = await self._connect()
            self._received = asyncio.Queue()
            self._reading = asyncio.create_task(_read(self._connection, self._received))
            for _ in range(self._endpoint.greetings):
                await self._next()
            if (subscribe := self._endpoint.subscribe) is not None:
                await self._connection.send(subscribe.body, text=not subscribe.binary)
                for _ in range(subscribe.answers):
                    await self._next()
            await asyncio.sleep(UNASKED_S)
        if not self._received.empty():
            unasked = _as_bytes(await self._next())
            raise NoReplyError(f"{UNASKED}: {excerpt(unasked)}", Cause.UNASKED)
        await self._connection.send(message)
        messages = [await self._next()]
        ends = [text.encode() for text in until]
        while until and not any(text in _as_bytes(messages[-1]) for text in ends):
            messages.append(await self._next())
        return messages

    async def _next(self) -> str | bytes:
        """Return the next message. Raises `TimeoutError` and `ConnectionClosed`."""
        async with asyncio.timeout(self._timeout_s):
            received = await self._received.get()
        if isinstance(received, ConnectionClosed):
            raise received
        return received

    async def _connect(self) -> ClientConnection:
        scheme = "wss" if self._endpoint.is_secure else "ws"
        headers = self._endpoint.headers
        chosen = [each for each in headers if each[0].lower() == SUBPROTOCOL]
        connecting = _Connect(
            f"{scheme}://{self._endpoint.address}{self._endpoint.path}",
            sock=socket.create_connection(host_and_port(self._endpoint.address), self._timeout_s),
            open_timeout=self._timeout_s,
            close_timeout=1,
            compression=None,
            max_size=LARGEST_REPLY_BYTES,
            proxy=None,
            user_agent_header=None,
            additional_headers=[each for each in headers if each not in chosen] or None,
            subprotocols=[Subprotocol(name) for _, name in chosen] or None,
            **self._tls(),
        )
        try:
            return await connecting
        except ConnectionResetError as closed:
            if closed.args:
                raise
            # So asyncio reports a connection that ends in the TLS handshake.
            raise ssl.SSLEOFError("UNEXPECTED_EOF_WHILE_READING") from closed

    def _tls(self) -> Mapping[str, Any]:
        if self._context is None:
            return {}
        tls = self._endpoint.tls
        name = {"server_hostname": tls.server_name} if tls and tls.server_name else {}
        return {"ssl": self._context, **name}


def _as_bytes(message: str | bytes) -> bytes:
    return message.encode() if isinstance(message, str) else message


async def _read(
    connection: ClientConnection, received: "asyncio.Queue[str | bytes | ConnectionClosed]"
) -> None:
    """Collect messages until the connection ends."""
    try:
        while True:
            received.put_nowait(await connection.recv())
    except ConnectionClosed as closed:
        received.put_nowait(closed)


class _Connect(connect):
    """Opens a connection, and follows no redirect: what is measured is at the address given."""

    def process_redirect(self, exc: Exception) -> Exception:
        """Return the answer as an error."""
        return exc
