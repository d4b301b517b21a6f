"""The service of the catalogue over its store."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from typing import Any, Protocol

import stock
from deadline import DEFAULT_S, within
from refusal import Refusal
from store import Store
from types_ import (
    Page,
    Product,
    ProductEvent,
    ProductInput,
    Quote,
    Review,
    ReviewInput,
    StockCount,
    Watch,
    Wish,
    Wishes,
)
from users import UserService

REVIEWS_SHOWN = 5
EVENTS_AT_ONCE = 200
PRODUCT = "id, title, description, price_cents, stock, pictures"
REVIEW = "id, product_id, user_id, rating, headline, body, written_on::text"

# Events get their ids in the order in which they are committed: the lock is held from before the id
# is drawn until the transaction ends.
ADD_EVENT = (
    "INSERT INTO product_events (product_id, kind, price_cents, stock)"
    " SELECT $1, $2, $3, $4 FROM pg_advisory_xact_lock(13)"
)


class CatalogueService(Protocol):
    """What other services ask of this one."""

    async def by_id(self, ids: Sequence[int]) -> list[Product]: ...

    async def reserve(self, key: str, wishes: Wishes) -> list[int]: ...

    async def release(self, key: str) -> None: ...


class Catalogue:
    """Products, their reviews, their stock, and what happened to them."""

    def __init__(self, store: Store, users: UserService) -> None:
        self._store = store
        self._users = users
        self._news = asyncio.Event()

    async def page(self, page: Page) -> list[Product]:
        rows = await self._store.fetch(
            f"SELECT {PRODUCT} FROM products WHERE id > $1 ORDER BY id LIMIT $2",
            page.after,
            page.limit,
        )
        return [Product(**row) for row in rows]

    async def by_id(self, ids: Sequence[int]) -> list[Product]:
        rows = await self._store.fetch(
            f"SELECT {PRODUCT} FROM products WHERE id = ANY($1::int[]) ORDER BY id", ids
        )
        return [Product(**row) for row in rows]

    async def read(self, id: int) -> Product:
        row = await self._store.fetchrow(f"SELECT {PRODUCT} FROM products WHERE id = $1", id)
        return Product(**_found(row, "product"))

    async def with_reviews(self, products: Sequence[Product]) -> None:
        """Put the newest reviews into products, by one statement for all of them."""
        lists = await self.reviews_of([product.id for product in products], REVIEWS_SHOWN)
        for product, reviews in zip(products, lists, strict=True):
            product.reviews = reviews

    async def create(self, product: ProductInput) -> Product:
        return await self._change(
            "created",
            "INSERT INTO products (title, description, price_cents, stock, pictures)"
            f" VALUES ($1, $2, $3, $4, $5) RETURNING {PRODUCT}",
            *_values(product),
        )

    async def update(self, id: int, product: ProductInput) -> Product:
        return await self._change(
            "changed",
            "UPDATE products SET title = $2, description = $3, price_cents = $4, stock = $5,"
            f" pictures = $6 WHERE id = $1 RETURNING {PRODUCT}",
            id,
            *_values(product),
        )

    async def delete(self, id: int) -> int:
        await self._change("deleted", f"DELETE FROM products WHERE id = $1 RETURNING {PRODUCT}", id)
        return id

    async def _change(self, kind: str, statement: str, *values: object) -> Product:
        """Carry out a statement about one product and add what happened to the events."""
        async with self._store.acquire() as connection, connection.transaction():
            product = Product(**_found(await connection.fetchrow(statement, *values), "product"))
            await connection.execute(
                ADD_EVENT, product.id, kind, product.price_cents, product.stock
            )
        self._news.set()
        self._news = asyncio.Event()
        return product

    async def reviews_of(self, products: Sequence[int], limit: int) -> list[list[Review]]:
        """Return the newest reviews of each product."""
        rows = await self._store.fetch(
            "SELECT review.* FROM unnest($1::int[]) AS product (id) CROSS JOIN LATERAL"
            f" (SELECT {REVIEW} FROM reviews WHERE product_id = product.id"
            " ORDER BY id DESC LIMIT $2) AS review",
            products,
            limit,
        )
        groups = defaultdict(list)
        for row in rows:
            groups[row["product_id"]].append(Review(**row))
        return [groups[product] for product in products]

    async def read_review(self, id: int) -> Review:
        row = await self._store.fetchrow(f"SELECT {REVIEW} FROM reviews WHERE id = $1", id)
        return Review(**_found(row, "review"))

    async def create_review(self, product_id: int, user_id: int, review: ReviewInput) -> Review:
        """Add a review; the service of users is asked whether there is the user."""
        async with within(DEFAULT_S):
            await self._users.read(user_id)
            row = await self._store.fetchrow(
                "INSERT INTO reviews (product_id, user_id, rating, headline, body)"
                " SELECT id, $2, $3, $4, $5 FROM products WHERE id = $1 FOR KEY SHARE"
                f" RETURNING {REVIEW}",
                product_id,
                user_id,
                review.rating,
                review.headline,
                review.body,
            )
        return Review(**_found(row, "product"))

    async def update_review(self, id: int, review: ReviewInput) -> Review:
        row = await self._store.fetchrow(
            "UPDATE reviews SET rating = $2, headline = $3, body = $4 WHERE id = $1"
            f" RETURNING {REVIEW}",
            id,
            review.rating,
            review.headline,
            review.body,
        )
        return Review(**_found(row, "review"))

    async def delete_review(self, id: int) -> int:
        row = await self._store.fetchrow("DELETE FROM reviews WHERE id = $1 RETURNING id", id)
        _found(row, "review")
        return id

    async def reserve(self, key: str, wishes: Wishes) -> list[int]:
        return await stock.reserve(self._store, key, wishes.lines)

    async def release(self, key: str) -> None:
        await stock.release(self._store, key)

    async def count_stock(self, counts: Sequence[StockCount]) -> int:
        """Set the stock of products as they were counted, all of them or none."""
        return await stock.count(self._store, counts)

    async def quote(self, wish: Wish) -> Quote:
        """Say whether something can be had now, and for how much."""
        product = await self.read(wish.product_id)
        available = product.stock >= wish.quantity
        return Quote(wish.product_id, wish.quantity, product.price_cents, available)

    async def watch(self, watch: Watch) -> AsyncIterator[ProductEvent]:
        """Yield events in their order, those that have not happened yet when they do."""
        after, left = watch.after, watch.count
        while left:
            news = self._news  # before the store is asked, so that nothing is missed
            rows = await self._store.fetch(
                "SELECT id, product_id, kind, price_cents, stock FROM product_events"
                " WHERE id > $1 ORDER BY id LIMIT $2",
                after,
                min(left, EVENTS_AT_ONCE),
            )
            for row in rows:
                yield ProductEvent(**row)
                after, left = row["id"], left - 1
            if not rows:
                await news.wait()


def _values(product: ProductInput) -> tuple[object, ...]:
    return (
        product.title,
        product.description,
        product.price_cents,
        product.stock,
        product.pictures,
    )


def _found(row: Any, what: str) -> dict[str, Any]:
    if row is None:
        raise Refusal("not_found", f"there is no such {what}")
    found: dict[str, Any] = row
    return found
