"""HTTP/3 with others: our client and aioquic's server, aioquic's client and our null server."""

import asyncio
import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import QuicEvent
from xxhash import xxh3_64_hexdigest

from tests.measure.http3_server import PAUSE_S, Http3Server, http3_server
from tests.support.certificates import certificate
from tests.support.jobs import one_target
from tests.support.undisturbed import undisturbed
from wirelab.engine.errors import TargetUnreachableError
from wirelab.engine.job import Closed, Connections, Constant, Endpoint, Expect, Stop, Tls
from wirelab.engine.result import TargetResult
from wirelab.lab.processes.cpu import plan_cpus
from wirelab.measure.ceiling import BYTES, null_server
from wirelab.measure.driver import run_engine

RunJob = Callable[..., TargetResult]


@pytest.fixture
def run_job(tmp_path: Path) -> RunJob:
    """Have the engine send a request to each of some paths, in turn."""

    def run(server: Http3Server, *paths: str, transactions: int = 50, **more: Any) -> TargetResult:
        request = more.pop("request", {})
        job = {
            "stop": Stop(transactions=transactions),
            "requests": [{"path": f"/{path}", **request} for path in paths],
            **more,
        }
        endpoint = Endpoint(transport="http3", address=server.address, tls=server.tls)
        return run_engine(one_target(endpoint, tmp_path / "out", **job), tmp_path).only

    return run


def test_everything_is_counted_once(run_job: RunJob, tmp_path: Path) -> None:
    body = b"POSTabchello"
    request = {
        "method": "POST",
        "headers": [("X-Token", "abc")],
        "body": b"hello",
        "expect": Expect(status=200, body_xxh3=xxh3_64_hexdigest(body)),
    }
    with http3_server(tmp_path) as server:
        result = run_job(server, "echo", request=request)

    assert result.counts.succeeded == 50, result.mismatches
    sent = result.bytes.window
    assert (sent.payload_sent, sent.payload_received) == (50 * 5, 50 * len(body))
    assert sent.received > 50 * len(body)
    lifetime = result.bytes.lifetime
    assert lifetime.connections == 1
    assert lifetime.segments_out > 0
    assert lifetime.sent > sent.sent
    assert result.tls is not None
    assert (result.tls.version, result.tls.handshakes) == ("TLSv1_3", 1)
    for sample in pyarrow.parquet.read_table(tmp_path / "out" / "samples.parquet").to_pylist():
        assert (sample["status"], sample["payload_bytes"]) == (200, len(body))
        assert sample["start_ns"] < sample["first_byte_ns"] <= sample["end_ns"]


def test_streams_wait_until_the_server_allows_them(run_job: RunJob, tmp_path: Path) -> None:
    with http3_server(tmp_path, streams=5) as server:
        result = run_job(
            server,
            "20",
            transactions=600,
            connections=Connections(count=2, streams_per_connection=16),
            pacer=Closed(clients=32),
        )

    assert result.counts.succeeded == 600, result.mismatches
    assert result.bytes.lifetime.connections == 2


def test_large_bodies_are_sent_in_both_directions(run_job: RunJob, tmp_path: Path) -> None:
    body = bytes(number % 251 for number in range(400_000))
    request = {
        "method": "POST",
        "body": body,
        "expect": Expect(body_xxh3=xxh3_64_hexdigest(b"POST" + body)),
    }
    with http3_server(tmp_path) as server:
        result = run_job(
            server,
            "echo",
            transactions=4,
            request=request,
            connections=Connections(streams_per_connection=2),
            pacer=Closed(clients=2),
        )

    assert result.counts.succeeded == 4, result.mismatches


def test_every_way_to_fail_has_its_class(run_job: RunJob, tmp_path: Path) -> None:
    expected = {
        "error": "status",
        "7": "body_mismatch",
        "silence": "timeout",
        "half": "slow_reply",
        "cut": "protocol_error",
        "other-length": "protocol_error",
        "reset": "stream_reset",
        "goaway": "goaway",
        "close": "closed_early",
        "5": "",
    }

    def run() -> tuple[TargetResult, list[str]]:
        with http3_server(tmp_path) as server:
            result = run_job(
                server,
                *expected,
                transactions=2 * len(expected),
                request={"expect": Expect(status=200, body_length=5)},
                connections=Connections(request_timeout_ms=200),
            )
        samples = pyarrow.parquet.read_table(tmp_path / "out" / "samples.parquet").to_pylist()
        return result, [sample["error"] for sample in samples]

    # If the host stalls for longer than the timeout, there is one more of those.
    result, errors = undisturbed(run, lambda run: run[1] == 2 * list(expected.values()))

    assert errors == 2 * list(expected.values())
    # A new connection follows each reply that is cut short, each GOAWAY and each close.
    assert result.bytes.lifetime.connections == 7


def test_a_connection_that_was_silent_for_too_long(run_job: RunJob, tmp_path: Path) -> None:
    def run() -> TargetResult:
        with http3_server(tmp_path, idle_timeout_s=0.3) as server:
            return run_job(server, "silence", "5", transactions=2)

    def is_left_in_time(result: TargetResult) -> bool:
        return 250_000 < result.latency_us.service.max < 1_500_000

    result = undisturbed(run, is_left_in_time)

    assert result.counts.errors == {"idle_timeout": 1}
    assert is_left_in_time(result), result.latency_us.service.max


