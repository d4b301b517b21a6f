"""The service of orders over its store and the two other services."""

from collections import defaultdict
from collections.abc import Sequence

from asyncpg import Record

from catalogue import CatalogueService
from deadline import DEFAULT_S, within
from refusal import Refusal
from store import Store
from types_ import Order, OrderLine, Payment
from users import UserService

COLUMNS = (
    "orders.id, user_id, placed_on::text, status, total_cents, ship_to,"
    " amount_cents, card_ending, paid_on::text"
)
OF_ORDERS = " FROM orders JOIN payments ON order_id = orders.id WHERE "


class OrderBook:
    """Orders that there are; how they come to be is in checkout.py."""

    def __init__(self, store: Store, users: UserService, catalogue: CatalogueService) -> None:
        self._store = store
        self._users = users
        self._catalogue = catalogue

    async def head(self, id: int) -> Order:
        """Return an order without its lines."""
        row = await self._store.fetchrow(f"SELECT {COLUMNS}{OF_ORDERS}orders.id = $1", id)
        if row is None:
            raise Refusal("not_found", "there is no such order")
        return _order(row)

    async def read(self, id: int) -> Order:
        order = await self.head(id)
        [order.lines] = await self.lines_of([id])
        return order

    async def heads_of(self, users: Sequence[int], limit: int) -> list[list[Order]]:
        """Return the newest orders of each user, without their lines."""
        rows = await self._store.fetch(
            "SELECT newest.* FROM unnest($1::int[]) AS buyer (id) CROSS JOIN LATERAL"
            f" (SELECT {COLUMNS}{OF_ORDERS}user_id = buyer.id"
            " ORDER BY orders.id DESC LIMIT $2) AS newest",
            users,
            limit,
        )
        groups = defaultdict(list)
        for row in rows:
            groups[row["user_id"]].append(_order(row))
        return [groups[user] for user in users]

    async def lines_of(self, orders: Sequence[int]) -> list[list[OrderLine]]:
        """Return the lines of each order."""
        rows = await self._store.fetch(
            "SELECT order_id, product_id, quantity, unit_price_cents FROM order_lines"
            " WHERE order_id = ANY($1::int[]) ORDER BY id",
            orders,
        )
        groups = defaultdict(list)
        for order_id, *line in rows:
            groups[order_id].append(OrderLine(*line))
        return [groups[order] for order in orders]

    async def of_user(self, user_id: int, limit: int, *, products: bool) -> list[Order]:
        """Return the newest orders of a user who must be there, with their lines."""
        async with within(DEFAULT_S):
            await self._users.read(user_id)
            [orders] = await self.heads_of([user_id], limit)
            lists = await self.lines_of([order.id for order in orders])
            for order, lines in zip(orders, lists, strict=True):
                order.lines = lines
            if products:
                await self._with_products([line for lines in lists for line in lines])
        return orders

    async def _with_products(self, lines: Sequence[OrderLine]) -> None:
        """Ask the catalogue once for all products."""
        found = await self._catalogue.by_id(sorted({line.product_id for line in lines}))
        products = {product.id: product for product in found}
        for line in lines:
            line.product = products.get(line.product_id)

    async def update(self, id: int, status: str) -> Order:
        await self._store.execute("UPDATE orders SET status = $2 WHERE id = $1", id, status)
        return await self.read(id)

    async def delete(self, id: int) -> int:
        if await self._store.fetchval("DELETE FROM orders WHERE id = $1 RETURNING id", id) is None:
            raise Refusal("not_found", "there is no such order")
        return id


def _order(row: Record) -> Order:
    return Order(*row[:6], payment=Payment(*row[6:]))
