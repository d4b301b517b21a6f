"""Another service over GraphQL: a pool of connections that are kept, no retries."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from pydantic import TypeAdapter
from pydantic_core import from_json, to_json

from deadline import HEADER, left_s
from refusal import KINDS, Refusal
from types_ import Product, Shipping, User, Wishes

CONNECTIONS = 10
USER: TypeAdapter[User] = TypeAdapter(User)
SHIPPING: TypeAdapter[Shipping] = TypeAdapter(Shipping)
PRODUCTS: TypeAdapter[list[Product]] = TypeAdapter(list[Product])

READ_USER = """query($id: Int!) { user(id: $id) {
  id email name registeredOn addresses { id street city postalCode country } } }"""
RESOLVE_SHIPPING = """query($token: String!, $addressId: Int!) {
  shipping(token: $token, addressId: $addressId) { userId shipTo } }"""
PRODUCTS_BY_ID = """query($ids: [Int!]!) {
  productsById(ids: $ids) { id title description priceCents stock pictures } }"""
RESERVE = """mutation($key: String!, $lines: [WishInput!]!) { reserve(key: $key, lines: $lines) }"""
RELEASE = """mutation($key: String!) { release(key: $key) }"""


@asynccontextmanager
async def open_peer(address: str) -> AsyncIterator["Peer"]:
    """Open the pool for the service at HOST:PORT."""
    connector = aiohttp.TCPConnector(limit=CONNECTIONS)
    timeout = aiohttp.ClientTimeout(total=None)  # deadline.py ends what takes too long
    async with aiohttp.ClientSession(
        f"http://{address}", connector=connector, timeout=timeout
    ) as session:
        # POST is never sent twice by aiohttp.
        yield Peer(session)


class Peer:
    """What other services ask of users and of the catalogue."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    async def read(self, id: int) -> User:
        return USER.validate_python(await self._call("user", READ_USER, id=id))

    async def shipping(self, token: str, address_id: int) -> Shipping:
        found = await self._call("shipping", RESOLVE_SHIPPING, token=token, addressId=address_id)
        return SHIPPING.validate_python(found)

    async def by_id(self, ids: Sequence[int]) -> list[Product]:
        if not ids:
            return []
        found = await self._call("productsById", PRODUCTS_BY_ID, ids=ids)
        return PRODUCTS.validate_python(found)

    async def reserve(self, key: str, wishes: Wishes) -> list[int]:
        lines = [line.model_dump(by_alias=True) for line in wishes.lines]
        return list(await self._call("reserve", RESERVE, key=key, lines=lines))

    async def release(self, key: str) -> None:
        await self._call("release", RELEASE, key=key)

    async def _call(self, field: str, query: str, **variables: object) -> Any:
        body = to_json({"query": query, "variables": variables})
        headers = {
            "content-type": "application/json",
            HEADER: str(max(1, int(left_s() * 1000))),
        }
        try:
            async with self._session.post("/graphql", data=body, headers=headers) as response:
                answered = from_json(await response.read())
        except aiohttp.ClientError as error:
            raise Refusal("unavailable", "another service does not answer") from error
        for error in answered.get("errors", ()):
            reason = error.get("extensions", {}).get("reason")
            if reason in KINDS and reason != "internal":
                raise Refusal(reason, error["message"])
            raise Refusal("unavailable", "another service has failed")
        return answered["data"][field]
