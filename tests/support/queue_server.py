"""A server of known capacity: `python queue_server.py PORT SLOTS SERVICE_MS [WAY …]`.

So many requests are served at once, each for so long; the others wait their turn. Ways: `after=N`
and `factor=F` multiply the service time from the Nth request on, `refuse` answers 503 where a turn
would have to be waited for, `breaks=N` always from the Nth request on.
"""

import asyncio
import sys
from contextlib import suppress

PORT, SLOTS, SERVICE_S = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]) / 1000
WAYS = dict(way.partition("=")[::2] for way in sys.argv[4:])
FINE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
FULL = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"


class Queue:
    """Serves requests in their turn."""

    def __init__(self) -> None:
        self.turns = asyncio.Semaphore(SLOTS)
        self.requests = 0

    async def answer(self) -> bytes:
        """Serve one request."""
        self.requests += 1
        changed = self.requests > int(WAYS.get("after", "1000000000"))
        is_broken = self.requests > int(WAYS.get("breaks", "1000000000"))
        if is_broken or ("refuse" in WAYS and self.turns.locked()):
            return FULL
        async with self.turns:
            await asyncio.sleep(SERVICE_S * (float(WAYS["factor"]) if changed else 1.0))
        return FINE

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection to its end."""
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                await reader.readuntil(b"\r\n\r\n")
                writer.write(await self.answer())
                await writer.drain()
        writer.close()


async def main() -> None:
    """Serve for ever."""
    server = await asyncio.start_server(Queue().serve, "127.0.0.1", PORT)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
