"""The common shape of answers: lists in order, and tolerances for numbers and times."""

import pytest

from wirelab.domain.model import Common
from wirelab.verify.equality.common_shape import shape, shape_differences

NOON = 1_767_268_800
"""2026-01-01T12:00:00Z, in seconds since 1970."""


def are_equal(common: Common, one: object, other: object) -> bool:
    """Compare two answers as verification does."""
    first, second = (shape(common, "rest", answer) for answer in (one, other))
    return not list(shape_differences(common, first, second))


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("n", [2, 9, 10, 100]),
        ("n", [-1.5, 0, 2, 10.25]),
        ("n", ["2026-01-01", "2026-01-31", "2026-02-01"]),
        ("n", ["2026-01-01T09:00:00Z", "2026-01-01T10:00:00Z"]),
        ("n", [None, 3, "3"]),
        ("to_string(n)", [10, "9", 7]),
        ("of.n", [3, 1, 2]),
        ("[n, of.n]", [1, 1, 2]),
    ],
)
def test_a_list_is_sorted_by_its_key(key: str, values: list[object]) -> None:
    common = Common.model_validate({"sorted": {"found": key}})
    items = [
        {"n": value, "of": {"n": number}, "label": f"item {number}"}
        for number, value in enumerate(values)
    ]

    assert are_equal(common, {"found": items}, {"found": items[::-1]})
    assert not are_equal(Common(), {"found": items}, {"found": items[::-1]})
    assert not are_equal(common, {"found": items}, {"found": items[1:]})


def test_numbers_are_sorted_by_their_size() -> None:
    common = Common.model_validate({"sorted": {"": "n"}})

    assert shape(common, "rest", [{"n": 10}, {"n": 9}, {"n": 9.5}]) == [
        {"n": 9},
        {"n": 9.5},
        {"n": 10},
    ]


def test_nested_lists_are_each_sorted_by_their_own_key() -> None:
    common = Common.model_validate({"sorted": {"": "id", "*/days": "@"}})
    one = [{"id": 1, "days": ["2026-02-01", "2026-01-31"]}, {"id": 2, "days": []}]
    other = [{"id": 2, "days": []}, {"id": 1, "days": ["2026-01-31", "2026-02-01"]}]

    assert are_equal(common, one, other)


@pytest.mark.parametrize(
    ("one", "other", "tolerance", "is_near"),
    [
        (1.0, 1.005, 0.005, True),
        (1.0, 1.006, 0.005, False),
        (-0.002, 0.002, 0.005, True),
        (7, "7", 0, True),
        (7, "7.5", 0.5, True),
        (7, "seven", 10, False),
        (1, True, 10, False),
        (0, None, 10, False),
        (0, [], 10, False),
    ],
)
def test_a_tolerance_for_numbers(
    one: object, other: object, tolerance: float, is_near: bool
) -> None:
    common = Common(tolerance={"price": tolerance})

    assert are_equal(common, {"price": one}, {"price": other}) is is_near
    assert are_equal(common, {"price": other}, {"price": one}) is is_near
    assert not are_equal(common, {"other": 1.0}, {"other": 1.001})


@pytest.mark.parametrize(
    ("one", "other", "tolerance", "is_near"),
    [
        ("2026-01-01T12:00:00Z", "2026-01-01T13:00:00+01:00", "0s", True),
        ("2026-01-01T12:00:00Z", "2026-01-01T12:00:00", "0s", True),
        ("2026-01-01T12:00:00Z", "2026-01-01T12:00:00.250Z", "250ms", True),
        ("2026-01-01T12:00:00Z", "2026-01-01T12:00:00.251Z", "250ms", False),
        ("2026-01-01T12:00:00Z", "2026-01-01T12:00:05Z", "5s", True),
        ("2026-01-01T12:00:00Z", "2026-01-01T12:00:06Z", "5s", False),
        ("2026-01-01T12:00:00Z", "2026-01-01T12:01:30Z", "1.5min", True),
        ("2026-01-01T12:00:00Z", "2026-01-01T14:00:01Z", "2h", False),
        ("2026-01-01", "2026-01-02", "1d", True),
        ("2026-01-01", "2026-01-03", "1d", False),
        (NOON, "2026-01-01T12:00:01Z", "1s", True),
        (NOON * 1000, "2026-01-01T12:00:00Z", "0s", True),
        (NOON * 1000, NOON, "0s", True),
        (str(NOON), "2026-01-01T12:00:00Z", "0s", True),
        ("noon", "2026-01-01T12:00:00Z", "1d", False),
        (None, "2026-01-01T12:00:00Z", "1d", False),
    ],
)
def test_a_tolerance_for_times(one: object, other: object, tolerance: str, is_near: bool) -> None:
    common = Common(tolerance={"*/at": tolerance})

    assert are_equal(common, [{"at": one}], [{"at": other}]) is is_near
    assert are_equal(common, [{"at": other}], [{"at": one}]) is is_near
