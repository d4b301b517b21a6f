"""A server that answers each request at once with the same page of JSON.

    python -m benches.noise.page_server ITEMS

It prints its port on 127.0.0.1. `wirelab-load null` answers no JSON from which a value could be
taken.
"""

import asyncio
import json
import sys


class Answering(asyncio.Protocol):
    """One connection; requests have no bodies."""

    answer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep what answers are written to."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer as many requests as end in these bytes."""
        self.transport.write(self.answer * data.count(b"\r\n\r\n"))


def page(items: int) -> bytes:
    """Return the JSON of a page, which ends with the cursor of the next one."""
    found = [
        {"id": number, "name": f"item {number:03}", "price": number / 8, "tags": ["new", "sold"]}
        for number in range(items)
    ]
    return json.dumps({"items": found, "next": 17}).encode()


async def serve(body: bytes) -> None:
    """Serve until the process ends."""
    Answering.answer = (
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
    ) % (len(body), body)
    server = await asyncio.get_running_loop().create_server(Answering, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(page(int(sys.argv[1]))))
