"""PostgreSQL: a pool of connections, for one of which nothing waits longer than five seconds."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import asyncpg

from refusal import Refusal

POOL_SIZE = 10
POOL_WAIT_S = 5.0
CONNECT_TIMEOUT_S = 5.0


class Store:
    """The pool, which itself has no such limit. Each statement is prepared once a connection."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    def acquire(self) -> AbstractAsyncContextManager[asyncpg.Connection]:
        """Lend a connection for a block; a clock is only needed if none is free."""
        return self._pool.acquire() if self._pool.get_idle_size() else self._awaited()

    @asynccontextmanager
    async def _awaited(self) -> AsyncIterator[asyncpg.Connection]:
        try:
            async with asyncio.timeout(POOL_WAIT_S):
                connection = await self._pool.acquire()
        except TimeoutError:
            raise Refusal("unavailable", "every connection to the store is in use") from None
        try:
            yield connection
        finally:
            await self._pool.release(connection)

    async def fetch(self, statement: str, *values: object) -> list[asyncpg.Record]:
        """Return all rows."""
        async with self.acquire() as connection:
            return await connection.fetch(statement, *values)

    async def fetchrow(self, statement: str, *values: object) -> asyncpg.Record | None:
        """Return the first row, if there is one."""
        async with self.acquire() as connection:
            return await connection.fetchrow(statement, *values)

    async def fetchval(self, statement: str, *values: object) -> Any:
        """Return the first value of the first row, if there is one."""
        async with self.acquire() as connection:
            return await connection.fetchval(statement, *values)

    async def execute(self, statement: str, *values: object) -> str:
        """Return what was done, as PostgreSQL says it: "INSERT 0 1"."""
        async with self.acquire() as connection:
            return await connection.execute(statement, *values)


async def _as_it_is(_: asyncpg.Connection) -> None:
    """Take a connection back without a statement: nothing here leaves anything behind on it."""


@asynccontextmanager
async def open_store(url: str) -> AsyncIterator[Store]:
    """Open the pool with all of its connections."""
    async with asyncpg.create_pool(
        url,
        min_size=POOL_SIZE,
        max_size=POOL_SIZE,
        timeout=CONNECT_TIMEOUT_S,
        reset=_as_it_is,
    ) as pool:
        try:
            yield Store(pool)
        finally:
            pool.terminate()
