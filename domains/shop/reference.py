"""What is right in the shop domain: a plain implementation in memory, over the generated rows."""

import hmac
import re
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count
from typing import Any

from wirelab.domain import Refused

Row = dict[str, Any]

FIRST_ID = 100_000_001
LARGEST_INTEGER = 2**31 - 1
LARGEST_PAGE = 100
REVIEWS_SHOWN = 5
TOKEN_KEY = b"wirelab-shop"
REFUSED_CARD = "0002"
LARGEST_PAYMENT_CENTS = 100_000_000
STATUSES = ("placed", "shipped", "delivered", "returned")
UNSAYABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def _integer(least: int, most: int = LARGEST_INTEGER) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and least <= value <= most


def _text(most: int, least: int = 1) -> Callable[[Any], bool]:
    return lambda value: (
        isinstance(value, str) and least <= len(value) <= most and not UNSAYABLE.search(value)
    )


def _pattern(pattern: str, most: int) -> Callable[[Any], bool]:
    return lambda value: _text(most)(value) and re.fullmatch(pattern, value) is not None


def _pictures(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) <= 10
        and all(map(_pattern(r"https://[^\s]+", 200), value))
    )


FIELDS: dict[str, Callable[[Any], bool]] = {
    "title": _text(200),
    "description": _text(2000),
    "price_cents": _integer(1, 100_000_000),
    "stock": _integer(0, 1_000_000),
    "pictures": _pictures,
    "rating": _integer(1, 5),
    "headline": _text(200),
    "body": _text(2000),
    "email": _pattern(r"[^@\s]+@[^@\s]+", 200),
    "name": _text(200),
    "password": _text(100, 8),
    "street": _text(200),
    "city": _text(200),
    "postal_code": _text(20),
    "country": _pattern("[A-Z]{2}", 2),
    "card_number": _pattern(r"[0-9]{12,19}", 19),
    "quantity": _integer(1, 1_000_000),
    "limit": _integer(1, LARGEST_PAGE),
    "after": _integer(0),
}
PRODUCT = ("title", "description", "price_cents", "stock", "pictures")


def _check(values: Row) -> None:
    if not all(FIELDS[name](value) for name, value in values.items()):
        raise Refused("invalid")


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _token(user_id: int) -> str:
    return f"{user_id}.{hmac.digest(TOKEN_KEY, str(user_id).encode(), 'sha256').hex()}"


def _only(row: Row, *names: str) -> Row:
    return {name: row[name] for name in names if name in row}


