"""The real engine and bodies that the C library of Zstandard compressed."""

from functools import cache
from pathlib import Path

import pyarrow as pa
import xxhash

from tests.support.http_server import QuietHandler, http_server
from tests.support.jobs import one_target
from wirelab.engine.job import Endpoint
from wirelab.measure.driver import run_engine

LENGTHS = (0, 1, 100, 70_000, 256 << 10)
LEVELS = (-5, 1, 3, 19)


def _text(length: int) -> bytes:
    """Return text that neither repeats at once nor is random, like typical bodies."""
    rows: list[bytes] = []
    size = 0
    while size < length:
        random = len(rows) * 2_654_435_761 % (1 << 32)
        rows.append(f'{{"id": {len(rows)}, "name": "{random:x}"}}\n'.encode())
        size += len(rows[-1])
    return b"".join(rows)[:length]


def _stream(content: bytes) -> bytes:
    """Return a frame that does not state its length, as servers that compress in pieces send it."""
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    return bytes(sink.getvalue())


@cache
def _texts() -> dict[int, bytes]:
    return {length: _text(length) for length in LENGTHS}


@cache
def _bodies() -> dict[str, bytes]:
    """Return each text at each level and as a stream, by path."""
    bodies = {}
    for length, text in _texts().items():
        for level in LEVELS:
            bodies[f"/{length}/{level}"] = pa.Codec("zstd", level).compress(text, asbytes=True)
        bodies[f"/{length}/stream"] = _stream(text)
    return bodies


class _Server(QuietHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        assert self.headers["Accept-Encoding"] == "zstd"
        body = _bodies()[self.path]
        self.send_response(200)
        self.send_header("Content-Encoding", "zstd")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def test_bodies_of_all_lengths_and_levels_are_decoded(tmp_path: Path) -> None:
    bodies = _bodies()

    def request(path: str) -> dict[str, object]:
        text = _texts()[int(path.split("/")[1])]
        expected = {"body_length": len(text), "body_xxh3": xxhash.xxh3_64_hexdigest(text)}
        return {"path": path, "expect": expected}

    with http_server(_Server) as address:
        endpoint = {"transport": "http1", "address": address, "accept_encoding": ("zstd",)}
        job = one_target(
            Endpoint.model_validate(endpoint),
            tmp_path,
            pacer={"kind": "closed", "clients": 1},
            stop={"transactions": len(bodies)},
            requests=[request(path) for path in bodies],
        )
        result = run_engine(job, tmp_path).only

    assert result.counts.succeeded == len(bodies), result.mismatches
    window = result.bytes.window
    assert window.payload_decoded == (len(LEVELS) + 1) * sum(LENGTHS)
    assert window.payload_received == sum(len(body) for body in bodies.values())
