"""All options of a comparison or a capacity: what they are about, and what is wrong, at once."""

from pathlib import Path

import pytest

from tests.compare.running import wirelab
from tests.compare.test_safety import request
from tests.compare.test_sides import messages
from wirelab.cli.options import given, names
from wirelab.compare.budget import Spending
from wirelab.compare.capacity import read_capacity
from wirelab.compare.limits import Limit
from wirelab.compare.protocols import find_protocol_comparison, write_study
from wirelab.inputs.problems import ProblemsError
from wirelab.planning.schedule import schedule
from wirelab.study import family, load_study
from wirelab.terminal.exit_codes import ExitCode

URLS = "http://localhost:1/", "http://localhost:2/"


def test_options_may_name_a_side_as_the_argument_does() -> None:
    found = request(
        *("New=http://localhost:1/", "v1.2=http://localhost:2/"),
        pids=("New=1",),
        headers=("New/X: 1", "new/Y: 2", "Z: 3"),
        fail_if=("v1.2.p99>20ms", "p50>1s"),
    )

    assert [each.name for each in found.sides] == ["new", "v1-2"]
    assert found.terms.pids == {"new": 1}
    assert found.terms.access.headers == {"new": {"x": "1", "y": "2"}, "": {"z": "3"}}
    assert [limit.contender for limit in found.limits] == ["v1-2", ""]


def test_a_limit_may_name_a_side_with_dots() -> None:
    limit = Limit.parse("v1.2.p99>20ms")

    assert (limit.contender, limit.metric) == ("v1.2", "p99")


def test_several_limits_in_one_option_are_refused_with_all_their_mistakes() -> None:
    with pytest.raises(ProblemsError) as error:
        request(
            *("old=http://localhost:1/", "new=http://localhost:2/"),
            fail_if=("neu.p99>5ms,ratio>1.1,p99>5m",),
        )

    assert messages(error) == [
        "--fail-if is 'neu.p99>5ms,ratio>1.1,p99>5m'; expected one limit: give --fail-if once for"
        " each limit",
        "--fail-if is 'p99>5m'; expected a time with its unit: us, ms or s",
        "--fail-if: no side 'neu'; sides: old, new\nhint: did you mean 'new'?",
    ]


def test_all_errors_of_a_comparison_are_reported_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kept").touch()
    with pytest.raises(ProblemsError) as error:
        request(
            *("foo", "bar"),
            budget="soon",
            clients=0,
            rate=0.0,
            pids=("7",),
            output=tmp_path,
            baseline=Path("nothing"),
            headers_file=Path("headers"),
            tls={"ca": Path("ca.pem"), "key": Path("kept")},
        )

    assert [it.partition("\n")[0].partition(";")[0] for it in messages(error)] == [
        "--budget is 'soon'",
        "--clients is 0",
        "--rate is 0.0",
        f"{tmp_path} exists already",
        "cannot read the bundle nothing: no such folder",
        "--headers-file is 'headers'",
        "--ca is 'ca.pem'",
        "--cert and --key: expected both, or neither",
        "--pid is '7'",
        "foo and bar are neither addresses nor commands with {port}",
    ]


def capacity(*sides: str, **options: object) -> None:
    defaults = {
        "objective": "p99<50ms",
        "connections": 1,
        "blocks": 6,
        "repeats": 1,
        "trial": None,
        "search": "40s",
        "descriptions": {},
        "headers": (),
        "headers_file": None,
        "tls": {},
        "margin": 5.0,
        "start": None,
        "csv": None,
        "output": None,
        "path": "",
    }
    read_capacity(sides, **{**defaults, **options})  # type: ignore[arg-type]


def test_all_errors_of_a_capacity_are_reported_at_once() -> None:
    with pytest.raises(ProblemsError) as error:
        capacity("localhost:1", search="soon", path="items", connections=0, blocks=0, repeats=0)

    assert [message.partition(";")[0] for message in messages(error)] == [
        "--search is 'soon'",
        "--connections is 0",
        "--blocks is 0",
        "--repeats is 0",
        "--path is 'items'",
        "server is 'localhost:1'",
    ]