class Reference:
    """The shop of one data set, and what may be done with it."""

    def __init__(self, tables: dict[str, list[Row]]) -> None:
        self._users = {
            row["id"]: _only(row, "id", "email", "name", "password", "registered_on")
            for row in tables["user"]
        }
        self._addresses = {row["id"]: row for row in tables["address"]}
        self._products = {row["id"]: row for row in tables["product"]}
        self._reviews = {row["id"]: row for row in tables["review"]}
        self._orders = {
            row["id"]: _only(row, "id", "user_id", "placed_on", "status", "total_cents", "ship_to")
            for row in tables["order"]
        }
        lines = defaultdict(list)
        for row in tables["order_line"]:
            line = _only(row, "product_id", "quantity", "unit_price_cents")
            lines[row["order_id"]].append(line)
        for row in tables["payment"]:
            order = self._orders[row["order_id"]]
            order["payment"] = _only(row, "amount_cents", "card_ending", "paid_on")
            order["lines"] = lines[order["id"]]
        self._reviews_of: dict[int, list[int]] = defaultdict(list)
        for review in tables["review"]:
            self._reviews_of[review["product_id"]].append(review["id"])
        self._orders_of: dict[int, list[int]] = defaultdict(list)
        for order in self._orders.values():
            self._orders_of[order["user_id"]].append(order["id"])
        self._addresses_of: dict[int, list[int]] = defaultdict(list)
        for address in tables["address"]:
            self._addresses_of[address["user_id"]].append(address["id"])
        self._events = sorted(tables["product_event"], key=lambda row: row["id"])
        self._free_ids = count(FIRST_ID)

    def call(self, operation: str, parameters: dict[str, Any]) -> object:
        """Carry out one operation; Refused where every contender must refuse as well."""
        method: Callable[..., object] = getattr(self, f"_{operation}")
        return method(**parameters)

    def _ping(self) -> str:
        return "ok"

    # --- catalogue -------------------------------------------------------------------------------

    def _list_products(self, after: int, limit: int) -> list[Row]:
        _check({"after": after, "limit": limit})
        page = sorted(key for key in self._products if key > after)[:limit]
        return [self._read_product(key) for key in page]

    def _list_summaries(self, after: int, limit: int) -> list[Row]:
        return [
            {
                **_only(product, "id", "title", "price_cents", "stock"),
                "reviews": [_only(review, "rating", "headline") for review in product["reviews"]],
            }
            for product in self._list_products(after, limit)
        ]

    def _watch_products(self, after: int, count: int) -> list[Row]:
        """Answer what is in the data set: what comes later nobody need be asked for."""
        _check({"after": after})
        if type(count) is not int or not 1 <= count <= 1_000_000:
            raise Refused("invalid")
        return [event for event in self._events if event["id"] > after][:count]

    def _read_product(self, id: int) -> Row:  # noqa: A002
        product = _found(self._products, id)
        newest = sorted(self._reviews_of[id], reverse=True)[:REVIEWS_SHOWN]
        return {**product, "reviews": [self._reviews[key] for key in newest]}

    def _count_stock(self, product_id: int, stock: int, count: int) -> Row:
        _check({"stock": stock})
        _found(self._products, product_id)["stock"] = stock
        return {"received": count}

    def _quote_wishes(self, product_id: int, quantity: int, count: int) -> list[Row]:
        _check({"quantity": quantity})
        product = _found(self._products, product_id)
        quote = {
            "product_id": product_id,
            "quantity": quantity,
            "unit_price_cents": product["price_cents"],
            "available": product["stock"] >= quantity,
        }
        return [quote] * count

    def _create_product(self, product: Row) -> Row:
        _check_product(product)
        key = next(self._free_ids)
        self._products[key] = {"id": key, **product}
        return self._products[key]

    def _update_product(self, id: int, product: Row) -> Row:  # noqa: A002
        _check_product(product)
        _found(self._products, id)
        self._products[id] = {"id": id, **product}
        return self._products[id]

    def _delete_product(self, id: int) -> int:  # noqa: A002
        _found(self._products, id)
        for review in self._reviews_of.pop(id, ()):
            del self._reviews[review]
        del self._products[id]
        return id

    def _create_review(self, product_id: int, user_id: int, **review: Any) -> Row:
        _check(review)
        _found(self._users, user_id)
        _found(self._products, product_id)
        key = next(self._free_ids)
        known = {"id": key, "product_id": product_id, "user_id": user_id}
        self._reviews[key] = {**known, **review, "written_on": _today()}
        self._reviews_of[product_id].append(key)
        return self._reviews[key]

    def _read_review(self, id: int) -> Row:  # noqa: A002
        return _found(self._reviews, id)

    def _update_review(self, id: int, **review: Any) -> Row:  # noqa: A002
        _check(review)
        self._reviews[id] = {**_found(self._reviews, id), **review}
        return self._reviews[id]

    def _delete_review(self, id: int) -> int:  # noqa: A002
        review = _found(self._reviews, id)
        self._reviews_of[review["product_id"]].remove(id)
        del self._reviews[id]
        return id

    # --- users -----------------------------------------------------------------------------------

    def _login(self, user_id: int, password: str) -> Row:
        if not _text(100)(password):
            raise Refused("invalid")
        user = self._users.get(user_id)
        if user is None or user["password"] != password:
            raise Refused("unauthenticated")
        return {"user_id": user_id, "name": user["name"], "token": _token(user_id)}

    def _read_user(self, id: int) -> Row:  # noqa: A002
        user = _found(self._users, id)
        addresses = [
            _only(self._addresses[key], "id", "street", "city", "postal_code", "country")
            for key in sorted(self._addresses_of[id])
        ]
        return {**_only(user, "id", "email", "name", "registered_on"), "addresses": addresses}

    def _create_user(self, email: str, name: str, password: str, **address: str) -> Row:
        _check({"email": email, "name": name, "password": password, **address})
        key, place = next(self._free_ids), next(self._free_ids)
        user = {"id": key, "email": email, "name": name, "password": password}
        self._users[key] = {**user, "registered_on": _today()}
        self._addresses[place] = {"id": place, "user_id": key, **address}
        self._addresses_of[key].append(place)
        return self._read_user(key)

    def _update_user(self, id: int, email: str, name: str) -> Row:  # noqa: A002
        _check({"email": email, "name": name})
        _found(self._users, id).update(email=email, name=name)
        return self._read_user(id)

    def _delete_user(self, id: int) -> int:  # noqa: A002
        _found(self._users, id)
        for address in self._addresses_of.pop(id, ()):
            del self._addresses[address]
        del self._users[id]
        return id

    # --- orders ----------------------------------------------------------------------------------

    def _checkout(self, token: str, address_id: int, lines: list[Row], card_number: str) -> Row:
        _check({"card_number": card_number})
        for line in lines:
            _check({"quantity": line["quantity"]})
        if not 1 <= len(lines) <= 50 or len({line["product_id"] for line in lines}) < len(lines):
            raise Refused("invalid")
        user_id = self._known_by(token)
        address = self._addresses.get(address_id)
        if address is None or address["user_id"] != user_id:
            raise Refused("not_found")
        products = [_found(self._products, line["product_id"]) for line in lines]
        if any(
            line["quantity"] > product["stock"]
            for line, product in zip(lines, products, strict=True)
        ):
            raise Refused("conflict")
        priced = [
            {**line, "unit_price_cents": product["price_cents"]}
            for line, product in zip(lines, products, strict=True)
        ]
        total = sum(line["quantity"] * line["unit_price_cents"] for line in priced)
        if card_number.endswith(REFUSED_CARD) or total > LARGEST_PAYMENT_CENTS:
            raise Refused("conflict")
        for line, product in zip(lines, products, strict=True):
            product["stock"] -= line["quantity"]
        key = next(self._free_ids)
        place = "{street}, {postal_code} {city}, {country}".format(**address)
        payment = {"amount_cents": total, "card_ending": card_number[-4:], "paid_on": _today()}
        self._orders[key] = {
            "id": key,
            "user_id": user_id,
            "placed_on": _today(),
            "status": "placed",
            "total_cents": total,
            "ship_to": place,
            "payment": payment,
            "lines": priced,
        }
        self._orders_of[user_id].append(key)
        return self._orders[key]

    def _known_by(self, token: str) -> int:
        name = token.partition(".")[0]
        user_id = int(name) if re.fullmatch(r"[0-9]{1,10}", name) else 0
        if token != _token(user_id):
            raise Refused("unauthenticated")
        _found(self._users, user_id)
        return user_id

    def _read_order(self, id: int) -> Row:  # noqa: A002
        return _found(self._orders, id)

    def _update_order(self, id: int, status: str) -> Row:  # noqa: A002
        if status not in STATUSES:
            raise Refused("invalid")
        _found(self._orders, id)["status"] = status
        return self._orders[id]

    def _delete_order(self, id: int) -> int:  # noqa: A002
        order = _found(self._orders, id)
        self._orders_of[order["user_id"]].remove(id)
        del self._orders[id]
        return id

    def _read_history(self, user_id: int, limit: int) -> list[Row]:
        _check({"limit": limit})
        _found(self._users, user_id)
        newest = sorted(self._orders_of[user_id], reverse=True)[:limit]
        return [self._orders[key] for key in newest]

    def _list_orders(self, user_id: int, limit: int) -> list[Row]:
        return [
            {
                **order,
                "lines": [
                    {**line, "product": self._products.get(line["product_id"])}
                    for line in order["lines"]
                ],
            }
            for order in self._read_history(user_id, limit)
        ]


def _found(rows: dict[int, Row], key: int) -> Row:
    if key not in rows:
        raise Refused("not_found")
    return rows[key]


def _check_product(product: Row) -> None:
    # A list that is empty and one that is absent are the same in some protocols.
    given = {"pictures": [], **product}
    if given.keys() != set(PRODUCT):
        raise Refused("invalid")
    _check(given)
