"""What is understood by the arguments of `wirelab compare`: addresses, commands, versions."""

import pytest

from tests.support.requests import problems_of
from tests.support.wording import raises_worded
from wirelab.analysis.names import SIDES, label_contenders
from wirelab.bundle import ContenderRecord
from wirelab.compare.sides import ComparedSide, read_sides
from wirelab.inputs.problems import ProblemsError


def side(written: str) -> ComparedSide:
    (found,) = read_sides([written], None, least=1)
    return found


@pytest.mark.parametrize(
    "command",
    ["./server --db postgres://localhost/x --port {port}", "./server http://localhost:{port}/"],
)
def test_a_command_may_contain_a_url(command: str) -> None:
    assert side(f"new={command}").command == command


def test_an_address_may_contain_the_placeholder_of_the_port() -> None:
    found = side("new=http://localhost:1/{port}")

    assert found.address is not None
    assert not found.command


def test_an_address_is_no_version_to_start() -> None:
    sides = ["a=http://localhost:1/", "http://localhost:2/"]
    (problem,) = problems_of(read_sides, sides, "serve {port}")

    assert "--start" in problem.where
    assert all(side in problem.where for side in sides)
    assert problem.hint


def test_a_variable_of_a_command_is_not_taken_for_a_name() -> None:
    (problem,) = problems_of(side, "NODE_ENV=production node a.js {port}")

    assert "NODE_ENV" in problem.where
    assert "'a=NODE_ENV=…'" in problem.hint
    assert "'node_env=…'" in problem.hint
    assert side("a=NODE_ENV=production node {port}").command == "NODE_ENV=production node {port}"
    assert side("node_env=node {port}").command == "node {port}"


@pytest.mark.parametrize(
    ("versions", "found"),
    [
        (["v1", "v1", "v1.2"], ["v1", "v1-3", "v1-2"]),
        (["v1.2", "v1", "v1"], ["v1-2", "v1", "v1-3"]),
        (["a", "a", "a"], ["a", "a-2", "a-3"]),
        (["main...HEAD"], ["main", "head"]),
        (["main..HEAD"], ["main", "head"]),
    ],
)
def test_every_side_has_a_unique_name(versions: list[str], found: list[str]) -> None:
    assert [each.name for each in read_sides(versions, "serve {port}")] == found


def test_a_scheme_with_a_typing_error_leads_to_the_scheme() -> None:
    with raises_worded(ProblemsError):
        side("htp://localhost:8080/items/7")


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("localhost:8080", "did you mean http://localhost:8080?"),
        ("localhost:8080/items/7", "did you mean http://localhost:8080/items/7?"),
    ],
)
def test_the_error_for_an_invalid_address_contains_a_suggestion(written: str, hint: str) -> None:
    (problem,) = problems_of(side, written)

    assert (problem.where, problem.value, problem.hint) == ("server", written, hint)
    assert problem.expected.startswith("SCHEME://HOST:PORT")


def test_sides_without_a_host_are_reported_at_once() -> None:
    problems = problems_of(read_sides, ["http://", "b=grpc://"], None)

    assert [each.value for each in problems] == ["http://", "b=grpc://"]
    assert "http://localhost:8080" in problems[0].expected
    assert "grpc://localhost:8080" in problems[1].expected


def test_all_wrong_arguments_are_reported_at_once() -> None:
    sides = ["foo", "http://localhost:1/", "bar", "a=serve 80", "localhost:1"]
    words, *others = problems_of(read_sides, sides, None)

    assert words.where.startswith("foo and bar ")
    assert [each.value for each in others] == ["a=serve 80", "localhost:1"]


def test_a_name_without_start_is_neither_address_nor_command() -> None:
    (problem,) = problems_of(read_sides, ["main", "http://localhost:1/"], None)

    assert problem.where.startswith("main ")
    assert "--start" in problem.hint


def test_a_side_without_a_name_has_one_short_name_everywhere() -> None:
    written = ["http://localhost:1/a", "http://localhost:1/b", "./serve {port}"]

    found = read_sides([*written, "My.Side=http://localhost:2/"], None)

    assert [(each.name, each.title) for each in found] == [
        ("localhost-1", "localhost-1"),
        ("localhost-1-2", "localhost-1-2"),
        ("serve", "serve"),
        ("my-side", "My.Side"),
    ]
    records = {
        each.name: ContenderRecord(title=each.title, protocol="rest", stack=SIDES) for each in found
    }
    assert [*label_contenders(records).values()] == [each.title for each in found]


@pytest.mark.parametrize(("written", "least"), [([], 1), (["a=http://x/1"], 2)])
def test_too_few_sides_are_refused(written: list[str], least: int) -> None:
    (problem,) = problems_of(read_sides, written, None, least=least)

    assert f"at least {'one' if least == 1 else 'two'} side" in problem.where
    assert problem.hint


def test_a_name_that_is_given_twice_is_refused() -> None:
    (problem,) = problems_of(
        read_sides, ["old=http://localhost:1/", "Old=http://localhost:2/"], None
    )

    assert "'old'" in problem.where
