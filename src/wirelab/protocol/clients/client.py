"""Clients for verification, based on independent libraries, so that errors of the engine show.

There is one for each transport. Each keeps one connection, and opens it again if a server closed it
between two requests.
"""

import ssl
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from itertools import repeat
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import grpc
import httpx

from wirelab.engine.job import Endpoint, Transport
from wirelab.lab.network.address import host_and_port
from wirelab.protocol.clients.base import (
    LARGEST_REPLY_BYTES,
    Client,
    NoReplyError,
    endless,
    timed_out,
)
from wirelab.protocol.clients.no_reply import no_reply, no_reply_from
from wirelab.protocol.http import EVENT_STREAM
from wirelab.protocol.message import ClientSession, WireReply, WireRequest


class HttpClient(Client):
    """HTTP/1.1 with keep-alive, or HTTP/2, by httpx."""

    def __init__(self, endpoint: Endpoint, timeout_s: float) -> None:
        two = endpoint.transport == "http2"
        scheme = "https" if endpoint.is_secure else "http"
        # trust_env: requests to 127.0.0.1 must not be sent to a proxy of the environment.
        self._open = partial(
            httpx.Client,
            base_url=f"{scheme}://{endpoint.address}",
            timeout=timeout_s,
            trust_env=False,
            follow_redirects=False,
            http1=not two,
            http2=two,
            verify=tls_context(endpoint) or False,
        )
        self._timeout_s = timeout_s
        self._renew()
        self._endpoint = endpoint
        self._session_ids: dict[ClientSession, str] = {}
        name = endpoint.tls.server_name if endpoint.tls else None
        self._extensions = {"sni_hostname": name} if name else {}

    def send(self, request: WireRequest) -> WireReply:
        """Send a request, introduced first if the server requires that, and wait for its reply."""
        if request.session is not None:
            return self._in_session(request, request.session)
        reply = self._once(request)
        introduction = request.introduction
        if introduction is None or not introduction.is_requested_by(reply):
            return reply
        self._once(introduction.request)
        return self._once(request)

    def _in_session(self, request: WireRequest, session: ClientSession) -> WireReply:
        """Send a request of a session, which is opened if there is none, or if it has ended."""
        is_new = session not in self._session_ids or session.closing is not None
        if is_new and (refused := self._open_session(session)):
            return refused
        reply = self._once(session.named(request, self._session_ids[session]))
        if session.closing is not None:
            self._once(session.named(session.closing, self._session_ids[session]))
            return reply
        if reply.status != HTTPStatus.NOT_FOUND or not self._session_ids[session]:
            return reply
        if refused := self._open_session(session):
            return refused
        reply = self._once(session.named(request, self._session_ids[session]))
        return replace(reply, is_renewed=True)

    def _open_session(self, session: ClientSession) -> WireReply | None:
        """Open a session and keep its id; return the reply if the server refuses it."""
        session_id = ""
        for request in session.opening:
            reply = self._once(session.named(request, session_id))
            if reply.status is None or reply.status >= HTTPStatus.BAD_REQUEST:
                return reply
            session_id = session_id or reply.header(session.header)
        self._session_ids[session] = session_id
        return None

    def _once(self, request: WireRequest) -> WireReply:
        deadline_s = time.monotonic() + self._timeout_s
        try:
            with closing(self._client.send(self._prepared(request), stream=True)) as reply:
                body = self._body(reply, deadline_s)
        except httpx.TimeoutException as error:
            raise timed_out(self._timeout_s) from error
        except httpx.HTTPError as error:
            raise no_reply(error) from error
        except NoReplyError:  # within a reply, whose rest would precede the next one
            self.close()
            self._renew()
            raise
        # The engine keeps no cookies either: sessions need a header.
        self._client.cookies.clear()
        if reply.is_server_error:  # Servers may then close the connection without announcement.
            self.close()
            self._renew()
        headers = tuple(reply.headers.multi_items())
        return WireReply(
            reply.status_code, headers, body, version=reply.http_version, asked=request.body
        )

    def _prepared(self, request: WireRequest) -> httpx.Request:
        """Return a request that is sent as the engine sends it."""
        headers = [*self._endpoint.headers, *request.headers]
        if all(name.lower() != "host" for name, _ in headers):
            headers.insert(0, ("Host", self._endpoint.authority or self._endpoint.address))
        headers.append(("Content-Length", str(len(request.body))))
        prepared = self._client.build_request(
            request.method,
            "/",
            headers=headers,
            content=request.body or None,
            # httpx would normalise the path.
            extensions={**self._extensions, "target": request.path.encode()},
        )
        of_http1 = self._endpoint.transport == "http1"
        if not request.body and not (of_http1 and request.method in ("POST", "PUT", "PATCH")):
            del prepared.headers["Content-Length"]
        return prepared

    def _body(self, reply: httpx.Response, deadline_s: float) -> bytes:
        """Read a raw body, before content decoding, as the engine receives it.

        httpx's timeout is for each piece, and a server may send pieces without end.
        """
        body = bytearray()
        try:
            for piece in reply.iter_raw():
                body += piece
                if len(body) > LARGEST_REPLY_BYTES:
                    raise NoReplyError(f"the reply has more than {LARGEST_REPLY_BYTES:,} bytes")
                if time.monotonic() > deadline_s:
                    raise httpx.ReadTimeout("")
        except httpx.TimeoutException as error:
            streams = reply.headers.get("content-type", "").startswith(EVENT_STREAM)
            raise (endless if streams else timed_out)(self._timeout_s) from error
        return bytes(body)

    def close(self) -> None:
        """End the connection."""
        self._client.close()

    def _renew(self) -> None:
        self._client = self._open()
        # Only the headers of the request itself: with accept-encoding, for example, a server would
        # send other bytes than to the engine.
        self._client.headers.clear()


