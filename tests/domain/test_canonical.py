"""Two answers are the same when nothing differs that a protocol could distinguish."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wirelab.domain import canonical, difference
from wirelab.domain.canonical import MASK, alike, differing_beside

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)


def shuffled(value: Any, order: Any) -> Any:
    if isinstance(value, dict):
        items = [(key, shuffled(item, order)) for key, item in value.items()]
        return dict(sorted(items, key=lambda item: order(item[0])))
    return [shuffled(item, order) for item in value] if isinstance(value, list) else value


@settings(deadline=None)
@given(json_values)
def test_the_canonical_form_is_its_own_canonical_form(value: Any) -> None:
    assert canonical(canonical(value)) == canonical(value)


@settings(deadline=None)
@given(json_values)
def test_the_order_of_keys_does_not_matter(value: Any) -> None:
    turned = shuffled(value, lambda key: [-ord(letter) for letter in key])

    assert canonical(turned) == canonical(value)
    assert str(canonical(turned)) == str(canonical(value))


@settings(deadline=None)
@given(json_values)
def test_nothing_differs_from_itself(value: Any) -> None:
    assert difference(canonical(value), canonical(value)) is None


@settings(deadline=None)
@given(json_values, json_values)
def test_values_that_are_alike_do_not_differ(one: Any, two: Any) -> None:
    turned = shuffled(one, lambda key: [-ord(letter) for letter in key])

    assert alike(one, turned) == (one == turned)  # NaN does not equal itself
    if alike(one, two):
        assert difference(canonical(one), canonical(two)) is None


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (True, 1),
        (0.0, False),
        ([{"a": 1}], [{"a": True}]),
        ({"a": [False]}, {"a": [0]}),
        ((True,), (1,)),
        ([1], ["1"]),
        ({"a": 1}, {"a": 2}),
        (Decimal(1), Decimal(1)),
    ],
)
def test_other_values_must_be_compared(one: Any, two: Any) -> None:
    assert not alike(one, two)


@settings(deadline=None)
@given(json_values, json_values)
def test_a_difference_is_found_exactly_where_there_is_one(one: Any, two: Any) -> None:
    found = difference(canonical({"one": one}), canonical({"one": two}))
    back = difference(canonical({"one": two}), canonical({"one": one}))

    assert (found is None) == (back is None)
    if found and back:
        assert found.path == back.path
        assert (found.expected, found.got) == (back.got, back.expected)
    else:
        assert str(canonical(one)) == str(canonical(two))


@settings(deadline=None)
@given(st.lists(json_values, max_size=4), json_values)
def test_one_item_more_is_a_difference(items: list[Any], last: Any) -> None:
    assert difference(canonical([*items, last]), canonical(items)) is not None


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ({"a": None, "b": [], "c": 1}, {"c": 1}),
        ([], None),
        ({"price": 3.0}, {"price": 3}),
        ({"price": Decimal("19.99")}, {"price": 19.99}),
        ({"price": 2**60}, {"price": float(2**60)}),
        ({"mean": Decimal("22.3333333333333333")}, {"mean": 67 / 3}),
        ({"a": [[], 1]}, {"a": [None, 1]}),
        ({"zero": -0.0}, {"zero": 0}),
        ((1, 2), [1, 2]),
    ],
)
def test_values_that_protocols_cannot_distinguish_are_the_same(one: Any, two: Any) -> None:
    assert difference(canonical(one), canonical(two)) is None


@pytest.mark.parametrize(
    ("expected", "got", "path", "values"),
    [
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, "/a/b/1", (2, 3)),
        ({"a": 1, "b": 2}, {"a": 1}, "/b", (2, None)),
        ({"a": 1}, {"a": 1, "b": 2}, "/b", (None, 2)),
        ([1, 2], [1], "/1", (2, None)),
        ({"a": 1}, {"a": True}, "/a", (1, True)),
        ({"a": 1}, {"a": "1"}, "/a", (1, "1")),
        ({"a": 67 / 3}, {"a": 10**400}, "/a", (67 / 3, 10**400)),
        (
            {"a": 22.33},
            {"a": Decimal("22.3333333333333333")},
            "/a",
            (22.33, Decimal("22.3333333333333333")),
        ),
        ({"a": ""}, {}, "/a", ("", None)),
        ([1, 2], [2, 1], "/0", (1, 2)),
        ({"a": {}}, {"a": None}, "/a", ({}, None)),
        ({"a/b": {"~": 1}}, {"a/b": {"~": 2}}, "/a~1b/~0", (1, 2)),
        ("text", None, "", ("text", None)),
    ],
)
def test_a_difference_has_a_path_and_both_values(
    expected: Any, got: Any, path: str, values: tuple[Any, Any]
) -> None:
    assert difference(canonical(expected), canonical(got)) == (path, *values)


@pytest.mark.parametrize(
    ("one", "two", "beside"),
    [
        ({"a": 1, "b": 2}, {"a": 3, "b": 2}, []),
        ({"a": 1, "b": 2, "c": {"d": 1}}, {"a": 3, "c": {"d": 2}, "e": 4}, ["/b", "/c", "/e"]),
        ([{"x": {"a": 1, "b": 2}}], [{"x": {"a": 2, "b": 1}}], ["/0/x/b"]),
        ([1, 2], [3, 4], []),
        (1, 2, []),
    ],
)
def test_what_else_differs_in_the_object_is_named(one: Any, two: Any, beside: list[str]) -> None:
    first = difference(one, two)

    assert first is not None
    assert differing_beside(one, two, first.path) == beside


def test_a_mask_hides_a_value_but_not_that_it_is_missing() -> None:
    masked = ["id", "items/*/id"]
    right = canonical({"id": 1, "items": [{"id": 2, "n": 1}, {"id": 3, "n": 2}]}, masked)
    other = canonical({"id": "x", "items": [{"id": "y", "n": 1}, {"id": "z", "n": 2}]}, masked)
    without = canonical({"id": "x", "items": [{"id": "y", "n": 1}, {"n": 2}]}, masked)

    assert difference(right, other) is None
    assert difference(right, without) == ("/items/1/id", MASK, None)


def test_values_known_to_be_the_same_are_the_same_only_in_pairs() -> None:
    same = [("reference's", "server's")]

    assert difference({"id": "reference's"}, {"id": "server's"}, same) is None
    assert difference({"id": "reference's"}, {"id": "another"}, same) is not None
    assert difference({"id": "server's"}, {"id": "reference's"}, same) is not None
