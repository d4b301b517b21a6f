"""Relays between the services of a contender: they count requests and bytes, and delay answers.

Requests are counted on the wire: heads of HTTP/1.1, streams that a client of HTTP/2 opens. So
services need no instrumentation, and requests that a library sends by itself are counted, too.
"""

import asyncio
import threading
from collections.abc import Callable, Collection, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

from wirelab.lab.environments.environment import LOOPBACK

PREFACE = b"PRI * HTTP/2.0\r\n\r\n"
REST_OF_PREFACE = b"SM\r\n\r\n"
FRAME_HEAD = 9
HEADERS = 1
STREAM_BITS = 0x7FFF_FFFF
PIECE = 65536
START_LIMIT_S = 10.0
GONE = (OSError, EOFError, asyncio.CancelledError)

Edge = tuple[str, str]
"""The calling service, and the called one."""
Result = TypeVar("Result")


@dataclass(slots=True)
class Passed:
    """The traffic between two services: requests, and bytes of the TCP streams by direction."""

    calls: int = 0
    sent: int = 0
    received: int = 0


@dataclass
class Relays:
    """One listening port for each pair of services. A context manager, which closes them."""

    passed: dict[Edge, Passed] = field(default_factory=dict)
    delays_s: dict[str, float] = field(default_factory=dict)
    """The delay of each part of an answer, by the service that sends it."""
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    _servers: list[asyncio.Server] = field(default_factory=list)

    def between(self, caller: str, service: str, address: str) -> str:
        """Start a relay in front of a service at "host:port"; return the relay's address."""
        passed = self.passed.setdefault((caller, service), Passed())
        host, _, port = address.rpartition(":")

        def delay_s() -> float:
            return self.delays_s.get(service, 0.0)

        async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with suppress(asyncio.CancelledError):  # at the end; asyncio would print a traceback
                await _connect(reader, writer, (host, int(port)), passed, delay_s)

        async def listen() -> int:
            server = await asyncio.start_server(meet, LOOPBACK, 0)
            self._servers.append(server)
            port: int = server.sockets[0].getsockname()[1]
            return port

        return f"{LOOPBACK}:{self._do(listen())}"

    def take(self) -> dict[Edge, Passed]:
        """Return the traffic since the last call."""

        async def taken() -> dict[Edge, Passed]:
            since = {
                edge: Passed(traffic.calls, traffic.sent, traffic.received)
                for edge, traffic in passed.items()
            }
            for traffic in passed.values():
                traffic.calls = traffic.sent = traffic.received = 0
            return since

        passed = self.passed
        return self._do(taken())

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._run, name="relays", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _do(self, work: Coroutine[Any, Any, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(START_LIMIT_S)

    def _run(self) -> None:
        self._loop.run_forever()
        for server in self._servers:
            server.close()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(_ended(tasks))
        self._loop.close()


async def _ended(tasks: Collection[asyncio.Task[Any]]) -> None:
    """Wait until tasks have ended, and their connections are closed."""
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.sleep(0)


async def _connect(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    target: tuple[str, int],
    passed: Passed,
    delay_s: Callable[[], float],
) -> None:
    """Forward one connection in both directions until either side ends it."""
    try:
        up_reader, up_writer = await asyncio.open_connection(*target)
    except OSError:
        writer.close()
        return
    seen = asyncio.StreamReader()

    def sent(piece: bytes) -> None:
        passed.sent += len(piece)
        seen.feed_data(piece)

    def received(piece: bytes) -> None:
        passed.received += len(piece)

    counting = asyncio.create_task(_count(seen, passed))
    forward = _pump(reader, up_writer, sent)
    try:
        await asyncio.gather(forward, _pump(up_reader, writer, received, delay_s))
    finally:
        counting.cancel()


async def _pump(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    note: Callable[[bytes], None],
    delay_s: Callable[[], float] = lambda: 0.0,
) -> None:
    """Forward data, and count them first, so that a received answer has been counted."""
    with suppress(*GONE):
        while piece := await reader.read(PIECE):
            note(piece)
            await asyncio.sleep(delay_s())
            writer.write(piece)
            await writer.drain()
    with suppress(OSError):
        writer.close()


async def _count(seen: asyncio.StreamReader, passed: Passed) -> None:
    """Count the requests of one connection; other protocols than HTTP/1.1 and HTTP/2 have none."""
    with suppress(EOFError, ValueError, asyncio.LimitOverrunError):
        head = await seen.readuntil(b"\r\n\r\n")
        if head == PREFACE:
            await seen.readexactly(len(REST_OF_PREFACE))
            await _count_streams(seen, passed)
        while True:
            passed.calls += 1
            await _skip_body(seen, head)
            head = await seen.readuntil(b"\r\n\r\n")


async def _count_streams(seen: asyncio.StreamReader, passed: Passed) -> None:
    """Count the streams that a client of HTTP/2 opens, whose ids ascend."""
    newest = 0
    while True:
        head = await seen.readexactly(FRAME_HEAD)
        stream = int.from_bytes(head[5:]) & STREAM_BITS
        await seen.readexactly(int.from_bytes(head[:3]))
        if head[3] == HEADERS and stream > newest:
            newest = stream
            passed.calls += 1


async def _skip_body(seen: asyncio.StreamReader, head: bytes) -> None:
    """Skip the body of a request of HTTP/1.1."""
    lines = (line.partition(b":") for line in head.lower().split(b"\r\n")[1:])
    fields = {name.strip(): value.strip() for name, _, value in lines}
    if fields.get(b"transfer-encoding", b"").endswith(b"chunked"):
        while size := int((await seen.readuntil(b"\r\n")).partition(b";")[0], 16):
            await seen.readexactly(size + 2)
        while (await seen.readuntil(b"\r\n")).strip():
            pass
    else:
        await seen.readexactly(int(fields.get(b"content-length", b"0")))
