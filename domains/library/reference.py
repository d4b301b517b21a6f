"""The library domain in memory: what every contender must answer.

It shares no code with the contenders, so that a mistake of theirs is not a mistake of both.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wirelab.domain import Refused

Row = dict[str, Any]

COUNTRIES = frozenset(
    (Path(__file__).parent / "countries.txt").read_text(encoding="utf-8").splitlines()
)
LONGEST_TEXT = 200
LAST_YEAR = 9999
FIRST_NEW_ID = 100_000_001
UNSAYABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
BLANKS = "".join(map(chr, range(33)))


class Reference:
    """The authors and books of one data set, and what may be done with them."""

    def __init__(self, tables: dict[str, list[Row]]) -> None:
        self._authors = {author["id"]: dict(author) for author in tables["author"]}
        self._books = {book["id"]: dict(book) for book in tables["book"]}
        self._next_id = FIRST_NEW_ID

    def call(self, operation: str, parameters: dict[str, Any]) -> object:
        """Carry out one operation; Refused where every contender must refuse as well."""
        method: Callable[..., object] = getattr(self, f"_{operation}")
        return method(**parameters)

    def _ping(self) -> str:
        return "ok"

    def _find_authors(self, phrase: str) -> list[Row]:
        _check(bool(phrase) and _is_sayable(phrase))
        books: dict[int, list[Row]] = {}
        for key in sorted(self._books):
            books.setdefault(self._books[key]["author_id"], []).append(self._books[key])
        found = [key for key in sorted(self._authors) if phrase in self._authors[key]["name"]]
        return [{**self._authors[key], "books": books.get(key, [])} for key in found]

    def _add_author(self, name: str, country: str) -> Row:
        _check(_is_text(name) and country in COUNTRIES)
        author = {"id": self._new_id(), "name": name, "country": country}
        self._authors[author["id"]] = author
        return self._with_books(author)

    def _read_author(self, id: int) -> Row:  # noqa: A002
        return self._with_books(_known(self._authors, id))

    def _update_author(self, id: int, name: str, country: str) -> Row:  # noqa: A002
        _check(_is_text(name) and country in COUNTRIES)
        author = _known(self._authors, id)
        author.update(name=name, country=country)
        return self._with_books(author)

    def _delete_author(self, id: int) -> int:  # noqa: A002
        author = self._with_books(_known(self._authors, id))
        for book in author["books"]:
            del self._books[book["id"]]
        del self._authors[id]
        return id

    def _add_book(self, author_id: int, title: str, year: int) -> Row:
        _check(_is_text(title) and 1 <= year <= LAST_YEAR)
        _known(self._authors, author_id)
        book = {"id": self._new_id(), "author_id": author_id, "title": title, "year": year}
        self._books[book["id"]] = book
        return book

    def _read_book(self, id: int) -> Row:  # noqa: A002
        return _known(self._books, id)

    def _update_book(self, id: int, title: str, year: int) -> Row:  # noqa: A002
        _check(_is_text(title) and 1 <= year <= LAST_YEAR)
        book = _known(self._books, id)
        book.update(title=title, year=year)
        return book

    def _delete_book(self, id: int) -> int:  # noqa: A002
        del self._books[_known(self._books, id)["id"]]
        return id

    def _new_id(self) -> int:
        self._next_id += 1
        return self._next_id

    def _with_books(self, author: Row) -> Row:
        mine = [book for book in self._books.values() if book["author_id"] == author["id"]]
        return {**author, "books": sorted(mine, key=lambda book: int(book["id"]))}


def _check(right: bool) -> None:
    if not right:
        raise Refused("invalid")


def _known(rows: dict[int, Row], key: int) -> Row:
    if key not in rows:
        raise Refused("not_found")
    return rows[key]


def _is_sayable(text: str) -> bool:
    """Tell whether every protocol and the store can carry it; length as UTF-16 counts it."""
    return len(
        text.encode("utf-16-le", "surrogatepass")
    ) // 2 <= LONGEST_TEXT and not UNSAYABLE.search(text)


def _is_text(text: str) -> bool:
    return bool(text.strip(BLANKS)) and _is_sayable(text)
