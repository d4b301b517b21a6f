"""An HTTP/3 server of other people's making, aioquic, which misbehaves to order."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.asyncio.server import serve
from aioquic.buffer import encode_uint_var
from aioquic.h3.connection import H3_ALPN, ErrorCode, FrameType, H3Connection, encode_frame
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import QuicEvent
from aioquic.tls import SessionTicket

from tests.support.certificates import certificate
from wirelab.engine.job import Tls

PAUSE_S = 0.005
"""Before each of the events of a stream."""


@dataclass
class Request:
    """A request, as it has come in so far."""

    headers: dict[bytes, bytes]
    body: bytes = b""
    fields: list[tuple[bytes, bytes]] = field(default_factory=list)
    """The headers in their order."""


Answer = Callable[[Request], bytes]


class Served(QuicConnectionProtocol):
    """One connection: answers a request in the way that its path names.

    A number: so many bytes. `echo`: the method, the header x-token and the body.
    """

    def __init__(
        self,
        quic: QuicConnection,
        *args: object,
        streams: int,
        answer: Answer | None,
        **more: object,
    ) -> None:
        super().__init__(quic)
        self.answer = answer
        limit = quic._local_max_streams_bidi
        limit.value = limit.sent = streams
        self.http = H3Connection(quic)
        self.requests: dict[int, Request] = {}

    def quic_event_received(self, event: QuicEvent) -> None:
        for each in self.http.handle_event(event):
            if isinstance(each, HeadersReceived):
                fields = list(each.headers)
                self.requests[each.stream_id] = Request(dict(fields), fields=fields)
            elif isinstance(each, DataReceived):
                self.requests[each.stream_id].body += each.data
            else:
                continue
            if each.stream_ended:
                self._answer(each.stream_id, self.requests.pop(each.stream_id))

    def _answer(self, stream: int, request: Request) -> None:
        if self.answer is not None:
            self._reply(stream, self.answer(request))
            self.transmit()
            return
        match request.headers[b":path"].decode().lstrip("/"):
            case "echo":
                token = request.headers.get(b"x-token", b"")
                self._reply(stream, request.headers[b":method"] + token + request.body)
            case "error":
                self._reply(stream, b"oh", status=500)
            case "silence":
                pass
            case "half":
                self.http.send_headers(stream, [(b":status", b"200")])
                self.http.send_data(stream, b"ha", end_stream=False)
            case "cut":
                self.http.send_headers(stream, [(b":status", b"200")])
                whole = encode_frame(FrameType.DATA, b"hello")
                self._quic.send_stream_data(stream, whole[:-1], end_stream=True)
            case "other-length":
                self.http.send_headers(stream, [(b":status", b"200"), (b"content-length", b"9")])
                self._quic.send_stream_data(stream, encode_frame(FrameType.DATA, b"hello"), True)
            case "reset":
                self._quic.reset_stream(stream, ErrorCode.H3_INTERNAL_ERROR)
            case "goaway":
                frame = encode_frame(FrameType.GOAWAY, encode_uint_var(stream))
                control = self.http._local_control_stream_id
                assert control is not None
                self._quic.send_stream_data(control, frame)
            case "close":
                self._quic.close(error_code=ErrorCode.H3_NO_ERROR)
            case "events":
                self.http.send_headers(stream, [(b":status", b"200")])
                self._send_events(stream, 3)
            case length:
                self._reply(stream, b"x" * int(length))
        self.transmit()

    def _reply(self, stream: int, body: bytes, *, status: int = 200) -> None:
        length = str(len(body)).encode()
        headers = [(b":status", b"%d" % status), (b"content-length", length)]
        self.http.send_headers(stream, headers, end_stream=not body)
        if body:
            self.http.send_data(stream, body, end_stream=True)

    def _send_events(self, stream: int, left: int) -> None:
        def send() -> None:
            self.http.send_data(stream, b"data: %d\n\n" % left, end_stream=left == 1)
            self.transmit()
            if left > 1:
                self._send_events(stream, left - 1)

        asyncio.get_running_loop().call_later(PAUSE_S, send)


@dataclass
class Tickets:
    """What the server gives for resuming sessions."""

    kept: dict[bytes, SessionTicket] = field(default_factory=dict)

    def keep(self, ticket: SessionTicket) -> None:
        self.kept[ticket.ticket] = ticket


@dataclass(frozen=True, slots=True)
class Http3Server:
    """Where a server listens, and how a client comes to trust it."""

    address: str
    tls: Tls


@contextmanager
def http3_server(
    folder: Path,
    *,
    streams: int = 128,
    idle_timeout_s: float = 60.0,
    host: str = "127.0.0.1",
    answer: Answer | None = None,
) -> Iterator[Http3Server]:
    """Run a server until the end of the block, which answers as paths say, or as `answer` does.

    `streams`: how many a client may open at first; the server allows more when half are used.
    """
    made, key = certificate(folder, "server", host)
    configuration = QuicConfiguration(
        alpn_protocols=H3_ALPN, is_client=False, idle_timeout=idle_timeout_s
    )
    configuration.load_cert_chain(made, key)
    tickets = Tickets()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    starting = serve(
        host,
        0,
        configuration=configuration,
        create_protocol=partial(Served, streams=streams, answer=answer),
        session_ticket_fetcher=tickets.kept.get,
        session_ticket_handler=tickets.keep,
    )
    server = asyncio.run_coroutine_threadsafe(starting, loop).result()
    try:
        assert server._transport is not None
        host, port = server._transport.get_extra_info("sockname")
        yield Http3Server(f"{host}:{port}", Tls(ca=made))
    finally:
        loop.call_soon_threadsafe(server.close)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
