"""What is compared by a description of its interface, of each kind, from a file or an address."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.compare.running import BLOCKS, HERE, OPENAPI, QUICK, WSDL, command_of, serving, wirelab
from tests.support.mocks import MOCKS
from tests.support.mocks.http import answering
from tests.support.requests import comparison_of, problems_of
from tests.support.wording import assert_worded
from wirelab.compare.offers import FoundOffers, find_offers
from wirelab.experiment.events import Observer
from wirelab.terminal.exit_codes import ExitCode
from wirelab.verify.servers.obstacles import Obstacle

SDL = """
type Query { item(id: Int!): Item  items(first: Int): [Item!]! }
type Mutation { rename(id: Int!, name: String!): Item }
type Item { id: Int!  name: String!  price: Float! }
"""


@contextmanager
def published(text: str) -> Iterator[str]:
    """Serve a text at an address, and fail the test if anything else is asked for."""
    requests: list[str] = []

    def answer(method: str, target: str, sent: bytes) -> tuple[int, str, bytes]:
        requests.append(target)
        return (200, "text/plain", text.encode()) if target == "/api" else (404, "text/plain", b"")

    with answering(answer) as address:
        yield f"{address}/api"
    assert set(requests) <= {"/api"}


def test_an_openapi_document_may_be_at_an_address(tmp_path: Path) -> None:
    """Another document that it refers to is not fetched: only what was asked for is."""
    (tmp_path / "ids.csv").write_text("id\n7\n8\n")
    with serving() as one, published("") as elsewhere:
        text = OPENAPI.read_text()
        far = text.replace("#/components/schemas/Item", f"{elsewhere}/other#/Item", 1)
        with published(far) as url:
            found = found_at(one, tmp_path, url, csv=tmp_path / "ids.csv")

    assert [offer.name for offer in found.offers] == ["get_item"]
    notes = " ".join(found.notes)
    assert "get_item (GET /items/{id}): " in notes
    assert "GET /items: left out" in notes
    assert f"{elsewhere}/other" in notes


def test_a_missing_document_is_one_clear_message(tmp_path: Path) -> None:
    sides = "a=http://localhost:9", "b=http://localhost:9"
    done = wirelab("compare", *sides, "--openapi", "http://localhost:9/api", folder=tmp_path)

    assert done.returncode == ExitCode.NOT_READY
    assert "cannot read http://localhost:9/api" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_broken_document_is_named_as_it_was_given(tmp_path: Path) -> None:
    (tmp_path / "api.yaml").write_text("paths: [")
    sides = "a=http://localhost:9", "b=http://localhost:9"
    done = wirelab("compare", *sides, "--openapi", "api.yaml", folder=tmp_path)

    assert done.returncode == ExitCode.BAD_INPUT
    assert "\nerror: api.yaml: not valid " in done.stderr
    assert "YAML or JSON" in done.stderr


def test_two_grpc_servers_that_describe_themselves(tmp_path: Path) -> None:
    with serving(program="grpc_server.py") as one, serving(program="grpc_server.py") as other:
        sides = f"a=grpc://{one}", f"b=grpc://{other}"
        done = wirelab("compare", *sides, "--proto", "reflection", *QUICK, folder=tmp_path)

    check_comparison_of_grpc(done)


def check_comparison_of_grpc(done: CompletedProcess[str]) -> None:
    assert done.returncode == ExitCode.OK, done.stderr
    assert "Items.v1.Items/" in done.stdout
    assert f"{BLOCKS} blocks of" in done.stdout
    assert re.search(r"get_item \(\S+\): \d\d of \d\d parameter sets answered", done.stderr)
    assert "WatchItems: left out, because it streams" in done.stderr


def test_a_difference_that_does_not_matter_is_ignored_in_the_users_domain(
    tmp_path: Path,
) -> None:
    """As the chapter on troubleshooting says."""
    with serving() as one, serving("wrong") as other:
        arguments = "--openapi", OPENAPI, "--address", f"rest=http://{one}"
        written = wirelab("init", "own", *arguments, "--yes", folder=tmp_path)
        assert written.returncode == ExitCode.OK, written.stderr
        domain = tmp_path / "own" / "domain"
        file = domain / "domain.toml"
        text = re.sub(r"(?ms)^\[operation\.\w+\.common\]\n.*?(?=^\[|\Z)", "", file.read_text())
        file.write_text(f'{text}\n[operation.get_item.common]\nignored = ["name"]\n')
        with (domain / "contenders" / "found" / "contender.toml").open("a") as manifest:
            manifest.write(
                f'\n[contender.new]\ntitle = "new"\nprotocol = "rest"\naddress = "http://{other}"\n'
            )
        done = wirelab(
            *("compare", "own/domain", "rest", "new", "--only", "get_item", *QUICK, "--json"),
            folder=tmp_path,
        )

    assert done.returncode == ExitCode.OK, done.stderr
    found = json.loads(done.stdout)
    (comparison,) = found["comparisons"]
    assert {comparison["a_label"], comparison["b_label"]} == {"REST", "new"}
    assert comparison["comparison"]["ratio"] > 0
    assert comparison["verdict"]["outcome"]
    assert (found["refused"], found["left_out"]) == ([], [])


def test_commands_that_speak_grpc_as_a_file_describes(tmp_path: Path) -> None:
    command = command_of(program="grpc_server.py")
    done = wirelab(
        "compare", f"a={command}", f"b={command}", "--proto", HERE / "items.proto", *QUICK,
        folder=tmp_path,
    )  # fmt: skip

    check_comparison_of_grpc(done)


@pytest.mark.parametrize(
    ("protocol", "option", "text", "shown"),
    [
        ("graphql", "--sdl", SDL, "item"),
        ("soap", "--wsdl", WSDL, "GetItem"),
    ],
)
def test_graphql_and_soap(
    tmp_path: Path, protocol: str, option: str, text: str, shown: str
) -> None:
    description = tmp_path / "described"
    description.write_text(text)
    with MOCKS[protocol](description) as one, MOCKS[protocol](description) as other:
        done = wirelab(
            "compare", f"a={one}", f"b={other}", option, "described", "--output", "b", *QUICK,
            folder=tmp_path,
        )  # fmt: skip

    assert done.returncode == ExitCode.OK, done.stderr
    assert f"({shown}): " in done.stderr
    for step in ("First requests 3/3", "Querying 1/", "Setting up 1/", "Measuring: block 1 "):
        assert f"\n{step}" in done.stderr
    assert f"{BLOCKS} blocks of" in done.stdout


def test_commands_get_requests_below_the_path_of_the_document(tmp_path: Path) -> None:
    api = OPENAPI.read_text().replace("paths:", "servers: [{ url: /v1 }]\npaths:")
    (tmp_path / "api.yaml").write_text(api)
    command = command_of("prefix=/v1")
    done = wirelab(
        "compare", f"a={command}", f"b={command}", "--openapi", "api.yaml", *QUICK,
        folder=tmp_path,
    )  # fmt: skip

    assert done.returncode == ExitCode.OK, done.stderr
    assert f"{BLOCKS} blocks of" in done.stdout


def test_an_operation_without_answers_has_a_reason(tmp_path: Path) -> None:
    with serving("redirect") as one:
        sides = f"a=http://{one}", f"b=http://{one}"
        done = wirelab("compare", *sides, "--openapi", OPENAPI, folder=tmp_path)

    assert done.returncode == ExitCode.BAD_INPUT
    output = " ".join(done.stderr.split())
    assert f"error: {OPENAPI} has no operation" in output
    assert f"left out; {Obstacle(302, location='/login')}" in output
    assert "--csv FILE" in output


@pytest.mark.parametrize(
    "operation",
    ["responses: {}", "requestBody: { content: { text/csv: {} } }"],
    ids=["writes", "sends text/csv"],
)
def test_a_description_without_a_usable_operation_is_explained(
    tmp_path: Path, operation: str
) -> None:
    api = f"openapi: 3.0.3\npaths: {{ /up: {{ post: {{ {operation} }} }} }}\n"
    (tmp_path / "api.yaml").write_text(api)
    with serving() as one:
        sides = f"a=http://{one}", f"b=http://{one}"
        done = wirelab("compare", *sides, "--openapi", "api.yaml", *QUICK, folder=tmp_path)

    assert done.returncode == ExitCode.BAD_INPUT
    assert_worded("\n".join(line.strip() for line in done.stderr.splitlines()[-3:]))


def test_an_operation_whose_answers_are_all_empty_is_left_out_alone(tmp_path: Path) -> None:
    (tmp_path / "ids.csv").write_text("id\n" + "".join(f"{number}\n" for number in range(30)))
    with serving("empty") as one:
        found = found_at(one, tmp_path, OPENAPI, csv=tmp_path / "ids.csv")

    assert [offer.name for offer in found.offers] == ["get_item"]
    notes = " ".join(found.notes)
    empty = "all its answers are empty, so comparing them proves nothing"
    assert f"examples: left out; {empty}" in notes
    assert "get_item (GET /items/{id}): " in notes


def test_an_operation_that_refuses_too_many_parameters_is_not_measured(tmp_path: Path) -> None:
    with serving("refuses=5") as one:
        found = found_at(one, tmp_path, OPENAPI)

    assert [offer.name for offer in found.offers] == ["list_items"]
    count = "32 of 40 parameter sets answered (80 %, fewer than 95 %)"
    expected = f"get_item (GET /items/{{id}}): {count}, from lists: left out; HTTP 404: "
    assert expected in " ".join(" ".join(found.notes).split())


def test_no_prefix_is_suggested_if_only_some_operations_are_unknown(tmp_path: Path) -> None:
    with serving() as one:
        found = found_at(one, tmp_path, OPENAPI, only=["get_item"])

    assert "prefix" not in " ".join(found.notes)


def found_at(server: str, scratch: Path, document: str | Path, **options: Any) -> FoundOffers:
    """Return what is found to compare at a server, without comparing it."""
    chosen = comparison_of(
        *(f"a=http://{server}", f"b=http://{server}"),
        openapi=str(document),
        **options,
    )
    return find_offers(chosen.sides, chosen.terms, chosen.selection, scratch, Observer())


HTTP, GRPC, WS = (
    (f"{scheme}://localhost:1", f"{scheme}://localhost:2") for scheme in ("http", "grpc", "ws")
)


@pytest.mark.parametrize(
    ("sides", "options", "place"),
    [
        (GRPC, {}, "localhost-1"),
        (WS, {}, "localhost-1"),
        (HTTP, {"proto": ["no"]}, "--proto"),
        (HTTP, {"openapi": str(OPENAPI), "proto": [str(OPENAPI)]}, "--openapi and --proto"),
        ((HTTP[0], GRPC[1]), {"proto": ["reflection"]}, "http and grpc"),
        (WS, {"proto": [str(HERE / "items.proto")]}, "localhost-1"),
    ],
)
def test_conflicting_options_are_refused(
    sides: tuple[str, ...], options: dict[str, Any], place: str
) -> None:
    problem, *_ = problems_of(comparison_of, *sides, **options)

    assert place in problem.where


@pytest.mark.parametrize("option", [{}, {"data": "x"}])
def test_the_error_for_a_scheme_names_the_option_that_is_missing(option: dict[str, str]) -> None:
    problem, _ = problems_of(comparison_of, *GRPC, **option)

    assert "--proto" in problem.hint
