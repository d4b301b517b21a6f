"""All options of a comparison or a capacity: what they are about, and what is wrong, at once."""

from pathlib import Path
from typing import Any

import pytest

from tests.compare.running import wirelab
from tests.support.requests import capacity_of, comparison_of, problems_of
from wirelab.compare.budget import Spending
from wirelab.compare.limits import Limit
from wirelab.compare.protocols import find_protocol_comparison, write_study
from wirelab.inputs.options import names
from wirelab.inputs.problems import Problem
from wirelab.planning.schedule import schedule
from wirelab.study import family, load_study
from wirelab.terminal.exit_codes import ExitCode

URLS = "http://localhost:1/", "http://localhost:2/"


def values(problems: list[Problem]) -> list[tuple[str, object]]:
    """Return the option and its value of each problem."""
    return [(each.where, each.value) for each in problems]


def test_options_may_name_a_side_as_the_argument_does() -> None:
    found = comparison_of(
        *("New=http://localhost:1/", "v1.2=http://localhost:2/"),
        pid=["New=1"],
        header=["New/X: 1", "new/Y: 2", "Z: 3"],
        fail_if=["v1.2.p99>20ms", "p50>1s"],
    )

    assert [each.name for each in found.sides] == ["new", "v1-2"]
    assert found.terms.pids == {"new": 1}
    assert found.terms.access.headers == {"new": {"x": "1", "y": "2"}, "": {"z": "3"}}
    assert [limit.contender for limit in found.limits] == ["v1-2", ""]


def test_a_limit_may_name_a_side_with_dots() -> None:
    limit = Limit.parse("v1.2.p99>20ms")

    assert (limit.contender, limit.metric) == ("v1.2", "p99")


def test_several_limits_in_one_option_are_refused_with_all_their_mistakes() -> None:
    sides, limits = ("old=http://localhost:1/", "new=http://localhost:2/"), "neu.p99>5ms,p99>5kg"

    *limited, unknown = problems_of(comparison_of, *sides, fail_if=[limits])

    assert values(limited) == [("--fail-if", limits), ("--fail-if", "p99>5kg")]
    assert unknown.where.startswith("--fail-if: ")
    assert unknown.hint == "did you mean 'new'?"


def test_all_errors_of_a_comparison_are_reported_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kept").touch()

    problems = problems_of(
        comparison_of,
        *("foo", "bar"),
        budget="soon",
        clients=0,
        rate=0.0,
        pid=["7"],
        output=tmp_path,
        baseline=Path("nothing"),
        headers_file=Path("headers"),
        ca=Path("ca.pem"),
        key=Path("kept"),
    )

    assert [value for value in values(problems) if value[1] is not None] == [
        ("--budget", "soon"),
        ("--clients", 0),
        ("--rate", 0.0),
        ("--pid", "7"),
        ("--headers-file", "headers"),
        ("--ca", "ca.pem"),
    ]
    first_words = [each.where.split()[0] for each in problems if each.value is None]
    assert first_words == [str(tmp_path), "cannot", "--cert", "foo"]


def test_all_errors_of_a_capacity_are_reported_at_once() -> None:
    problems = problems_of(
        *(capacity_of, "localhost:1"),
        search="soon",
        trial="49ms",
        path="items",
        connections=0,
        blocks=0,
        repeats=0,
    )

    assert values(problems) == [
        ("--search", "soon"),
        ("--trial", "49ms"),
        ("--connections", 0),
        ("--blocks", 0),
        ("--repeats", 0),
        ("--path", "items"),
        ("server", "localhost:1"),
    ]


def test_numbers_above_what_can_be_measured_are_reported_at_once() -> None:
    problems = problems_of(
        *(capacity_of, "http://localhost:1/"),
        objective="failed<150%",
        connections=100_000_000,
        blocks=1_000_000,
        repeats=1_000_000,
    )

    assert values(problems) == [
        ("--objective", "failed<150%"),
        ("--connections", 100_000_000),
        ("--blocks", 1_000_000),
        ("--repeats", 1_000_000),
    ]
    for option, value in (("clients", 60_001), ("rate", float("inf"))):
        problems = problems_of(comparison_of, *URLS, **{option: value})
        assert values(problems) == [(f"--{option}", value)]


def test_an_open_load_has_as_many_connections_as_clients() -> None:
    terms = comparison_of(*URLS, clients=5, rate=10.0).terms

    assert (terms.clients, terms.rate_per_s) == (5, 10.0)


def test_times_are_read_as_they_are_everywhere() -> None:
    capacity = capacity_of("http://localhost:1/", trial="50ms", search="0.5").terms.capacity

    assert capacity is not None
    assert (capacity["trial_seconds"], capacity["search_seconds"]) == (0.05, 0.5)
    assert comparison_of(*URLS, budget="5").seconds == 5.0
    assert values(problems_of(comparison_of, *URLS, budget="0s")) == [("--budget", "0s")]


def test_a_capacity_is_not_that_of_a_domain() -> None:
    (problem,) = problems_of(capacity_of, "library", "rest")

    assert problem.where.startswith("library ")


