"""What is understood by the arguments of `wirelab compare`: addresses, commands, versions."""

import pytest

from wirelab.compare.sides import Side, read_sides
from wirelab.problems import ProblemsError


def side(written: str) -> Side:
    (found,) = read_sides([written], None, least=1)
    return found


def messages(error: pytest.ExceptionInfo[ProblemsError]) -> list[str]:
    return [str(problem) for problem in error.value.problems]


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


def test_a_variable_of_a_command_is_not_taken_for_a_name() -> None:
    with pytest.raises(ProblemsError) as error:
        side("NODE_ENV=production node a.js {port}")

    (message,) = messages(error)
    assert message == (
        "NODE_ENV=… may be the name of the side, or a variable of its command\n"
        "hint: write 'a=NODE_ENV=…' for a variable, 'node_env=…' for a name"
    )
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


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("localhost:8080", "did you mean http://localhost:8080?"),
        ("localhost:8080/items/7", "did you mean http://localhost:8080/items/7?"),
        ("main", "a git version needs --start"),
    ],
)
def test_the_error_for_an_invalid_address_contains_a_suggestion(written: str, hint: str) -> None:
    with pytest.raises(ProblemsError) as error:
        side(written)

    (message,) = messages(error)
    assert message.startswith(f"servers is {written!r}; expected SCHEME://HOST:PORT")
    assert message.endswith(f"(hint: {hint})")


def test_all_wrong_arguments_are_reported_at_once() -> None:
    with pytest.raises(ProblemsError) as error:
        read_sides(["foo", "http://localhost:1/", "bar"], None)

    assert [message.partition(";")[0] for message in messages(error)] == [
        "servers is 'foo'",
        "servers is 'bar'",
    ]


@pytest.mark.parametrize(("least", "message"), [(1, "at least one: "), (2, "at least two: ")])
def test_too_few_sides_are_refused(least: int, message: str) -> None:
    with pytest.raises(ProblemsError, match=f"servers is .*; expected {message}"):
        read_sides([], None, least=least)