class GrpcClient(Client):
    """gRPC calls of bytes, by grpcio: one or several request messages, one or several replies."""

    def __init__(self, endpoint: Endpoint, timeout_s: float) -> None:
        self._endpoint = endpoint
        self._headers = endpoint.headers
        self._timeout_s = timeout_s
        self._opened: grpc.Channel | None = None

    def send(self, request: WireRequest) -> WireReply:
        """Send messages and wait for their reply; a status that grpcio created is not a reply."""
        metadata = (*self._headers, *request.headers) or None
        began = time.monotonic()
        try:
            if request.stream:
                going = self._stream(request)(timeout=self._timeout_s, metadata=metadata)
                items = tuple(going)
                return WireReply(0, _metadata(going), b"".join(items), items=items)
            body, sent = self._call(request)(timeout=self._timeout_s, metadata=metadata)
        except grpc.RpcError as error:
            code, details = error.code(), error.details() or ""
            if self._is_own_error(code, time.monotonic() - began):
                if code is grpc.StatusCode.DEADLINE_EXCEEDED:
                    raise timed_out(self._timeout_s) from error
                raise no_reply_from(details) from error
            return WireReply(code.value[0], (), b"", details)
        return WireReply(0, _metadata(sent), body)

    def close(self) -> None:
        """End the connection."""
        if self._opened is not None:
            self._opened.close()

    @property
    def _channel(self) -> grpc.Channel:
        if self._opened is None:
            try:
                self._opened = grpc_channel(self._endpoint)
            except OSError as error:  # the server's certificate, which is to be trusted, is missing
                raise no_reply(error) from error
        return self._opened

    # On the wire, one message is a stream of one, but grpcio is slower with streams.

    def _stream(self, request: WireRequest) -> Callable[..., Any]:
        if request.send == 1:
            return partial(self._channel.unary_stream(request.path), request.body)
        messages = repeat(request.body, request.send)
        return partial(self._channel.stream_stream(request.path), messages)

    def _call(self, request: WireRequest) -> Callable[..., Any]:
        if request.send == 1:
            return partial(self._channel.unary_unary(request.path).with_call, request.body)
        messages = repeat(request.body, request.send)
        return partial(self._channel.stream_unary(request.path).with_call, messages)

    def _is_own_error(self, code: grpc.StatusCode, seconds: float) -> bool:
        """Return whether grpcio created the status, because the server sent no reply."""
        if code is grpc.StatusCode.DEADLINE_EXCEEDED:
            return seconds >= self._timeout_s
        return code is grpc.StatusCode.UNAVAILABLE and not self._is_connected()

    def _is_connected(self) -> bool:
        states: SimpleQueue[grpc.ChannelConnectivity] = SimpleQueue()
        self._channel.subscribe(states.put)
        try:
            return states.get(timeout=self._timeout_s) is grpc.ChannelConnectivity.READY
        except Empty:
            return False
        finally:
            self._channel.unsubscribe(states.put)


