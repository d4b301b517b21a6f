"""How long a client waits: what is done for it ends then, and calls to peers carry what is left."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar

DEFAULT_S = 2.0
"""How long another service is waited for, where the client does not say."""

HEADER = "x-request-timeout-ms"

_ends_at: ContextVar[float | None] = ContextVar("ends_at", default=None)


@asynccontextmanager
async def within(seconds: float) -> AsyncIterator[None]:
    """Bound a block; an earlier end stays. Raises `TimeoutError`."""
    known = _ends_at.get()
    ends = asyncio.get_running_loop().time() + seconds
    ends = ends if known is None else min(ends, known)
    token = _ends_at.set(ends)
    try:
        async with asyncio.timeout_at(ends):
            yield
    finally:
        _ends_at.reset(token)


def left_s() -> float:
    """Return the seconds that are left."""
    ends = _ends_at.get()
    return DEFAULT_S if ends is None else max(0.001, ends - asyncio.get_running_loop().time())
