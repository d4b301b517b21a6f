"""What is understood by the arguments of `wirelab compare`: addresses, commands, versions."""

import pytest

from wirelab.analysis.names import SIDES, label_contenders
from wirelab.bundle import ContenderRecord
from wirelab.compare.sides import Side, read_sides
from wirelab.inputs.problems import ProblemsError


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


def test_an_address_is_no_version_to_start() -> None:
    with pytest.raises(ProblemsError) as error:
        read_sides(["a=http://localhost:1/", "http://localhost:2/"], "serve {port}")

    (message,) = messages(error)
    assert message.startswith(
        "addresses take no --start: a=http://localhost:1/ and http://localhost:2/\nhint: "
    )


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


def test_a_scheme_with_a_typing_error_leads_to_the_scheme() -> None:
    with pytest.raises(ProblemsError, match="ws, wss; did you mean 'http'"):
        side("htp://localhost:8080/items/7")


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("localhost:8080", "did you mean http://localhost:8080?"),
        ("localhost:8080/items/7", "did you mean http://localhost:8080/items/7?"),
    ],
)
def test_the_error_for_an_invalid_address_contains_a_suggestion(written: str, hint: str) -> None:
    with pytest.raises(ProblemsError) as error:
        side(written)

    (message,) = messages(error)
    assert message.startswith(f"server is {written!r}; expected SCHEME://HOST:PORT")
    assert message.endswith(f"(hint: {hint})")


def test_sides_without_a_host_are_reported_at_once() -> None:
    with pytest.raises(ProblemsError) as error:
        read_sides(["http://", "b=grpc://"], None)

    assert messages(error) == [
        "server is 'http://'; expected a host after http://, as in http://localhost:8080",
        "server is 'b=grpc://'; expected a host after grpc://, as in grpc://localhost:8080",
    ]


def test_all_wrong_arguments_are_reported_at_once() -> None:
    with pytest.raises(ProblemsError) as error:
        read_sides(["foo", "http://localhost:1/", "bar", "a=serve 80", "localhost:1"], None)

    assert [it.partition("\n")[0].partition("; expected SCH")[0] for it in messages(error)] == [
        "foo and bar are neither addresses nor commands with {port}",
        "server is 'a=serve 80'; expected a command that contains {port}, since wirelab chooses"
        " the ports",
        "server is 'localhost:1'",
    ]


def test_a_name_without_start_is_neither_address_nor_command() -> None:
    with pytest.raises(ProblemsError) as error:
        read_sides(["main", "http://localhost:1/"], None)

    (message,) = messages(error)
    assert message.startswith("main is neither an address nor a command with {port}\nhint: ")
    assert "git versions need --start" in message


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


@pytest.mark.parametrize(
    ("written", "least", "expected"),
    [
        ([], 1, "a comparison takes at least one side, and none is given\nhint: give addresses, "),
        (["a=http://x/1"], 2, "a comparison takes at least two sides, and the only side is 'a'\n"),
    ],
)
def test_too_few_sides_are_refused(written: list[str], least: int, expected: str) -> None:
    with pytest.raises(ProblemsError) as error:
        read_sides(written, None, least=least)

    (message,) = messages(error)
    assert message.startswith(expected)


def test_a_name_that_is_given_twice_is_refused() -> None:
    with pytest.raises(ProblemsError) as error:
        read_sides(["old=http://localhost:1/", "Old=http://localhost:2/"], None)

    assert messages(error) == ["2 sides are named 'old'\nhint: give each side its own name"]