def test_numbers_above_what_can_be_measured_are_reported_at_once() -> None:
    with pytest.raises(ProblemsError) as error:
        capacity(
            "http://localhost:1/",
            objective="failed<150%",
            connections=100_000_000,
            blocks=1_000_000,
            repeats=1_000_000,
        )
    assert messages(error) == [
        "--objective is 'failed<150%'; expected a share of requests above 0 and below 100%, such as"
        " failed<0.1%",
        "--connections is 100000000; expected a number from 1 to 60,000",
        "--blocks is 1000000; expected a number from 1 to 10,000",
        "--repeats is 1000000; expected a number from 1 to 1,000",
    ]

    with pytest.raises(ProblemsError) as error:
        request(*URLS, clients=60_001)
    assert messages(error) == ["--clients is 60001; expected a number from 1 to 60,000"]

    with pytest.raises(ProblemsError) as error:
        request(*URLS, rate=float("inf"))
    assert messages(error) == ["--rate is inf; expected a number from 0.1 to 100,000,000"]


def test_an_open_load_has_as_many_connections_as_clients() -> None:
    terms = request(*URLS, clients=5, rate=10.0).terms

    assert (terms.clients, terms.rate_per_s) == (5, 10.0)


def test_a_trial_may_be_given_in_milliseconds() -> None:
    capacity("http://localhost:1/", trial="50ms", search="500ms")

    with pytest.raises(ProblemsError, match=r"--trial is '49ms'; expected at least 50ms"):
        capacity("http://localhost:1/", trial="49ms")


def test_a_capacity_is_not_that_of_a_domain() -> None:
    with pytest.raises(
        ProblemsError, match="library is a domain, and a capacity is that of servers"
    ):
        capacity("library", "rest")


@pytest.mark.parametrize(
    ("option", "options"),
    [
        ("--build", {"build": "make"}),
        ("--openapi", {"descriptions": {"rest": __file__}}),
        ("--path", {"path": "/items"}),
        ("--csv", {"csv": Path(__file__)}),
        ("--header", {"headers": ("X-Own: 1",)}),
        ("--headers-file", {"headers_file": Path(__file__)}),
        ("--ca", {"tls": {"ca": "ca.pem"}}),
        ("--pid", {"pids": ("rest=1",)}),
    ],
)
def test_an_option_about_servers_is_refused_beside_a_domain(
    option: str, options: dict[str, object]
) -> None:
    with pytest.raises(ProblemsError) as error:
        request("library", "rest", "graphql", **options)

    (message,) = messages(error)
    assert message.startswith(f"{option} is ")
    assert "expected no value, since library is a domain, whose files define this" in message


def test_versions_may_have_the_name_of_a_domain() -> None:
    found = request("library", "main", start="serve {port}")

    assert not found.domain
    assert [each.version for each in found.sides] == ["library", "main"]


def test_a_domain_is_compared_by_its_protocols() -> None:
    found = request("library", "rest", "graphql")

    assert found.domain == ("library", "rest", "graphql")
    assert not found.sides


@pytest.mark.parametrize("expected", [("rest",), ("rest", "rest")])
def test_one_protocol_of_a_domain_is_no_comparison(expected: tuple[str, ...]) -> None:
    with pytest.raises(ProblemsError, match="expected two protocols or contenders"):
        find_protocol_comparison("library", expected, (), allow_writes=False)


def test_an_unknown_contender_is_named_with_each_choice_once() -> None:
    with pytest.raises(ProblemsError) as error:
        find_protocol_comparison("library", ("rest", "graphl"), (), allow_writes=False)

    message = str(error.value)
    assert message.startswith("contender of library is 'graphl'; expected one of ")
    choices = message.partition("one of ")[2].partition(" (hint")[0].split(", ")
    assert len(choices) == len(set(choices))
    assert "did you mean 'graphql'" in message


def test_operations_that_write_are_reported_as_left_out() -> None:
    with pytest.raises(
        ProblemsError, match=r"and another of them offer \(hint: see --allow-writes\)$"
    ):
        find_protocol_comparison(
            "library", ("rest", "graphql"), ("add_author",), allow_writes=False
        )


