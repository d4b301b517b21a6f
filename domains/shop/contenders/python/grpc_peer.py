"""Another service over gRPC: one channel, no retries, what is left of the deadline in each call."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import grpc
import shop_pb2 as pb
import shop_pb2_grpc as services

from deadline import left_s
from refusal import Kind, Refusal
from types_ import Address, Product, Shipping, User, Wishes

KINDS: dict[grpc.StatusCode, Kind] = {
    grpc.StatusCode.NOT_FOUND: "not_found",
    grpc.StatusCode.INVALID_ARGUMENT: "invalid",
    grpc.StatusCode.UNAUTHENTICATED: "unauthenticated",
    grpc.StatusCode.FAILED_PRECONDITION: "out_of_stock",
    grpc.StatusCode.DEADLINE_EXCEEDED: "too_late",
}


@asynccontextmanager
async def open_peer(address: str) -> AsyncIterator["Peer"]:
    """Open the channel to the service at HOST:PORT."""
    options = [("grpc.enable_retries", 0), ("grpc.enable_http_proxy", 0)]
    # A service that comes back is found again soon, and not after two minutes.
    options += [("grpc.initial_reconnect_backoff_ms", 200), ("grpc.max_reconnect_backoff_ms", 1000)]
    async with grpc.aio.insecure_channel(address, options=options) as channel:
        yield Peer(channel)


class Peer:
    """What other services ask of users and of the catalogue."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._users = services.UsersStub(channel)
        self._catalogue = services.CatalogueStub(channel)

    async def read(self, id: int) -> User:
        found = await _call(self._users.ReadUser, pb.Id(id=id))
        addresses = [
            Address(it.id, it.street, it.city, it.postal_code, it.country) for it in found.addresses
        ]
        return User(found.id, found.email, found.name, found.registered_on, addresses)

    async def shipping(self, token: str, address_id: int) -> Shipping:
        asked = pb.ShippingRequest(token=token, address_id=address_id)
        found = await _call(self._users.ResolveShipping, asked)
        return Shipping(found.user_id, found.ship_to)

    async def by_id(self, ids: Sequence[int]) -> list[Product]:
        if not ids:
            return []
        found = await _call(self._catalogue.ProductsById, pb.Ids(ids=ids))
        return [
            Product(it.id, it.title, it.description, it.price_cents, it.stock, list(it.pictures))
            for it in found.products
        ]

    async def reserve(self, key: str, wishes: Wishes) -> list[int]:
        lines = [
            pb.Wish(product_id=line.product_id, quantity=line.quantity) for line in wishes.lines
        ]
        reserved = await _call(self._catalogue.Reserve, pb.Reservation(key=key, lines=lines))
        return list(reserved.unit_prices_cents)

    async def release(self, key: str) -> None:
        await _call(self._catalogue.Release, pb.ReleaseRequest(key=key))


async def _call(method: Callable[..., Awaitable[Any]], asked: Any) -> Any:
    try:
        return await method(asked, timeout=left_s())
    except grpc.aio.AioRpcError as error:
        if error.code() in KINDS:
            raise Refusal(KINDS[error.code()], error.details() or "") from error
        raise Refusal("unavailable", "another service does not answer") from error
