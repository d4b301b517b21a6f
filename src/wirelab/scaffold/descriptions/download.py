"""Download a description from an address, whose server may send anything, for any time."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from ssl import SSLContext
from typing import Any

import httpx

from wirelab.errors import LabError
from wirelab.lab.network.address import Address
from wirelab.protocol.clients.no_reply import no_reply

LARGEST_BYTES = 64 * 2**20
"""Maximum size of a description, after its content encoding is decoded."""
SILENCE_S = 20.0
"""The time after which a server that sends nothing is given up."""
LONGEST_S = 60.0
"""Maximum duration of a download, however steadily the server sends."""
MOST_REDIRECTS = 5
GZIP = "gzip"
"""The only content encoding that is accepted: 64 KB of it contain at most 64 MB."""
INSTEAD = "check the address, or save the description to a file and give the file"


@dataclass(frozen=True, slots=True)
class Downloaded:
    """A reply with its complete, decoded body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def download(
    url: str,
    verify: SSLContext | bool,
    headers: Mapping[str, str],
    query: Mapping[str, Any] | None = None,
) -> Downloaded:
    """Request a URL by GET, or by POST with a query as JSON; redirects only without `headers`.

    `verify` are the certificates to trust. Raises `LabError` if there is no reply, or if it is
    larger or takes longer than a description does.
    """
    try:
        return asyncio.run(_download(url, verify, headers, query))
    except TimeoutError:
        why = f"its answer is not complete after {LONGEST_S:g} s"
    except httpx.HTTPError as error:
        why = str(no_reply(error))
    except ValueError as error:
        why = str(error)
    raise LabError(f"cannot read {url}: {why}", INSTEAD)


async def _download(
    url: str,
    verify: SSLContext | bool,
    headers: Mapping[str, str],
    query: Mapping[str, Any] | None,
) -> Downloaded:
    async with (
        asyncio.timeout(LONGEST_S),  # httpx's timeout is for each piece
        httpx.AsyncClient(
            headers={"accept-encoding": GZIP, **headers},
            timeout=SILENCE_S,
            trust_env=not Address.parse(url).is_loopback,  # proxies cannot reach this machine
            verify=verify,
        ) as client,
    ):
        request: httpx.Request | None
        request = client.build_request("POST" if query else "GET", url, json=query)
        for _ in range(1 + MOST_REDIRECTS):
            reply = await client.send(request, stream=True)
            request = reply.next_request
            if request is None or headers:  # headers are for this server only
                body = await _body(reply)
                return Downloaded(reply.status_code, dict(reply.headers), body)
            await reply.aclose()  # httpx would read any number of bytes before it redirects
        raise ValueError(f"it redirects more than {MOST_REDIRECTS} times")


async def _body(reply: httpx.Response) -> bytes:
    """Read a body, decoded. Raises `ValueError` if it is too large or cannot be limited."""
    encoding = reply.headers.get("content-encoding", "identity")
    if encoding not in ("identity", GZIP):  # one piece of brotli can contain any number of bytes
        raise ValueError(f"its content encoding is {encoding}, although only {GZIP} is accepted")
    body = bytearray()
    async for piece in reply.aiter_bytes():
        body += piece
        if len(body) > LARGEST_BYTES:
            raise ValueError(
                f"it has more than {LARGEST_BYTES:,} bytes, too many for a description"
            )
    return bytes(body)
