"""The real engine streams with a gRPC server of other people's making."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pyarrow.parquet
import pytest

from tests.support.jobs import one_target
from tests.support.undisturbed import undisturbed
from wirelab.engine.job import Closed, Connections, Endpoint, Expect, Stop, Stream
from wirelab.engine.result import ItemsOfStreams, TargetResult
from wirelab.measure.driver import run_engine

PAUSE_S = 0.005
"""Before each of the five messages of a download."""


@pytest.fixture
def remaining_s() -> list[float]:
    """The remaining time that the server read from the deadline of each call."""
    return []


@pytest.fixture
def run_call(remaining_s: list[float], tmp_path: Path) -> Iterator[Callable[..., TargetResult]]:
    """Have the engine call a method of a server forty times, by four clients on one connection."""

    def download(_request: bytes, _context: grpc.ServicerContext) -> Iterator[bytes]:
        for number in range(5):
            time.sleep(PAUSE_S)
            yield b"item %d" % number

    def upload(requests: Iterator[bytes], _context: grpc.ServicerContext) -> bytes:
        return b"%d" % sum(1 for _ in requests)

    def chat(requests: Iterator[bytes], _context: grpc.ServicerContext) -> Iterator[bytes]:
        yield from requests

    def silent(_request: bytes, context: grpc.ServicerContext) -> bytes:
        remaining_s.append(context.time_remaining())
        time.sleep(0.5)
        return b""

    handlers = {
        "Download": grpc.unary_stream_rpc_method_handler(download),
        "Upload": grpc.stream_unary_rpc_method_handler(upload),
        "Chat": grpc.stream_stream_rpc_method_handler(chat),
        "Silent": grpc.unary_unary_rpc_method_handler(silent),
    }
    server = grpc.server(ThreadPoolExecutor(8))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("t.T", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()

    def run(method: str, *, transactions: int = 40, **request: object) -> TargetResult:
        job = one_target(
            Endpoint(transport="grpc", address=f"127.0.0.1:{port}"),
            tmp_path,
            connections=Connections(streams_per_connection=4),
            pacer=Closed(clients=4),
            stop=Stop(transactions=transactions),
            requests=[{"path": f"/t.T/{method}", **request}],
        )
        return run_engine(job, tmp_path).only

    yield run
    server.stop(None).wait()


def _items(result: TargetResult) -> ItemsOfStreams:
    assert result.counts.failed == 0, result.mismatches
    assert result.items is not None
    return result.items


def test_a_server_that_streams(run_call: Callable[..., TargetResult], tmp_path: Path) -> None:
    result = run_call("Download", stream=Stream(), expect=Expect(items=5, body_length=30))

    items = _items(result)
    assert (items.received, items.sent) == (200, 40)
    assert items.received_per_s == pytest.approx(200 / result.window.duration_s)
    assert items.first_us.min >= PAUSE_S * 1e6
    assert items.last_us.min >= 5 * PAUSE_S * 1e6
    samples = pyarrow.parquet.read_table(tmp_path / "samples.parquet").to_pylist()
    for sample in samples:
        assert sample["items"] == 5
        assert sample["start_ns"] < sample["first_item_ns"] <= sample["last_item_ns"]
        assert sample["last_item_ns"] <= sample["end_ns"]
    # Where the engine came late, it has read all of a stream's items at once.
    apart = [sample["first_item_ns"] < sample["last_item_ns"] for sample in samples]
    assert sum(apart) > len(samples) / 2


def test_a_client_that_streams(run_call: Callable[..., TargetResult]) -> None:
    result = run_call("Upload", body=b"hello", stream=Stream(send=100), expect=Expect(items=1))

    assert _items(result).sent == 4000


@pytest.mark.parametrize("in_turn", [False, True])
def test_both_stream(run_call: Callable[..., TargetResult], in_turn: bool) -> None:
    stream = Stream(send=20, in_turn=in_turn)

    result = run_call("Chat", body=b"hello", stream=stream, expect=Expect(items=20))

    assert (_items(result).received, _items(result).sent) == (800, 800)


def test_an_abandoned_stream(run_call: Callable[..., TargetResult]) -> None:
    result = run_call("Download", stream=Stream(until_items=2), expect=Expect(items=2))

    assert _items(result).received == 80
    assert result.bytes.lifetime.connections == 1


def test_a_deadline(run_call: Callable[..., TargetResult], remaining_s: list[float]) -> None:
    def called() -> TargetResult:
        remaining_s.clear()
        return run_call("Silent", transactions=4, deadline_ms=200)

    result = undisturbed(
        called,
        lambda result: result.latency_us.service.max < 450_000 and min(remaining_s[:4]) > 0.1,
    )

    assert result.items is None
    assert result.counts.succeeded == 0
    # Whoever of the two notices first: it is the engine's, or the server's word for it.
    assert set(result.counts.errors) <= {"timeout", "grpc_status"}
    assert 200_000 <= result.latency_us.service.max < 450_000
    assert remaining_s[:4] == pytest.approx([0.2] * 4, abs=0.1)
