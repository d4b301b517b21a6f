"""Connections of browsers: those that send no whole request must not keep others out."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_S = 10.0
"""Time limit for a request to arrive, from its connection or its first byte."""

MOST_CONNECTIONS = 200
"""Beyond this, a new connection takes the place of the one that has waited longest."""


class LimitedConnection(H11Protocol):
    """HTTP/1.1; ends if its client neither sends a request nor reads the response."""

    _late: asyncio.TimerHandle | None = None
    _began_s = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Make room, and wait for a request."""
        super().connection_made(transport)
        self._began_s = self.loop.time()
        self._expect_request()
        others = (
            it for it in self.connections if isinstance(it, LimitedConnection) and it is not self
        )
        waiting = [each for each in others if each.waits_for_client]
        if waiting and len(self.connections) >= MOST_CONNECTIONS:
            oldest = min(waiting, key=lambda each: each._began_s)
            self.connections.discard(oldest)
            oldest.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        super().data_received(data)
        if self._is_answering:
            self._expect_nothing()
        elif self._late is None:
            self._expect_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._expect_nothing()
        super().connection_lost(exc)

    @property
    def waits_for_client(self) -> bool:
        """Whether its client has to send a request, or to read the response."""
        return not self._is_answering or self.flow.write_paused

    @property
    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _expect_request(self) -> None:
        self._late = self.loop.call_later(REQUEST_S, self.transport.abort)

    def _expect_nothing(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
