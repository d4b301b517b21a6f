"""Pointers find and put values, one, or all that a star matches."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wirelab.domain import pointer


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("", {"orders": [{"id": 7}, {"id": 8}], "a/b": {"~": 1}}),
        ("/orders/1/id", 8),
        ("/orders/*/id", 7),
        ("/a~1b/~0", 1),
        ("/orders/2", None),
        ("/orders/id", None),
        ("/nowhere/else", None),
        ("/a~1b/~0/deeper", None),
    ],
)
def test_find(where: str, found: object) -> None:
    document = {"orders": [{"id": 7}, {"id": 8}], "a/b": {"~": 1}}

    assert pointer.find(document, where) == found


def test_stars_stand_for_every_item() -> None:
    document = {"a": [{"b": [1, 2]}, {"c": 0}, {"b": [3]}]}

    assert list(pointer.matches(document, "/a/*/b/*")) == [((0, 0), 1), ((0, 1), 2), ((2, 0), 3)]


@pytest.mark.parametrize(
    ("document", "where", "stars", "result"),
    [
        (None, "", (), "new"),
        (None, "/a/b", (), {"a": {"b": "new"}}),
        ({"a": 1}, "/b", (), {"a": 1, "b": "new"}),
        ({"a": [{"x": 1}, {"x": 2}]}, "/a/*/y", (1,), {"a": [{"x": 1}, {"x": 2, "y": "new"}]}),
        ({}, "/a/*", (2,), {"a": [None, None, "new"]}),
        ({}, "/a/*/b", (1,), {"a": [None, {"b": "new"}]}),
        (None, "/*/b", (0,), [{"b": "new"}]),
    ],
)
def test_put(document: Any, where: str, stars: tuple[int, ...], result: Any) -> None:
    assert pointer.put(document, where, stars, "new") == result


@pytest.mark.parametrize("document", [{"a": "text"}, "text", {"a": 1}])
def test_nothing_is_put_into_a_text_or_a_number(document: Any) -> None:
    with pytest.raises(LookupError, match="cannot insert"):
        pointer.put(document, "/a/b", (), "new")


@settings(deadline=None)
@given(st.lists(st.text(max_size=4).filter(lambda part: part != "*"), max_size=4), st.integers())
def test_a_value_that_was_put_is_found(path: list[str], value: int) -> None:
    where = pointer.join(path)

    assert pointer.parts(where) == path
    assert pointer.find(pointer.put(None, where, (), value), where) == value