def test_a_stream_of_events(run_job: RunJob, tmp_path: Path) -> None:
    request: dict[str, Any] = {"stream": {"items": "events"}, "expect": Expect(items=3)}
    with http3_server(tmp_path) as server:
        whole = run_job(server, "events", transactions=10, request=request)
        request["stream"]["until_items"] = 2
        request["expect"] = Expect(items=2)
        left = run_job(server, "events", transactions=10, request=request)

    assert (whole.counts.failed, left.counts.failed) == (0, 0), whole.mismatches
    assert whole.items is not None
    assert (whole.items.received, left.items and left.items.received) == (30, 20)
    assert whole.items.first_us.min >= PAUSE_S * 1e6
    assert whole.items.last_us.min >= 3 * PAUSE_S * 1e6
    assert left.bytes.lifetime.connections == 1


@pytest.mark.parametrize("resumption", [True, False])
def test_fresh_connections_are_timed(run_job: RunJob, tmp_path: Path, resumption: bool) -> None:
    with http3_server(tmp_path) as server:
        tls = server.tls.model_copy(update={"resumption": resumption})
        result = run_job(
            Http3Server(server.address, tls),
            "5",
            transactions=20,
            connections=Connections(reuse=False),
        )

    assert result.counts.succeeded == 20, result.mismatches
    assert result.bytes.lifetime.connections == 20
    assert result.tls is not None
    assert result.tls.handshakes == 20
    assert result.tls.resumed == (19 if resumption else 0)
    assert result.latency_us.tls is not None
    # The first connection was there beforehand.
    first, *later = pyarrow.parquet.read_table(tmp_path / "out" / "samples.parquet").to_pylist()
    assert first["connect_ns"] == -1
    for sample in later:
        assert 0 < sample["tls_ns"] <= sample["connect_ns"]


def test_an_open_load_keeps_its_schedule(run_job: RunJob, tmp_path: Path) -> None:
    def run() -> TargetResult:
        with http3_server(tmp_path) as server:
            return run_job(
                server,
                "5",
                connections=Connections(streams_per_connection=50),
                pacer=Constant(rate_per_s=200),
                stop=Stop(seconds=1),
            )

    def is_on_time(result: TargetResult) -> bool:
        return result.counts.never_sent == 0 and result.latency_us.lag.p50 < 2_000

    result = undisturbed(run, is_on_time)

    assert result.counts.failed == 0
    assert result.counts.transactions + result.counts.never_sent == 200
    assert is_on_time(result), (result.counts, result.latency_us.lag)


def test_an_unreachable_server_is_reported(run_job: RunJob, tmp_path: Path) -> None:
    stranger, _ = certificate(tmp_path, "stranger")
    with http3_server(tmp_path) as server:
        for tls, reported in [
            (Tls(ca=stranger), "not from a trusted CA"),
            (server.tls.model_copy(update={"server_name": "example.org"}), "for another name"),
        ]:
            with pytest.raises(TargetUnreachableError, match=reported):
                run_job(Http3Server(server.address, tls), "5")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        silent_server = Http3Server(f"127.0.0.1:{silent.getsockname()[1]}", Tls(insecure=True))
        with pytest.raises(TargetUnreachableError, match="connect_timeout"):
            run_job(silent_server, "5", connections=Connections(connect_timeout_ms=300))
    with pytest.raises(TargetUnreachableError, match="connect_refused"):
        run_job(silent_server, "5")


class Asking(QuicConnectionProtocol):
    """aioquic as a client."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.http = H3Connection(self._quic)
        self.answers: dict[int, tuple[dict[bytes, bytes], bytes]] = {}
        self.waiting: dict[int, asyncio.Future[None]] = {}

    async def ask(self, method: bytes, body: bytes) -> tuple[dict[bytes, bytes], bytes]:
        stream = self._quic.get_next_available_stream_id()
        headers = [
            (b":method", method),
            (b":scheme", b"https"),
            (b":authority", b"localhost"),
            (b":path", b"/any/path?at=all"),
        ]
        self.http.send_headers(stream, headers, end_stream=not body)
        if body:
            self.http.send_data(stream, body, end_stream=True)
        self.waiting[stream] = asyncio.get_running_loop().create_future()
        self.transmit()
        await asyncio.wait_for(self.waiting[stream], timeout=10)
        return self.answers[stream]

    def quic_event_received(self, event: QuicEvent) -> None:
        for each in self.http.handle_event(event):
            if isinstance(each, HeadersReceived):
                self.answers[each.stream_id] = (dict(each.headers), b"")
            elif isinstance(each, DataReceived):
                headers, body = self.answers[each.stream_id]
                self.answers[each.stream_id] = (headers, body + each.data)
            else:
                continue
            if each.stream_ended:
                self.waiting[each.stream_id].set_result(None)


def test_the_null_server_answers_another_client(tmp_path: Path) -> None:
    async def converse(address: str, certificate: Path) -> None:
        host, _, port = address.partition(":")
        configuration = QuicConfiguration(alpn_protocols=H3_ALPN, verify_mode=ssl.CERT_REQUIRED)
        configuration.load_verify_locations(str(certificate))
        connecting = connect(host, int(port), configuration=configuration, create_protocol=Asking)
        async with connecting as client:
            assert isinstance(client, Asking)
            asking = [client.ask(b"GET", b"") for _ in range(20)]
            asking.append(client.ask(b"POST", b"y" * 300_000))
            for headers, body in await asyncio.gather(*asking):
                assert (headers[b":status"], body) == (b"200", b"x" * BYTES)
                assert headers[b"content-length"] == str(BYTES).encode()

    with null_server("http3", plan_cpus().system, tmp_path, tls=True) as server:
        assert server.tls is not None
        assert server.tls.ca is not None
        for _ in range(2):
            asyncio.run(converse(server.address, server.tls.ca))