def test_it_names_contenders_that_do_not_offer_the_operation() -> None:
    with pytest.raises(ProblemsError) as error:
        find_protocol_comparison("shop", ("rest", "graphql"), ("quote_wishes",), allow_writes=False)

    (message,) = messages(error)
    assert "and another of them offer; quote_wishes is left out: not offered by rest-" in message


def test_contenders_of_a_domain_are_compared_with_the_first_only(tmp_path: Path) -> None:
    requested = ("rest", "graphql", "grpc")
    comparison = find_protocol_comparison("library", requested, ("read_book",), allow_writes=False)
    first, *others = (each.id for each in comparison.contenders)
    terms = request("library", *requested).terms
    study = load_study(write_study(tmp_path, comparison, terms, Spending(1, 2, 20, 3.0)))

    pairs = family(study, schedule(study, "compare", 1).cells)

    assert {(pair.a.contender, pair.b.contender) for pair in pairs} == {
        (other, first) for other in others
    }


def test_operations_that_the_first_does_not_offer_are_left_out() -> None:
    with pytest.raises(ProblemsError) as error:
        find_protocol_comparison(
            "shop", ("graphql", "rest", "grpc"), ("watch_products",), allow_writes=False
        )

    (message,) = messages(error)
    assert "watch_products is left out: not offered by graphql-" in message
    assert find_protocol_comparison(
        "shop", ("rest", "graphql", "grpc"), ("watch_products",), allow_writes=False
    )


def test_all_unknown_names_of_a_domain_are_reported_at_once() -> None:
    with pytest.raises(ProblemsError) as error:
        find_protocol_comparison(
            "library", ("rset", "graphql", "soup"), ("none", "nobody"), allow_writes=False
        )

    output = [each.partition(";")[0] for each in messages(error)]
    assert output[-1] == "--only is 'none, nobody'"
    assert len(output) == 3


def test_names_after_a_comma_may_follow_a_space() -> None:
    assert names(["a, b", " c ,"]) == ("a", "b", "c")


def test_values_are_shown_as_they_were_written() -> None:
    with pytest.raises(ProblemsError) as error:
        request(*URLS, only=("foo", "bar"), allow_writes=True)

    assert messages(error) == [
        "--allow-writes needs --reset COMMAND, which restores the data, or --scratch",
        "--only is 'foo,bar'; expected no value without a description of the interface, such as"
        " --openapi",
    ]


def test_variables_that_are_not_set_are_reported_with_all_other_mistakes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KNOWN_TOKEN", "secret")
    monkeypatch.delenv("NO_TOKEN", raising=False)
    with pytest.raises(ProblemsError) as error:
        request(
            *("a=http://localhost:1/", "b=http://localhost:2/"),
            headers=("X: ${NO_TOKEN}", "a/Y: ${NO_TOKEN}", "Z: ${KNOWN_TOKEN}"),
            budget="soon",
        )

    assert [it.partition(";")[0] for it in messages(error)] == [
        "--budget is 'soon'",
        "--header x: the variable NO_TOKEN is not set\nhint: export NO_TOKEN=…",
        "--header a/y: the variable NO_TOKEN is not set\nhint: export NO_TOKEN=…",
    ]


def test_an_option_with_an_empty_value_is_not_ignored() -> None:
    assert given("", None, None, None) == {"rest": ""}
    with pytest.raises(ProblemsError, match="--openapi is ''; expected an existing file, or a URL"):
        request(*URLS, descriptions={"rest": ""})


def test_a_domain_with_a_store_needs_no_command_that_restores_data(tmp_path: Path) -> None:
    done = wirelab(
        *("compare", "library", "rest", "graphql", "--reset", "true"),
        folder=tmp_path,
        constants={"wirelab.commands.compare.run_study": None},  # nothing is measured
    )

    assert done.returncode == ExitCode.BAD_INPUT, done.stderr
    assert "--reset is 'true'; expected no value, since wirelab restores the store" in done.stderr
