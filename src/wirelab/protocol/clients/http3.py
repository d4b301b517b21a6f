"""HTTP/3 for verification, by aioquic: an optional extra, since it is rarely needed."""

import asyncio
import ssl
from collections import deque
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, QuicEvent

from wirelab.engine.job import Endpoint
from wirelab.lab.network.address import host_and_port
from wirelab.protocol.clients.base import Client, timed_out
from wirelab.protocol.clients.loop_thread import LoopThread
from wirelab.protocol.clients.no_reply import no_reply
from wirelab.protocol.message import WireReply, WireRequest


class Http3Client(Client):
    """One QUIC connection, on a separate thread."""

    def __init__(self, endpoint: Endpoint, timeout_s: float) -> None:
        self._endpoint, self._timeout_s = endpoint, timeout_s
        self._loop = LoopThread()
        self._ends = AsyncExitStack()
        self._connection: _Connection | None = None

    def send(self, request: WireRequest) -> WireReply:
        """Send a request and wait for its reply."""
        try:
            return self._loop.run(self._exchange(request), self._timeout_s)
        except TimeoutError as error:
            self._connection = None
            raise timed_out(self._timeout_s) from error
        except (OSError, asyncio.CancelledError) as error:
            self._connection = None
            raise no_reply(error) from error

    def close(self) -> None:
        """End the connection and the thread."""
        self._loop.run(self._ends.aclose(), self._timeout_s)
        self._loop.close()

    async def _exchange(self, request: WireRequest) -> WireReply:
        if self._connection is None:
            host, port = host_and_port(self._endpoint.address)
            connecting = connect(
                host,
                port,
                configuration=_configuration(self._endpoint, host),
                create_protocol=_Connection,
            )
            opened = await self._ends.enter_async_context(connecting)
            assert isinstance(opened, _Connection)
            self._connection = opened
        return await self._connection.exchange(self._endpoint, request)


class _Connection(QuicConnectionProtocol):
    """Collects the events of each stream until it ends."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._http = H3Connection(self._quic)
        self._waiting: dict[int, asyncio.Future[None]] = {}
        self._events: dict[int, deque[Any]] = {}

    async def exchange(self, endpoint: Endpoint, request: WireRequest) -> WireReply:
        stream = self._quic.get_next_available_stream_id()
        pseudo = {
            ":method": request.method,
            ":scheme": "https",
            ":authority": endpoint.authority or endpoint.address,
            ":path": request.path,
        }
        given = [*endpoint.headers, *request.headers]
        headers = [*pseudo.items(), *((name.lower(), value) for name, value in given)]
        if request.body:
            headers.append(("content-length", str(len(request.body))))
        self._events[stream] = deque()
        self._waiting[stream] = asyncio.get_running_loop().create_future()
        encoded = [(name.encode(), value.encode()) for name, value in headers]
        self._http.send_headers(stream, encoded, end_stream=not request.body)
        if request.body:
            self._http.send_data(stream, request.body, end_stream=True)
        self.transmit()
        try:
            await self._waiting[stream]
            return replace(_reply(self._events[stream]), asked=request.body)
        finally:
            del self._waiting[stream], self._events[stream]

    def quic_event_received(self, event: QuicEvent) -> None:
        """Add an event to its stream."""
        if isinstance(event, ConnectionTerminated):
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(OSError(event.reason_phrase or "connection ended"))
        for each in self._http.handle_event(event):
            stream = getattr(each, "stream_id", None)
            if stream in self._events:
                self._events[stream].append(each)
                if getattr(each, "stream_ended", False) and not self._waiting[stream].done():
                    self._waiting[stream].set_result(None)


def _reply(events: deque[Any]) -> WireReply:
    headers: dict[str, str] = {}
    body = b""
    for event in events:
        if isinstance(event, HeadersReceived):
            headers |= {name.decode(): value.decode() for name, value in event.headers}
        elif isinstance(event, DataReceived):
            body += event.data
    plain: Mapping[str, str] = {k: v for k, v in headers.items() if not k.startswith(":")}
    return WireReply(int(headers.get(":status", "0")), tuple(plain.items()), body)


def _configuration(endpoint: Endpoint, host: str) -> QuicConfiguration:
    tls = endpoint.tls
    configuration = QuicConfiguration(
        is_client=True,
        alpn_protocols=H3_ALPN,
        server_name=(tls.server_name if tls else None) or host,
        verify_mode=ssl.CERT_NONE if tls and tls.insecure else ssl.CERT_REQUIRED,
        cafile=str(tls.ca) if tls and tls.ca else None,
    )
    if tls and tls.certificate:
        configuration.load_cert_chain(tls.certificate, tls.key)
    return configuration
