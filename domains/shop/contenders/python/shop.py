"""What one program serves: all of the shop, or one of its three services."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from catalogue import Catalogue, CatalogueService
from checkout import Orders
from store import open_store
from users import Users, UserService


@dataclass(frozen=True)
class Shop:
    """The services of this program, None where another serves it; `any_…` wherever they are."""

    users: Users | None
    catalogue: Catalogue | None
    orders: Orders | None
    any_users: UserService | None
    any_catalogue: CatalogueService | None


@asynccontextmanager
async def open_shop(
    service: str,
    url: str,
    users: UserService | None = None,
    catalogue: CatalogueService | None = None,
) -> AsyncIterator[Shop]:
    """Open what a role names ("all", or one service); peers are asked for what it has not."""
    async with open_store(url) as store:
        own_users = Users(store) if service in {"all", "users"} else None
        any_users = own_users or users
        own_catalogue = None
        if any_users and service in {"all", "catalogue"}:
            own_catalogue = Catalogue(store, any_users)
        any_catalogue = own_catalogue or catalogue
        orders = None
        settling = None
        if any_users and any_catalogue and service in {"all", "orders"}:
            orders = Orders(store, any_users, any_catalogue, together=service == "all")
        if orders and service == "orders":
            settling = asyncio.create_task(orders.settle())
        try:
            yield Shop(own_users, own_catalogue, orders, any_users, any_catalogue)
        finally:
            if settling:
                settling.cancel()
                with suppress(asyncio.CancelledError):
                    await settling