def _metadata(call: Any) -> tuple[tuple[str, str], ...]:
    """Return the metadata that a server sent before and after its messages."""
    return (*(call.initial_metadata() or ()), *(call.trailing_metadata() or ()))


def grpc_channel(endpoint: Endpoint) -> grpc.Channel:
    """Return a channel of grpcio to an endpoint, with its TLS options."""
    options: list[tuple[str, Any]] = [
        ("grpc.max_receive_message_length", LARGEST_REPLY_BYTES),
        ("grpc.enable_http_proxy", 0),
    ]
    address, tls = endpoint.address, endpoint.tls
    if tls is None:
        return grpc.insecure_channel(address, options=options)
    if tls.server_name:
        options.append(("grpc.ssl_target_name_override", tls.server_name))
    certificate, key = (file and file.read_bytes() for file in (tls.certificate, tls.key))
    credentials = grpc.ssl_channel_credentials(_roots(endpoint), key, certificate)
    return grpc.secure_channel(address, credentials, options=options)


def connect(transport: Transport, address: str, path: str = "/", timeout_s: float = 10.0) -> Client:
    """Return a client for a transport of the engine, in clear text; `address` is host:port.

    `path` is that of a WebSocket's opening handshake.
    """
    return connect_to(Endpoint(transport=transport, address=address, path=path), timeout_s)


def connect_to(endpoint: Endpoint, timeout_s: float = 10.0) -> Client:
    """Return a client for an endpoint of the engine. It connects with the first request."""
    match endpoint.transport:
        case "http1" | "http2":
            return HttpClient(endpoint, timeout_s)
        case "grpc":
            return GrpcClient(endpoint, timeout_s)
        case "websocket":
            from wirelab.protocol.clients.websocket import WebSocketClient  # noqa: PLC0415

            return WebSocketClient(endpoint, timeout_s, tls_context(endpoint))
    try:
        from wirelab.protocol.clients.http3 import Http3Client  # noqa: PLC0415
    except ImportError:
        raise NoReplyError(
            "verifying answers over HTTP/3 needs aioquic, which is not installed:"
            " pip install 'wirelab[http3]'"
        ) from None
    return Http3Client(endpoint, timeout_s)


def tls_context(endpoint: Endpoint) -> ssl.SSLContext | None:
    """Return the endpoint's TLS options as a context of Python; None for clear text."""
    tls = endpoint.tls
    if tls is None:
        return None
    if tls.insecure:  # without loading the certificates of the system
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    else:
        context = ssl.create_default_context(cafile=str(tls.ca) if tls.ca else None)
    if tls.certificate is not None:
        context.load_cert_chain(tls.certificate, tls.key, password=lambda: "")
    if tls.version is not None:
        only = {"1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}[tls.version]
        context.minimum_version = context.maximum_version = only
    return context


def _roots(endpoint: Endpoint) -> bytes | None:
    """Return the certificates that gRPC has to trust; it cannot accept any certificate."""
    tls = endpoint.tls
    assert tls is not None
    if tls.insecure:
        return ssl.get_server_certificate(host_and_port(endpoint.address)).encode()
    file = tls.ca or ssl.get_default_verify_paths().cafile
    return Path(file).read_bytes() if file and Path(file).is_file() else None
