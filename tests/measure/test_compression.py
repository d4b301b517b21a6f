"""The real engine and compressed messages from a gRPC server of other people's making."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
import xxhash

from tests.support.jobs import one_target
from wirelab.engine.job import Endpoint
from wirelab.engine.result import TargetResult
from wirelab.measure.driver import run_engine

MESSAGE = b"a game with a name, and another game with a name; " * 70
CALLS = 40


@pytest.fixture
def address(compression: grpc.Compression) -> Iterator[str]:
    """Where a server is that compresses in its own way, whatever the client asks for."""

    def answer(_request: bytes, _context: grpc.ServicerContext) -> bytes:
        return MESSAGE

    handlers = {"Answer": grpc.unary_unary_rpc_method_handler(answer)}
    server = grpc.server(ThreadPoolExecutor(4), compression=compression)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("t.T", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield f"127.0.0.1:{port}"
    server.stop(None).wait()


@pytest.mark.parametrize(
    ("compression", "accepted"),
    [
        (grpc.Compression.NoCompression, ()),
        (grpc.Compression.NoCompression, ("gzip",)),
        (grpc.Compression.Gzip, ()),
        (grpc.Compression.Gzip, ("gzip", "zstd")),
        (grpc.Compression.Deflate, ("deflate",)),
    ],
)
def test_messages_are_counted_before_and_checked_after_decoding(
    address: str, compression: grpc.Compression, accepted: tuple[str, ...], tmp_path: Path
) -> None:
    expected = {"body_length": len(MESSAGE), "body_xxh3": xxhash.xxh3_64_hexdigest(MESSAGE)}
    result = _run(address, accepted, expected, tmp_path)

    assert result.counts.succeeded == CALLS, result.mismatches
    window = result.bytes.window
    assert window.payload_decoded == CALLS * len(MESSAGE)
    if compression == grpc.Compression.NoCompression:
        assert window.payload_received == window.payload_decoded
    else:
        assert window.payload_received < CALLS * len(MESSAGE) / 10
        assert window.received < window.payload_decoded / 4


def _run(
    address: str, request: tuple[str, ...], expected: dict[str, object], folder: Path
) -> TargetResult:
    endpoint = {"transport": "grpc", "address": address, "accept_encoding": request}
    job = one_target(
        Endpoint.model_validate(endpoint),
        folder,
        connections={"streams_per_connection": 4},
        pacer={"kind": "closed", "clients": 4},
        stop={"transactions": CALLS},
        requests=[{"path": "/t.T/Answer", "expect": expected}],
    )
    return run_engine(job, folder).only
