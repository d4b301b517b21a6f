"""Checking out: check the user, reserve the stock, take the payment, write the order."""

import asyncio
import logging
import secrets
from collections.abc import Sequence
from contextvars import Context
from typing import NoReturn

from asyncpg import Connection, UniqueViolationError

import stock
from catalogue import CatalogueService
from deadline import DEFAULT_S, within
from orders import OrderBook
from refusal import Refusal
from store import Store
from types_ import Checkout, Order, OrderLine, Payment, Shipping, Wishes
from users import UserService

REFUSED_CARD = "0002"
LARGEST_PAYMENT_CENTS = 100_000_000
SETTLE_EVERY_S = 1.0
ABANDONED_AFTER = "10 seconds"  # longer than any deadline
NOTHING_TAKEN = {"not_found", "out_of_stock", "invalid"}


class Orders(OrderBook):
    """Orders, and how they come to be: in one transaction, or across services."""

    def __init__(
        self, store: Store, users: UserService, catalogue: CatalogueService, *, together: bool
    ) -> None:
        super().__init__(store, users, catalogue)
        self._together = together
        self._cancelling: set[asyncio.Task[None]] = set()

    async def checkout(self, asked: Checkout) -> Order:
        """Carry out a checkout, all or nothing; once for each idempotency key."""
        async with within(DEFAULT_S):
            shipping = await self._users.shipping(asked.token, asked.address_id)
            known = await self._carried_out(asked, shipping)
            if known is not None:
                return known
            try:
                if self._together:
                    return await self._in_one_transaction(asked, shipping)
                return await self._across_services(asked, shipping)
            except UniqueViolationError:  # by the same client at the same time
                known = await self._carried_out(asked, shipping)
                if known is None:
                    raise
                return known

    async def _carried_out(self, asked: Checkout, shipping: Shipping) -> Order | None:
        """Return the order that the key was used for before, if so."""
        if not asked.idempotency_key:
            return None
        row = await self._store.fetchrow(
            "SELECT id, user_id FROM orders WHERE checkout_key = $1", asked.idempotency_key
        )
        if row is None:
            return None
        if row["user_id"] != shipping.user_id:
            raise Refusal("out_of_stock", "the key was used by somebody else")
        return await self.read(row["id"])

    async def _in_one_transaction(self, asked: Checkout, shipping: Shipping) -> Order:
        async with self._store.acquire() as connection, connection.transaction():
            prices = await stock.take(connection, asked.lines)
            return await _write(connection, asked, shipping, prices)

    async def _across_services(self, asked: Checkout, shipping: Shipping) -> Order:
        """Reserve the stock in the catalogue, and give it back if nothing comes of it.

        What is under way is written down first, so that this is made up for even if the program
        ends.
        """
        key = secrets.token_hex(16)
        await self._store.execute("INSERT INTO checkouts (key) VALUES ($1)", key)
        try:
            prices = await self._catalogue.reserve(key, Wishes(lines=asked.lines))
            async with self._store.acquire() as connection, connection.transaction():
                opened = await connection.execute(
                    "DELETE FROM checkouts WHERE key = $1 AND NOT cancelled", key
                )
                if opened == "DELETE 0":
                    raise Refusal("too_late", "the checkout took too long")
                return await _write(connection, asked, shipping, prices)
        except BaseException as error:
            taken = not (isinstance(error, Refusal) and error.kind in NOTHING_TAKEN)
            # The client need not wait for it, and its deadline may have passed.
            cleaning = self._cancel(key) if taken else self._forget(key)
            task = asyncio.create_task(cleaning, context=Context())
            self._cancelling.add(task)
            task.add_done_callback(self._cancelling.discard)
            raise

    async def _cancel(self, key: str) -> None:
        """Give reserved stock back. Where that fails, settle tries again."""
        try:
            async with within(DEFAULT_S):
                cancelled = await self._store.execute(
                    "UPDATE checkouts SET cancelled = true WHERE key = $1", key
                )
                if cancelled == "UPDATE 0":
                    return  # the order was written after all
                await self._catalogue.release(key)
                await self._forget(key)
        except Exception as error:
            logging.warning("checkout %s could not be cancelled yet: %r", key, error)

    async def _forget(self, key: str) -> None:
        await self._store.execute("DELETE FROM checkouts WHERE key = $1", key)

    async def settle(self) -> NoReturn:
        """Cancel every second what was left behind by checkouts that came to nothing."""
        while True:
            await asyncio.sleep(SETTLE_EVERY_S)
            try:
                left = await self._store.fetch(
                    "SELECT key FROM checkouts"
                    f" WHERE cancelled OR opened_at < now() - interval '{ABANDONED_AFTER}'"
                )
            except Exception:
                logging.exception("the checkouts cannot be read")
                continue
            for checkout in left:
                await self._cancel(checkout["key"])


async def _write(
    connection: Connection, asked: Checkout, shipping: Shipping, prices: Sequence[int]
) -> Order:
    """Take the payment and write the order, by one statement."""
    ids, quantities = stock.columns(asked.lines)
    total = sum(map(int.__mul__, quantities, prices))
    if asked.card_number.endswith(REFUSED_CARD) or total > LARGEST_PAYMENT_CENTS:
        raise Refusal("payment_refused", f"the bank refuses to pay {total} cents")
    ending = asked.card_number[-4:]
    row = await connection.fetchrow(
        """WITH written AS (
             INSERT INTO orders (checkout_key, user_id, total_cents, ship_to)
             VALUES ($1, $2, $3, $4) RETURNING id, placed_on, status
           ), lines AS (
             INSERT INTO order_lines (order_id, product_id, quantity, unit_price_cents)
             SELECT written.id, line.* FROM written, unnest($5::int[], $6::int[], $7::int[]) AS line
           ), paid AS (
             INSERT INTO payments (order_id, amount_cents, card_ending)
             SELECT id, $3, $8 FROM written RETURNING paid_on
           ) SELECT id, placed_on::text, status, paid_on::text FROM written, paid""",
        asked.idempotency_key or None,
        shipping.user_id,
        total,
        shipping.ship_to,
        ids,
        quantities,
        prices,
        ending,
    )
    return Order(
        row["id"],
        shipping.user_id,
        row["placed_on"],
        row["status"],
        total,
        shipping.ship_to,
        Payment(total, ending, row["paid_on"]),
        list(map(OrderLine, ids, quantities, prices)),
    )
