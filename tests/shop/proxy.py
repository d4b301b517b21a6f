"""Something between two services that counts the requests, and can be slow or silent.

Requests are counted on the wire: request lines of HTTP/1.1, HEADERS frames of HTTP/2. No line of it
is shared with what is counted.
"""

import asyncio
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

REQUEST_LINE = re.compile(rb"^(GET|POST|PUT|DELETE) (\S+) HTTP/1\.1\r\n", re.MULTILINE)
DEADLINE = re.compile(rb"^x-request-timeout-ms: (\d+)\r\n", re.MULTILINE | re.IGNORECASE)
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADERS = 1


class Proxy:
    """One listening port, one service behind it."""

    def __init__(self) -> None:
        self.port = 0
        self.target = ("127.0.0.1", 0)
        self.calls = 0
        self.connections = 0
        self.bytes_back = 0
        self.deadlines_ms: list[int] = []
        self.delay_s = 0.0
        """Before each piece of an answer goes back."""

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            up_reader, up_writer = await asyncio.open_connection(*self.target)
        except OSError:
            writer.close()
            return
        try:
            await asyncio.gather(self._forward(reader, up_writer), self._back(up_reader, writer))
        except OSError:
            pass
        finally:
            for each in (writer, up_writer):
                with suppress(OSError):
                    each.close()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        frames: bytearray | None = None
        first = True
        while piece := await reader.read(65536):
            if first and piece.startswith(PREFACE[:3]):
                while len(piece) < len(PREFACE):
                    piece += await reader.read(65536)
                frames = bytearray(piece[len(PREFACE) :])
            elif frames is not None:
                frames += piece
            first = False
            if frames is None:
                self.calls += len(REQUEST_LINE.findall(piece))
                self.deadlines_ms += map(int, DEADLINE.findall(piece))
            else:
                self.calls += _headers(frames)
            writer.write(piece)
            await writer.drain()
        writer.close()

    async def _back(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(65536):
            self.bytes_back += len(piece)
            if self.delay_s:
                await asyncio.sleep(self.delay_s)
            writer.write(piece)
            await writer.drain()
        writer.close()


def _headers(frames: bytearray) -> int:
    """Take the whole frames away and count those that begin a request."""
    count = 0
    while len(frames) >= 9:
        length = int.from_bytes(frames[:3], "big")
        if len(frames) < 9 + length:
            break
        count += frames[3] == HEADERS
        del frames[: 9 + length]
    return count


@contextmanager
def proxies(count: int) -> Iterator[list[Proxy]]:
    """Run this number of them for as long as the block lasts."""
    made = [Proxy() for _ in range(count)]
    loop = asyncio.new_event_loop()
    ready = threading.Event()

    async def serve() -> None:
        for proxy in made:
            server = await asyncio.start_server(proxy._serve, "127.0.0.1", 0)
            proxy.port = server.sockets[0].getsockname()[1]
        ready.set()

    def run() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(serve())
        loop.run_forever()
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0.05))
        loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield made
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
