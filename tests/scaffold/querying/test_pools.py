"""Values for parameters: which operation is queried when, and with ids from which list."""

from collections.abc import Mapping

from wirelab.scaffold.descriptions.offer import Offer, Parameter
from wirelab.scaffold.querying.pools import SETS_OF_A_SOURCE, Pool, fill_pools

USERS = [{"id": number} for number in range(1, 4)]
ORDERS = {user["id"]: [{"id": 10 * user["id"] + n} for n in range(2)] for user in USERS}
ITEMS = {each["id"]: [{"id": 10 * each["id"]}] for orders in ORDERS.values() for each in orders}


def offer(path: str, *, name: str = "", examples: tuple[object, ...] = ()) -> Offer:
    """An operation of a REST interface, whose parameters are the placeholders of its path."""
    parts = path.strip("/").split("/")
    return Offer(
        protocol="rest",
        name=name or "get_" + "_".join(part.strip("{}") for part in parts),
        summary="",
        effect="read",
        parameters=tuple(
            Parameter(part.strip("{}"), "integer", examples=examples)
            for part in parts
            if part.startswith("{")
        ),
        binding={"method": "GET", "path": path},
        lists=not path.endswith("}"),
    )


def call(operation: Offer, given: Mapping[str, object]) -> tuple[bool, object]:
    """Answer as a shop does: users have orders, and orders have items."""
    path = operation.binding["path"].format(**given)
    answers = {
        "/users": USERS,
        **{f"/users/{user}": {"name": "Zoe"} for user in ORDERS},
        **{f"/users/{user}/orders": orders for user, orders in ORDERS.items()},
        **{f"/orders/{order}": {"total": 7} for order in ITEMS},
        **{f"/orders/{order}/items": items for order, items in ITEMS.items()},
        **{f"/items/{item['id']}": {"name": "Pen"} for items in ITEMS.values() for item in items},
    }
    return path in answers, answers.get(path)


def answered(pools: Mapping[str, Pool]) -> dict[str, tuple[int, int]]:
    return {pool.offer.binding["path"]: (len(pool.sets), pool.tried) for pool in pools.values()}


def test_ids_are_taken_from_lists_that_need_ids_of_another_list() -> None:
    paths = "/items/{id}", "/orders/{id}/items", "/orders/{id}", "/users/{id}/orders", "/users"

    pools = fill_pools([offer(path) for path in (*paths, "/users/{id}")], call)

    assert answered(pools) == {
        "/users": (1, 1),
        "/users/{id}/orders": (3, 3),
        "/orders/{id}/items": (6, 6),
        "/items/{id}": (6, 6),
        "/orders/{id}": (6, 6),
        "/users/{id}": (3, 3),
    }


def test_an_id_that_names_its_resource_is_found_in_any_list() -> None:
    def with_owner(_: Offer, given: Mapping[str, object]) -> tuple[bool, object]:
        return True, [{"id": 7, "author_id": 3}] if not given else {"name": "Zoe"}

    pools = fill_pools([offer("/authors/{author_id}"), offer("/books")], with_owner)

    assert pools["get_authors_author_id"].sets == ({"author_id": 3},)


def test_ids_are_taken_from_a_list_with_the_name_of_what_it_contains() -> None:
    def enveloped(_: Offer, given: Mapping[str, object]) -> tuple[bool, object]:
        if not given:
            return True, {"total": 2, "books": [{"id": 7}, {"id": 8}], "shelves": [{"id": 99}]}
        return given["id"] in (7, 8), {"books": [{"id": 1}]}

    pools = fill_pools([offer("/books/{id}"), offer("/books")], enveloped)

    assert {each["id"] for each in pools["get_books_id"].sets} == {7, 8}


def test_drawn_values_are_tried_only_if_no_list_returns_any() -> None:
    paths = "/orders/{id}", "/users/{id}/orders"
    drawn = {
        "get_orders_id": [{"id": 1}],
        "get_users_id_orders": [{"id": 2}, {"id": 99}],
    }

    pools = fill_pools([offer(path) for path in paths], call, drawn=drawn)

    assert answered(pools) == {"/users/{id}/orders": (1, 2), "/orders/{id}": (2, 2)}
    assert [pool.source for pool in pools.values()] == ["schema", "lists"]


def test_an_operation_without_known_values_is_not_queried() -> None:
    pools = fill_pools([offer("/orders/{id}"), offer("/items/{id}", examples=(100,))], call)

    assert answered(pools) == {"/items/{id}": (1, 1), "/orders/{id}": (0, 0)}


def test_a_source_of_ids_is_queried_a_few_times_only() -> None:
    def many(operation: Offer, _: Mapping[str, object]) -> tuple[bool, object]:
        return True, [{"id": number} for number in range(100)] if operation.lists else {}

    offers = [offer("/users"), offer("/users/{id}/orders"), offer("/orders/{id}")]
    pools = fill_pools(offers, many, sources={"get_users_id_orders"})

    assert pools["get_users_id_orders"].tried == SETS_OF_A_SOURCE
    assert pools["get_orders_id"].tried > SETS_OF_A_SOURCE
