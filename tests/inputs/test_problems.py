"""Problems are collected, merged and shown."""

import pytest

from tests.support.requests import problems_of
from tests.support.wording import assert_worded
from wirelab.inputs.problems import (
    Problem,
    ProblemsError,
    add_problem,
    captured_problems,
    collected_problems,
    merged,
    noting_problems,
)


def fail() -> None:
    raise ProblemsError([Problem("file", "raised", 1, "2")])


def test_a_problem_is_raised_at_once_if_none_are_collected() -> None:
    with pytest.raises(ProblemsError) as raised:
        add_problem("file", "key", 1, "2")

    assert raised.value.problems == [Problem("file", "key", 1, "2")]


def collect(reached: list[str]) -> None:
    with collected_problems():
        add_problem("file", "first", 1, "2")
        with noting_problems():
            fail()
        reached.append("after")
        add_problem("file", "last", 1, "2")
        fail()
        reached.append("never")


def test_problems_are_raised_together_at_the_end_or_with_what_ends_the_collection() -> None:
    reached: list[str] = []

    problems = problems_of(collect, reached)

    assert [each.key for each in problems] == ["first", "raised", "last", "raised"]
    assert reached == ["after"]


def test_captured_problems_are_not_those_of_the_collection_around_them() -> None:
    with collected_problems() as outer:
        with captured_problems() as inner:
            fail()
        assert [each.key for each in inner] == ["raised"]
        assert outer == []


def test_a_value_that_many_keys_share_is_shown_once() -> None:
    shared = [Problem("claims.toml", f"claim.{n}", "grpc-notes", "one of a") for n in range(4)]
    missing = [Problem("claims.toml", f"claim.{n}.text", None, "a value") for n in range(4)]

    first, *others = merged([*shared, *missing])

    assert (first.key, first.others) == ("claim.0", 3)
    assert others == missing


def test_a_table_that_is_not_valid_as_a_whole_is_not_printed() -> None:
    table = {"title": "a" * 80}

    assert_worded(Problem("f", "k", table, "a value"))
