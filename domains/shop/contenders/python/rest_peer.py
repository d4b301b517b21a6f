"""Another service over REST: a pool of connections that are kept, no retries."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar
from urllib.parse import quote

import aiohttp
from pydantic import TypeAdapter
from pydantic_core import from_json, to_json

from deadline import HEADER, left_s
from refusal import Kind, Refusal
from rest_body import STATUS
from types_ import Product, Shipping, User, Wishes

CONNECTIONS = 10
KINDS: dict[int, Kind] = {
    status.value: kind for kind, status in STATUS.items() if kind != "internal"
}
USER: TypeAdapter[User] = TypeAdapter(User)
SHIPPING: TypeAdapter[Shipping] = TypeAdapter(Shipping)
PRODUCTS: TypeAdapter[list[Product]] = TypeAdapter(list[Product])

Answer = TypeVar("Answer")


@asynccontextmanager
async def open_peer(address: str) -> AsyncIterator["Peer"]:
    """Open the pool for the service at HOST:PORT."""
    connector = aiohttp.TCPConnector(limit=CONNECTIONS)
    timeout = aiohttp.ClientTimeout(total=None)  # deadline.py ends what takes too long
    async with aiohttp.ClientSession(
        f"http://{address}", connector=connector, timeout=timeout
    ) as session:
        # aiohttp would send idempotent requests a second time where a kept connection was closed.
        session._retry_connection = False
        yield Peer(session)


class Peer:
    """What other services ask of users and of the catalogue."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    async def read(self, id: int) -> User:
        return USER.validate_python(await self._call("GET", f"/users/{id}"))

    async def shipping(self, token: str, address_id: int) -> Shipping:
        asked = {"token": token, "addressId": address_id}
        return SHIPPING.validate_python(await self._call("POST", "/shipping", asked))

    async def by_id(self, ids: Sequence[int]) -> list[Product]:
        if not ids:
            return []
        found = await self._call("GET", f"/products?ids={','.join(map(str, ids))}")
        return PRODUCTS.validate_python(found["products"])

    async def reserve(self, key: str, wishes: Wishes) -> list[int]:
        lines = {"lines": [line.model_dump(by_alias=True) for line in wishes.lines]}
        prices = await self._call("PUT", f"/reservations/{quote(key, safe='')}", lines)
        return list(prices["unitPricesCents"])

    async def release(self, key: str) -> None:
        await self._call("DELETE", f"/reservations/{quote(key, safe='')}")

    async def _call(self, method: str, path: str, asked: object = None) -> Any:
        headers = {"accept": "application/json", HEADER: str(max(1, int(left_s() * 1000)))}
        body = None
        if asked is not None:
            headers["content-type"] = "application/json"
            body = to_json(asked)
        try:
            async with self._session.request(method, path, data=body, headers=headers) as response:
                answered = from_json(await response.read())
        except aiohttp.ClientError as error:
            raise Refusal("unavailable", "another service does not answer") from error
        if response.status < 400:
            return answered
        if response.status in KINDS:
            raise Refusal(KINDS[response.status], answered["detail"])
        raise Refusal("unavailable", "another service has failed")
