"""Every operation, in every protocol, by a client of other people's making."""

from typing import Any

import pytest

from tests.library.shelf import AWKWARD, Row
from tests.support.callers import RefusedError
from tests.support.clients import Client
from wirelab.domain import Reference, Refused, canonical

PHRASES = [
    "Author - 1", "author - 1", "%", "_", "'", "\\", '"', "<&>", "0% O'Nea_l \\", "作家",
    "Author%1", "A_thor", "'; DROP TABLE author; --", " ", "nobody",
]  # fmt: skip


def same(got: object, right: object) -> bool:
    return canonical(got) == canonical(right)


def test_the_control_answers(client: Client) -> None:
    assert client.ask("ping") == "ok"


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_phrase_is_found_as_it_is_written(
    client: Client, reference: Reference, phrase: str
) -> None:
    found = client.ask("find_authors", phrase=phrase)

    assert same(found, reference.call("find_authors", {"phrase": phrase}))


def test_authors_come_with_their_books_in_the_order_of_ids(
    client: Client, rows: dict[str, list[Row]]
) -> None:
    found = client.ask("find_authors", phrase="Author")

    assert [author["id"] for author in found] == list(range(1, 21))
    assert [book["id"] for book in found[3]["books"]] == [41, 42, 43]


def test_every_row_equals_that_of_the_reference(
    client: Client, reference: Reference, rows: dict[str, list[Row]]
) -> None:
    for table in ("author", "book"):
        for row in rows[table][-3:]:
            read = client.ask(f"read_{table}", id=row["id"])
            assert same(read, reference.call(f"read_{table}", {"id": row["id"]}))


def test_the_life_of_an_author(client: Client, rows: dict[str, list[Row]]) -> None:
    added = client.ask("add_author", name=AWKWARD, country="Türkiye")
    key = added["id"]
    assert key not in {author["id"] for author in rows["author"]}
    assert same(added, {"id": key, "name": AWKWARD, "country": "Türkiye"})
    assert same(client.ask("read_author", id=key), added)

    book = client.ask("add_book", author_id=key, title=AWKWARD, year=2021)
    assert same(book, {"id": book["id"], "author_id": key, "title": AWKWARD, "year": 2021})
    assert same(client.ask("read_book", id=book["id"]), book)

    changed = client.ask("update_book", id=book["id"], title="Second edition", year=2022)
    assert same(changed, {**book, "title": "Second edition", "year": 2022})
    renamed = client.ask("update_author", id=key, name="Renamed", country="Poland")
    assert same(renamed, {"id": key, "name": "Renamed", "country": "Poland", "books": [changed]})

    assert client.ask("delete_author", id=key) == key
    for gone in (
        {"operation": "read_author", "id": key},
        {"operation": "read_book", "id": book["id"]},
    ):
        with pytest.raises(RefusedError, match="not_found"):
            client.ask(**gone)


def test_a_book_is_deleted_without_its_author(client: Client, rows: dict[str, list[Row]]) -> None:
    assert client.ask("delete_book", id=11) == 11

    assert [book["id"] for book in client.ask("read_author", id=1)["books"]] == [12, 13]


@pytest.mark.parametrize(
    "parameters",
    [
        {"operation": "read_author", "id": 999},
        {"operation": "read_author", "id": -1},
        {"operation": "update_author", "id": 999, "name": "x", "country": "Poland"},
        {"operation": "delete_author", "id": 999},
        {"operation": "add_book", "author_id": 999, "title": "x", "year": 2000},
        {"operation": "read_book", "id": 999},
        {"operation": "update_book", "id": 999, "title": "x", "year": 2000},
        {"operation": "delete_book", "id": 999},
    ],
)
def test_an_unknown_id_is_not_found(
    client: Client, rows: dict[str, list[Row]], parameters: dict[str, Any]
) -> None:
    with pytest.raises(RefusedError, match="not_found"):
        client.ask(**parameters)


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "", "country": "Poland"},
        {"name": " \t ", "country": "Poland"},
        {"name": "line\nbreak", "country": "Poland"},
        {"name": "x" * 201, "country": "Poland"},
        {"name": "x", "country": "Atlantis"},
        {"name": "x", "country": "poland"},
        {"name": "x", "country": ""},
    ],
)
def test_a_wrong_author_is_invalid_and_changes_nothing(
    client: Client, reference: Reference, wrong: dict[str, Any]
) -> None:
    with pytest.raises(Refused, match="invalid"):
        reference.call("add_author", wrong)
    with pytest.raises(RefusedError, match="invalid"):
        client.ask("add_author", **wrong)
    with pytest.raises(RefusedError, match="invalid"):
        client.ask("update_author", id=1, **wrong)
    assert same(client.ask("read_author", id=1), reference.call("read_author", {"id": 1}))


@pytest.mark.parametrize(
    "wrong",
    [
        {"title": "", "year": 2000},
        {"title": "x", "year": 0},
        {"title": "x", "year": 10000},
        {"title": "x", "year": -5},
    ],
)
def test_a_wrong_book_is_invalid(
    client: Client, reference: Reference, wrong: dict[str, Any]
) -> None:
    with pytest.raises(Refused, match="invalid"):
        reference.call("add_book", {"author_id": 1, **wrong})
    with pytest.raises(RefusedError, match="invalid"):
        client.ask("add_book", author_id=1, **wrong)
    with pytest.raises(RefusedError, match="invalid"):
        client.ask("update_book", id=11, **wrong)
    assert same(client.ask("read_book", id=11), reference.call("read_book", {"id": 11}))


@pytest.mark.parametrize("phrase", ["", "x" * 201, "a\tb"])
def test_a_wrong_phrase_is_invalid(client: Client, reference: Reference, phrase: str) -> None:
    with pytest.raises(Refused, match="invalid"):
        reference.call("find_authors", {"phrase": phrase})
    with pytest.raises(RefusedError, match="invalid"):
        client.ask("find_authors", phrase=phrase)
