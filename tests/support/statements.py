"""A wire between a contender and PostgreSQL that counts the statements and connections."""

import asyncio
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit, urlunsplit

ENCRYPTION_REQUESTS = {80877103, 80877104}  # SSLRequest and GSSENCRequest: no start-up yet
BLOCK_BYTES = 1 << 16
EXECUTE, SIMPLE_QUERY = b"E", b"Q"


class StatementCounter:
    """Listens in front of the server of a URL; `url` is the same database through the wire."""

    def __init__(self, store_url: str) -> None:
        self._target = urlsplit(store_url)
        self._count = 0
        self._connections = 0
        self.most_connections = 0
        self.url = ""

    def take(self) -> int:
        """Return how many statements were sent since the last time."""
        count, self._count = self._count, 0
        return count

    async def listen(self) -> asyncio.Server:
        """Listen on a free port."""
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        account, at, _ = self._target.netloc.rpartition("@")
        self.url = urlunsplit(self._target._replace(netloc=f"{account}{at}127.0.0.1:{port}"))
        return server

    async def _connected(
        self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter
    ) -> None:
        host, port = self._target.hostname, self._target.port
        server, to_server = await asyncio.open_connection(host, port)
        answers = asyncio.create_task(_copy(server, to_client))
        self._connections += 1
        self.most_connections = max(self.most_connections, self._connections)
        with suppress(asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            await self._requests(client, to_server)
        self._connections -= 1
        to_server.close()
        answers.cancel()
        to_client.close()

    async def _requests(self, client: asyncio.StreamReader, server: asyncio.StreamWriter) -> None:
        code = next(iter(ENCRYPTION_REQUESTS))
        while code in ENCRYPTION_REQUESTS:  # messages before the start-up is over have no kind
            head = await client.readexactly(8)
            length, code = struct.unpack("!II", head)
            server.write(head + await client.readexactly(length - 8))
        begun = b""
        # A statement takes five messages or so, which are passed on as they come: together.
        while block := await client.read(BLOCK_BYTES):
            server.write(block)
            begun = self._counted(begun + block)
            await server.drain()

    def _counted(self, messages: bytes) -> bytes:
        """Count the statements among complete messages; return what comes after these."""
        at = 0
        while len(messages) - at >= 5:
            end = at + 1 + int.from_bytes(messages[at + 1 : at + 5], "big")
            if end > len(messages):
                break
            self._count += _is_statement(messages[at : at + 1], messages[at + 5 : end])
            at = end
        return messages[at:]


def _is_statement(kind: bytes, body: bytes) -> bool:
    """Tell statements from a pool's question whether a connection is alive: only a comment."""
    return kind == EXECUTE or (kind == SIMPLE_QUERY and not body.startswith(b"--"))


async def _copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while block := await source.read(BLOCK_BYTES):
        sink.write(block)
        await sink.drain()


@contextmanager
def counting(store_url: str) -> Iterator[StatementCounter]:
    """Run a counter in a separate thread."""
    counter = StatementCounter(store_url)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        server = asyncio.run_coroutine_threadsafe(counter.listen(), loop).result()
        try:
            yield counter
        finally:
            loop.call_soon_threadsafe(server.close)
    finally:
        asyncio.run_coroutine_threadsafe(_end_all(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _end_all() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
