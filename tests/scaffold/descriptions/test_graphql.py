"""What documents of GraphQL pass and select: scalar roots, keys, limits, federated subgraphs."""

from pathlib import Path

import pytest

from tests.support.scaffolding import scaffold
from wirelab.domain_file import load_domain
from wirelab.scaffold.descriptions.given import Details
from wirelab.scaffold.descriptions.offer import Offer
from wirelab.scaffold.descriptions.sources import described

ITEM = "type Item { id: ID! name: String! }"


def offers(tmp_path: Path, sdl: str, details: Details | None = None) -> dict[str, Offer]:
    """Return the operations of a schema, all of which can be loaded."""
    source = tmp_path / "given.graphql"
    source.write_text(sdl)
    (tmp_path / "copy").mkdir()
    interface, _ = described(
        "graphql", str(source), tmp_path / "copy", details=details or Details()
    )
    assert not interface.left_out
    scaffold(tmp_path / "own", {"graphql": source}, as_json=True)
    assert {*load_domain(tmp_path / "own" / "domain").operations} >= {
        each.name for each in interface.offers
    }
    return {each.name: each for each in interface.offers}


def test_roots_that_return_scalars(tmp_path: Path) -> None:
    sdl = "enum E { A } scalar Time type Query { id: ID! n: [[Int!]!] e: [E] at: Time i: Item }"
    found = offers(tmp_path, sdl + ITEM)

    bodies = {name: "".join(each.documents.values()) for name, each in found.items()}
    assert {name for name, body in bodies.items() if body.count("{") == 1} == {"id", "n", "e", "at"}


@pytest.mark.parametrize(
    ("arguments", "chosen"),
    [
        ("id: ID!, lang: String", {"id": ()}),
        ("id: ID, slug: String, lang: String", {"id": ()}),
        ("filter: String, userId: Int", {"userId": ()}),
        ("ids: [ID!], query: String", {}),
        ("first: Int", {"first": (20,)}),
        ("limit: PositiveInt!", {"limit": (20,)}),
        ("limit: String!", {"limit": ("20",)}),
        ("limit: Limit!", {"limit": ()}),
        ("first: String, pageSize: Window", {}),
        ("flag: Boolean!, id: ID", {"flag": (True, False)}),
    ],
)
def test_arguments(tmp_path: Path, arguments: str, chosen: dict[str, tuple[object, ...]]) -> None:
    types = "scalar PositiveInt scalar Window input Limit { n: Int! }"
    found = offers(tmp_path, f"{types} {ITEM} type Query {{ item({arguments}): Item }}")

    assert {each.name: each.examples for each in found["item"].parameters} == chosen


def test_optional_arguments_with_values_of_the_user(tmp_path: Path) -> None:
    sdl = f"{ITEM} type Query {{ items(orderBy: String, skip: Int): [Item] }}"

    found = offers(tmp_path, sdl, Details(columns=frozenset({"order_by"})))

    assert found["items"].binding["variables"] == {"orderBy": "{orderBy}"}


@pytest.mark.parametrize(
    "sdl",
    [
        'extend type Query { items: [Item!]! } type Item @key(fields: "id") { id: ID! }',
        "schema { query: Root } extend type Root { items: [Item!]! } type Item { id: ID! }",
        'extend schema @link(url: "https://specs.apollo.dev/federation/v2.0", import: ["@key"])'
        " type Query { items: [Item] } extend type Item @key(fields: \"id\") { id: ID @external }"
        " extend type Item { name: String @requires(fields: \"id\") }",
        "extend type Query { items: [Item] } extend interface Item { id: ID! }"
        " extend union U = Thing extend type Thing { id: ID } extend enum E { A }",
    ],
)  # fmt: skip
def test_subgraphs_extend_what_another_one_defines(tmp_path: Path, sdl: str) -> None:
    assert [*offers(tmp_path, sdl)] == ["items"]


def test_a_mutation_that_is_declared_to_read(tmp_path: Path) -> None:
    sdl = "type Query { a: Int } type Mutation { searchItems(q: String!): Int resetAll: Int }"

    found = offers(tmp_path, sdl, Details(reads=("search*",)))

    assert {name: each.effect for name, each in found.items()} == {
        "a": "read",
        "search_items": "read",
        "reset_all": "write",
    }
