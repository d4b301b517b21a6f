"""What a GraphQL request loads: many keys by one statement, or without a remedy one each."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from refusal import not_served
from shop import Shop
from types_ import Product

Load = Callable[[Any], Awaitable[Any]]
Fetch = Callable[[Sequence[Any]], Awaitable[list[Any]]]


class Loaders:
    """The loads of one request; `loader` is the framework's class of data loaders."""

    def __init__(self, shop: Shop, loader: Any, *, batching: bool) -> None:
        def load_by(fetch: Fetch) -> Load:
            if batching:
                made: Load = loader(fetch).load
                return made

            async def one(key: Any) -> Any:
                [value] = await fetch([key])
                return value

            return one

        self.reviews: Load = _missing
        self.orders: Load = _missing
        self.lines: Load = _missing
        self.product: Load = _missing
        if shop.catalogue:
            self.reviews = load_by(_counted(shop.catalogue.reviews_of))
        if shop.orders:
            self.orders = load_by(_counted(shop.orders.heads_of))
            self.lines = load_by(shop.orders.lines_of)
        if shop.any_catalogue:
            by_id = shop.any_catalogue.by_id

            async def products(ids: Sequence[int]) -> list[Product | None]:
                found = {product.id: product for product in await by_id(ids)}
                return [found.get(id) for id in ids]

            self.product = load_by(products)


async def _missing(_: object) -> None:
    raise not_served()


def _counted(fetch: Callable[[Sequence[int], int], Awaitable[list[Any]]]) -> Fetch:
    """Load so many of each key; keys that want another number are loaded apart."""

    async def load(keys: Sequence[tuple[int, int]]) -> list[Any]:
        values: dict[tuple[int, int], Any] = {}
        for limit in {limit for _, limit in keys}:
            ids = [id for id, wanted in keys if wanted == limit]
            lists = await fetch(ids, limit)
            values |= {(id, limit): found for id, found in zip(ids, lists, strict=True)}
        return [values[key] for key in keys]

    return load
