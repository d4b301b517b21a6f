"""Taking stock from the shelves, and giving it back."""

from collections.abc import Sequence

from asyncpg import Connection

from refusal import Refusal
from store import Store
from types_ import StockCount, Wish

OF_LINES = " FROM unnest($1::int[], $2::int[]) AS line (product_id, quantity) WHERE id = product_id"


async def take(connection: Connection, lines: Sequence[Wish]) -> list[int]:
    """Take all that is wanted and return the unit prices, or refuse."""
    ids, quantities = columns(lines)
    # In the order of their ids, so that no two checkouts wait for one another.
    rows = await connection.fetch(
        "SELECT id, price_cents, stock FROM products WHERE id = ANY($1::int[])"
        " ORDER BY id FOR UPDATE",
        ids,
    )
    products = {row["id"]: row for row in rows}
    for line in lines:
        if line.product_id not in products:
            raise Refusal("not_found", f"there is no product {line.product_id}")
    for line in lines:
        if products[line.product_id]["stock"] < line.quantity:
            raise Refusal(
                "out_of_stock", f"there are not {line.quantity} of product {line.product_id}"
            )
    await connection.execute(
        f"UPDATE products SET stock = stock - quantity{OF_LINES}", ids, quantities
    )
    return [products[id]["price_cents"] for id in ids]


def columns(lines: Sequence[Wish]) -> tuple[list[int], list[int]]:
    """Return what is wanted, and how much of it."""
    return [line.product_id for line in lines], [line.quantity for line in lines]


async def reserve(store: Store, key: str, lines: Sequence[Wish]) -> list[int]:
    """Take stock for a checkout of another service, once for each key."""
    ids, quantities = columns(lines)
    async with store.acquire() as connection, connection.transaction():
        made = await connection.execute(
            "INSERT INTO reservations (key, state, product_ids, quantities)"
            " VALUES ($1, 'reserved', $2, $3) ON CONFLICT DO NOTHING",
            key,
            ids,
            quantities,
        )
        if made == "INSERT 0 0":
            raise Refusal("out_of_stock", f"the reservation {key} was made or released before")
        return await take(connection, lines)


async def release(store: Store, key: str) -> None:
    """Give back what was reserved, once for each key.

    The key stays released, so that a reservation that was under way for too long comes to nothing.
    """
    async with store.acquire() as connection, connection.transaction():
        released = await connection.fetchrow(
            "INSERT INTO reservations (key, state, product_ids, quantities)"
            " VALUES ($1, 'released', '{}', '{}')"
            " ON CONFLICT (key) DO UPDATE SET state = 'released'"
            " WHERE reservations.state = 'reserved' RETURNING product_ids, quantities",
            key,
        )
        if released is None or not released["product_ids"]:
            return
        ids = released["product_ids"]
        await connection.execute(
            "SELECT FROM products WHERE id = ANY($1::int[]) ORDER BY id FOR UPDATE", ids
        )
        await connection.execute(
            f"UPDATE products SET stock = stock + quantity{OF_LINES}", ids, released["quantities"]
        )


async def count(store: Store, counts: Sequence[StockCount]) -> int:
    """Set the stock of products, all of them or none."""
    last = {counted.product_id: counted.stock for counted in counts}  # one may be counted twice
    async with store.acquire() as connection, connection.transaction():
        found = await connection.fetch(
            "SELECT id FROM products WHERE id = ANY($1::int[]) ORDER BY id FOR UPDATE", list(last)
        )
        if len(found) < len(last):
            raise Refusal("not_found", f"{len(last) - len(found)} of the products are none")
        await connection.execute(
            f"UPDATE products SET stock = quantity{OF_LINES}", list(last), list(last.values())
        )
    return len(counts)
