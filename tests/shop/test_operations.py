"""Every operation, in every protocol, by other people's clients."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from tests.shop.clients import Client, open_client
from tests.shop.standing import basket
from tests.support.callers import RefusedError
from wirelab.domain import Dataset, Reference, canonical
from wirelab.lab.contenders.running import RunningContender
from wirelab.lab.stores.store import Database

UNTOUCHED = 500
"""Rows from here on are read by these tests and never written."""


def value(store: Database, statement: str, *values: Any) -> Any:
    with psycopg.connect(store.url) as connection:
        row = connection.execute(statement.encode(), values).fetchone()
    assert row is not None
    return row[0]


def without(row: Any, *names: str) -> Any:
    return {name: item for name, item in row.items() if name not in names}


def test_products_and_reviews_equal_those_of_the_reference(
    client: Client, reference: Reference
) -> None:
    page: dict[str, Any] = {"after": UNTOUCHED, "limit": 20}

    assert canonical(client.ask("list_products", **page)) == canonical(
        reference.call("list_products", page)
    )
    assert canonical(client.ask("read_product", id=700)) == canonical(
        reference.call("read_product", {"id": 700})
    )
    assert client.ask("read_review", id=2000) == reference.call("read_review", {"id": 2000})


def test_a_profile_and_a_login_equal_those_of_the_reference(
    client: Client, reference: Reference, dataset: Dataset
) -> None:
    user = dataset.tables["user"][UNTOUCHED]

    assert client.ask("read_user", id=user["id"]) == reference.call("read_user", {"id": user["id"]})
    session = client.ask("login", user_id=user["id"], password=user["password"])
    assert session == {"user_id": user["id"], "name": user["name"], "token": user["token"]}


def test_a_wrong_password_and_an_unknown_user_look_alike(client: Client) -> None:
    output = []
    for user in (1, 2_000_000):
        with pytest.raises(RefusedError, match="unauthenticated") as refused:
            client.ask("login", user_id=user, password="not the password")
        output.append(str(refused.value))

    assert output[0] == output[1]


def test_the_orders_of_a_heavy_buyer_come_with_their_products(
    client: Client, reference: Reference, dataset: Dataset
) -> None:
    parameters = {"user_id": dataset.tables["order"][-1]["user_id"], "limit": 20}

    for operation in ("read_history", "list_orders"):
        answer = client.ask(operation, **parameters)
        right = reference.call(operation, parameters)
        assert canonical(strip_stock(answer)) == canonical(strip_stock(right))


def strip_stock(value: Any) -> Any:
    """Leave out what other tests change by buying."""
    if isinstance(value, dict):
        return {name: strip_stock(item) for name, item in value.items() if name != "stock"}
    return [strip_stock(item) for item in value] if isinstance(value, list) else value


def test_a_checkout_moves_stock_and_money_once(
    client: Client, store: Database, dataset: Dataset
) -> None:
    text = "SELECT stock FROM products WHERE id = 3"
    stock = value(store, text)
    expected = basket(dataset.new_rows["order"][1], lines=[{"product_id": 3, "quantity": 4}])

    order = client.ask("checkout", **expected, idempotency_key=f"{id(client)} {stock}")
    again = client.ask("checkout", **expected, idempotency_key=f"{id(client)} {stock}")

    assert again == order == client.ask("read_order", id=order["id"])
    assert value(store, text) == stock - 4
    paid = value(store, "SELECT amount_cents FROM payments WHERE order_id = %s", order["id"])
    assert paid == order["total_cents"]
    assert client.ask("update_order", id=order["id"], status="delivered")["status"] == "delivered"
    assert client.ask("delete_order", id=order["id"]) == order["id"]
    assert value(store, text) == stock - 4


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"token": ""}, "unauthenticated"),
        ({"token": "7.00"}, "unauthenticated"),
        ({"address_id": 2_000_000}, "not_found"),
        ({"lines": [{"product_id": 5, "quantity": 1}, {"product_id": 2_000_000, "quantity": 1}]},
         "not_found"),
        ({"lines": [{"product_id": 5, "quantity": 1}, {"product_id": 6, "quantity": 700_000}]},
         "conflict"),
        ({"lines": [{"product_id": 5, "quantity": 1}], "card_number": "4000000000000002"},
         "conflict"),
        ({"lines": [{"product_id": 5, "quantity": 90_000}]}, "conflict"),
        ({"lines": []}, "invalid"),
        ({"card_number": "4000"}, "invalid"),
    ],
    ids=["no token", "token", "address", "product", "stock", "card", "too dear", "empty", "digits"],
)  # fmt: skip
def test_a_refused_checkout_leaves_nothing_behind(
    client: Client, store: Database, dataset: Dataset, change: dict[str, Any], kind: str
) -> None:
    texts = ("SELECT sum(stock) FROM products", "SELECT count(*) FROM orders")
    before = [value(store, text) for text in texts]

    with pytest.raises(RefusedError, match=kind):
        client.ask("checkout", **basket(dataset.new_rows["order"][2], **change))

    assert [value(store, text) for text in texts] == before


def test_the_key_of_another_user_is_refused(client: Client, dataset: Dataset) -> None:
    rows = dataset.new_rows["order"]
    other = next(row for row in rows if row["user_id"] != rows[3]["user_id"])
    key = f"mine {id(client)}"
    client.ask("checkout", **basket(rows[3]), idempotency_key=key)

    with pytest.raises(RefusedError, match="conflict"):
        client.ask("checkout", **basket(other), idempotency_key=key)


def test_unknown_ids_are_not_found(client: Client) -> None:
    review = {"rating": 3, "headline": "h", "body": "b"}
    product = {"title": "t", "description": "d", "price_cents": 5, "stock": 5, "pictures": []}
    calls: dict[str, dict[str, Any]] = {
        "read_product": {},
        "update_product": {"product": product},
        "delete_product": {},
        "read_review": {},
        "update_review": review,
        "delete_review": {},
        "read_user": {},
        "update_user": {"email": "a@b", "name": "n"},
        "delete_user": {},
        "read_order": {},
        "update_order": {"status": "shipped"},
        "delete_order": {},
    }
    for operation, parameters in calls.items():
        for missing in (0, -1, 2**31 - 1):
            with pytest.raises(RefusedError, match="not_found"):
                client.ask(operation, id=missing, **parameters)


def test_the_life_of_a_product(client: Client, store: Database) -> None:
    text = {
        "title": 'Ñandú & <"tea"> 100 % \\ – €',
        "description": "x" * 2000,
        "price_cents": 100_000_000,
        "stock": 0,
        "pictures": [f"https://pictures.example/{n}" for n in range(10)],
    }
    made = client.ask("create_product", product=text)
    assert strip(made) == strip(text)
    review = client.ask(
        "create_review", product_id=made["id"], user_id=1, rating=1, headline="h", body="b"
    )
    assert client.ask("read_product", id=made["id"])["reviews"] == [review]
    changed = client.ask("update_product", id=made["id"], product={**text, "price_cents": 1})
    assert changed["price_cents"] == 1
    assert client.ask("delete_product", id=made["id"]) == made["id"]
    with pytest.raises(RefusedError, match="not_found"):
        client.ask("read_review", id=review["id"])
    kinds = value(
        store,
        "SELECT array_agg(kind ORDER BY id) FROM product_events WHERE product_id = %s",
        made["id"],
    )
    assert kinds == ["created", "changed", "deleted"]


def strip(product: Any) -> Any:
    """Leave out the id, and what Protocol Buffers leave out."""
    return {name: item for name, item in product.items() if name not in {"id", "stock", "reviews"}}


def test_many_clients_buy_the_same_products_at_once(
    contender: RunningContender, store: Database, dataset: Dataset
) -> None:
    text = "SELECT sum(stock) FROM products WHERE id IN (8, 9)"
    stock = value(store, text)
    clients, each = 10, 6
    barrier = threading.Barrier(clients)
    forth = [{"product_id": 8, "quantity": 1}, {"product_id": 9, "quantity": 1}]

    def buy(number: int) -> None:
        with open_client(contender.contender, contender.address) as client:
            barrier.wait(30)
            lines = forth if number % 2 else forth[::-1]
            for _ in range(each):
                client.ask("checkout", **basket(dataset.new_rows["order"][number], lines=lines))

    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(buy, range(clients)))

    assert value(store, text) == stock - 2 * clients * each