@pytest.mark.parametrize(
    ("option", "options"),
    [
        ("--build", {"build": "make"}),
        ("--openapi", {"openapi": __file__}),
        ("--path", {"path": "/items"}),
        ("--csv", {"csv": Path(__file__)}),
        ("--header", {"header": ["X-Own: 1"]}),
        ("--headers-file", {"headers_file": Path(__file__)}),
        ("--ca", {"ca": Path("ca.pem")}),
        ("--pid", {"pid": ["rest=1"]}),
    ],
)
def test_an_option_about_servers_is_refused_beside_a_domain(
    option: str, options: dict[str, Any]
) -> None:
    (problem,) = problems_of(comparison_of, "library", "rest", "graphql", **options)

    assert problem.where == option
    assert "is a domain" in problem.expected


def test_versions_may_have_the_name_of_a_domain() -> None:
    found = comparison_of("library", "main", start="serve {port}")

    assert not found.domain
    assert [each.version for each in found.sides] == ["library", "main"]


def test_a_domain_is_compared_by_its_protocols() -> None:
    found = comparison_of("library", "rest", "graphql")

    assert found.domain == ("library", "rest", "graphql")
    assert not found.sides


@pytest.mark.parametrize("chosen", [("rest",), ("rest", "rest")])
def test_one_protocol_of_a_domain_is_no_comparison(chosen: tuple[str, ...]) -> None:
    (problem,) = problems_of(find_protocol_comparison, "library", chosen, (), allow_writes=False)

    assert problem.value == ", ".join(chosen)


def test_an_unknown_contender_is_named_with_each_choice_once() -> None:
    chosen = ("rest", "graphl")
    (problem,) = problems_of(find_protocol_comparison, "library", chosen, (), allow_writes=False)

    assert (problem.value, problem.hint) == ("graphl", "did you mean 'graphql'?")
    choices = problem.expected.partition("one of ")[2].split(", ")
    assert len(choices) == len(set(choices))


@pytest.mark.parametrize(
    ("domain", "chosen", "operation", "hint", "lacking"),
    [
        ("library", ("rest", "graphql"), "add_author", "see --allow-writes", ""),
        ("shop", ("rest", "graphql"), "quote_wishes", "", "not offered by rest-"),
        ("shop", ("graphql", "rest", "grpc"), "watch_products", "", "not offered by graphql-"),
    ],
)
def test_an_operation_that_cannot_be_compared_is_refused_with_the_reason(
    domain: str, chosen: tuple[str, ...], operation: str, hint: str, lacking: str
) -> None:
    (problem,) = problems_of(
        find_protocol_comparison, domain, chosen, (operation,), allow_writes=False
    )

    assert (problem.where, problem.value, problem.hint) == (domain, operation, hint)
    assert lacking in problem.expected


def test_contenders_of_a_domain_are_compared_with_the_first_only(tmp_path: Path) -> None:
    requested = ("rest", "graphql", "grpc")
    comparison = find_protocol_comparison("library", requested, ("read_book",), allow_writes=False)
    first, *others = (each.id for each in comparison.contenders)
    terms = comparison_of("library", *requested).terms
    study = load_study(write_study(tmp_path, comparison, terms, Spending(1, 2, 20, 3.0)))

    pairs = family(study, schedule(study, "compare", 1).cells)

    assert {(pair.a.contender, pair.b.contender) for pair in pairs} == {
        (other, first) for other in others
    }


def test_operations_that_only_some_others_offer_are_compared() -> None:
    assert find_protocol_comparison(
        "shop", ("rest", "graphql", "grpc"), ("watch_products",), allow_writes=False
    )


def test_all_unknown_names_of_a_domain_are_reported_at_once() -> None:
    problems = problems_of(
        find_protocol_comparison,
        *("library", ("rset", "graphql", "soup"), ("none", "nobody")),
        allow_writes=False,
    )

    assert [each.value for each in problems] == ["rset", "soup", "none, nobody"]


def test_names_after_a_comma_may_follow_a_space() -> None:
    assert names(["a, b", " c ,"]) == ("a", "b", "c")


def test_values_are_shown_as_they_were_written() -> None:
    writes, only = problems_of(comparison_of, *URLS, only=["foo", "bar"], allow_writes=True)

    assert writes.where.startswith("--allow-writes needs --reset")
    assert (only.where, only.value) == ("--only", "foo,bar")


def test_variables_that_are_not_set_are_reported_with_all_other_mistakes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KNOWN_TOKEN", "secret")
    monkeypatch.delenv("NO_TOKEN", raising=False)
    headers = ["X: ${NO_TOKEN}", "a/Y: ${NO_TOKEN}", "Z: ${KNOWN_TOKEN}"]
    sides = ("a=http://localhost:1/", "b=http://localhost:2/")

    budget, *variables = problems_of(comparison_of, *sides, header=headers, budget="soon")

    assert budget.where == "--budget"
    assert [each.where.split()[1] for each in variables] == ["x:", "a/y:"]
    assert {each.hint for each in variables} == {"export NO_TOKEN=…"}


def test_an_option_with_an_empty_value_is_not_ignored() -> None:
    assert values(problems_of(comparison_of, *URLS, openapi="")) == [("--openapi", "")]


def test_a_domain_with_a_store_needs_no_command_that_restores_data(tmp_path: Path) -> None:
    done = wirelab(
        *("compare", "library", "rest", "graphql", "--reset", "true"),
        folder=tmp_path,
        constants={"wirelab.commands.own_api.compare.run_study": None},  # nothing is measured
    )

    assert done.returncode == ExitCode.BAD_INPUT, done.stderr
    assert done.stderr.startswith("error: --reset is 'true'")
