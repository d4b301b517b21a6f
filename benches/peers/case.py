"""The cases: what every generator is asked to do."""

from dataclasses import dataclass
from typing import Literal

Protocol = Literal["http1", "tls", "http2", "grpc", "websocket", "http3"]
Body = Literal["small", "big"]


@dataclass(frozen=True, slots=True)
class Case:
    """One question to all generators.

    Without a rate every client sends its next request when the last one was answered.
    """

    id: str
    title: str
    protocol: Protocol
    body: Body = "small"
    connections: int = 64
    streams: int = 1
    """Requests under way at the same time on every connection."""
    rate_per_s: int | None = None
    """Requests at this rate, against the recorder, instead of as many as possible."""
    hold_us: int = 0
    """How long the recorder keeps every request before it answers."""
    requests: int | None = None
    """As many requests, against the raw server, instead of as many as a time allows."""

    @property
    def clients(self) -> int:
        """How many requests may be under way at the same time."""
        return self.connections * self.streams

    @property
    def rounds(self) -> int | None:
        """How often at most; None: in every round of the session."""
        return 1 if self.requests else None


CASES: tuple[Case, ...] = (
    Case("http1-small", "HTTP/1.1, 64 connections, 130 B", "http1"),
    Case("http1-big", "HTTP/1.1, 64 connections, 3.5 KB", "http1", "big"),
    Case("tls-small", "HTTP/1.1 over TLS 1.3, 64 connections, 130 B", "tls"),
    Case("http2-1x64", "HTTP/2 clear, 1 × 64 streams, 130 B", "http2", connections=1, streams=64),
    Case("grpc-1x64", "gRPC unary, 1 × 64 streams, 75 B", "grpc", connections=1, streams=64),
    Case("grpc-64x1", "gRPC unary, 64 × 1 stream, 75 B", "grpc"),
    Case("grpc-big-64x1", "gRPC unary, 64 × 1 stream, 3.5 KB", "grpc", "big"),
    Case("websocket-small", "WebSocket echo, 64 connections, 130 B", "websocket"),
    Case("websocket-big", "WebSocket echo, 64 connections, 3.5 KB", "websocket", "big"),
    Case("http3-1x64", "HTTP/3, 1 × 64 streams, 130 B", "http3", connections=1, streams=64),
    Case("http3-64x1", "HTTP/3, 64 × 1 stream, 130 B", "http3"),
    Case("schedule", "HTTP/1.1, 10,000/s, answered at once", "http1", rate_per_s=10_000),
    Case(
        "known-delay",
        "HTTP/1.1, 10,000/s, answered after 1 ms",
        "http1",
        rate_per_s=10_000,
        hold_us=1_000,
    ),
    Case("memory", "HTTP/1.1, 10 million requests", "http1", requests=10_000_000),
)
