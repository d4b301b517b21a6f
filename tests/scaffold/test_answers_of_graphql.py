"""What `wirelab init` makes of a GraphQL server and a REST server with the same data."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from graphql import build_schema, graphql_sync

from tests.support.mocks.http import answering
from tests.support.scaffolding import scaffold
from tests.support.wording import assert_worded
from wirelab.domain.model import Domain
from wirelab.domain_file import load_domain
from wirelab.scaffold.kinds import different_kinds

BIKES = [{"id": number, "model": f"model {number}"} for number in range(30)]
SDL = """
type Bike { id: Int! model: String! }
type Query { bikes: [Bike!]! bike(id: Int!): Bike }
type Mutation { createBike(id: Int!): Bike }
"""
BIKE = (
    "content: { application/json: { schema: { type: object, properties:"
    " { id: { type: integer }, model: { type: string } } } } }"
)
REST = f"""
openapi: 3.0.3
paths:
  /bikes:
    get:
      operationId: listBikes
      responses:
        "200":
          content:
            application/json:
              schema: {{ type: array, items: {{ $ref: "#/components/schemas/Bike" }} }}
    post:
      operationId: createBike
      parameters: [{{ name: id, in: query, required: true, schema: {{ type: integer }} }}]
      responses: {{ "201": {{ {BIKE} }} }}
  /bikes/{{id}}:
    get:
      operationId: getBike
      parameters: [{{ name: id, in: path, required: true, schema: {{ type: integer }} }}]
      responses: {{ "200": {{ {BIKE} }} }}
components:
  schemas:
    Bike: {{ type: object, properties: {{ id: {{ type: integer }}, model: {{ type: string }} }} }}
"""


@contextmanager
def bikes(root: Mapping[str, object]) -> Iterator[dict[str, str]]:
    """Serve bikes over REST, and a root value over GraphQL; yield their addresses."""
    schema = build_schema(SDL)

    def answer(method: str, target: str, sent: bytes) -> tuple[int, str, bytes]:
        value: object
        if method == "POST":
            asked = json.loads(sent)
            variables = asked.get("variables")
            value = graphql_sync(schema, asked["query"], root, variable_values=variables).formatted
        elif target == "/bikes":
            value = BIKES
        else:
            value = BIKES[int(target.removeprefix("/bikes/"))]
        return 200, "application/json", json.dumps(value).encode()

    with answering(answer) as address:
        yield {"rest": address, "graphql": address}


def scaffold_bikes(
    folder: Path, root: Mapping[str, object], *protocols: str, **options: Any
) -> None:
    """Write a domain of some of the protocols into `folder`/own."""
    sources = {"rest": folder / "api.yaml", "graphql": folder / "schema.graphql"}
    sources["rest"].write_text(REST)
    sources["graphql"].write_text(SDL)
    chosen = protocols or tuple(sources)
    with bikes(root) as addresses:
        scaffold(
            folder / "own",
            {name: sources[name] for name in chosen},
            {name: addresses[name] for name in chosen},
            as_json=True,
            **options,
        )


def bike(_: object, id: int) -> object:  # noqa: A002  (the name of the argument)
    return BIKES[id]


RIGHT = {"bikes": BIKES, "bike": bike}


def test_mutations_that_are_left_out_leave_neither_a_note_nor_a_document(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scaffold_bikes(tmp_path, RIGHT)
    output = json.loads(capsys.readouterr().out)

    assert set(output["operations"]) == {"list_bikes", "get_bike"}
    assert not [note for note in output["notes"] if "mutations write" in note]
    documents = tmp_path / "own" / "domain" / "graphql"
    assert {file.name for file in documents.iterdir()} == {"bikes.graphql", "bike.graphql"}


def test_mutations_that_are_included_are_noted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = tmp_path / "values.csv"
    values.write_text("id\n3\n4\n")
    scaffold_bikes(tmp_path, RIGHT, csv=values)
    output = json.loads(capsys.readouterr().out)

    assert "create_bike" in output["operations"]
    assert [note for note in output["notes"] if "mutations write" in note]
    assert (tmp_path / "own" / "domain" / "graphql" / "create_bike.graphql").is_file()


def test_answers_that_are_null_are_no_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scaffold_bikes(tmp_path, {"bikes": BIKES, "bike": None}, "graphql")
    output = json.loads(capsys.readouterr().out)

    assert set(output["operations"]) == {"bikes"}
    assert any(
        each.startswith("bike: 0 of 30 ") and each.endswith(" null") for each in output["left_out"]
    )


def test_answers_of_different_kinds_make_a_match_doubtful(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scaffold_bikes(tmp_path, {"bikes": BIKES, "bike": None})
    output = json.loads(capsys.readouterr().out)

    found = output["operations"]["get_bike"]
    assert found["doubtful"] == ["graphql"]
    assert found["answered"] is None
    assert_worded(found["reasons"]["graphql"])
    assert output["operations"]["list_bikes"]["doubtful"] == []
    assert output["operations"]["list_bikes"]["answered"] == 1.0
    written = (tmp_path / "own" / "domain" / "domain.toml").read_text()
    assert "# doubtful: is graphql" in written


@pytest.mark.parametrize("is_same", [True, False])
def test_the_user_decides_about_answers_of_different_kinds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *, is_same: bool
) -> None:
    questions = []

    def decide(question: str) -> bool:
        questions.append(question)
        return is_same

    scaffold_bikes(tmp_path, {"bikes": BIKES, "bike": None}, decide=decide)
    output = json.loads(capsys.readouterr().out)

    (question,) = questions
    assert "graphql null. " in question
    assert ("get_bike" in output["operations"]) is is_same
    assert ("GET /bikes/{id}: only rest offers it" in output["left_out"]) is not is_same


@pytest.fixture(scope="module")
def domain(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    """A domain of bikes that compares answers as they are."""
    folder = tmp_path_factory.mktemp("rest")
    scaffold_bikes(folder, RIGHT, "rest")
    return load_domain(folder / "own" / "domain")


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([{"id": 1}], {"id": 1}, {"rest": "a list", "graphql": "an object"}),
        ([{"id": 1}], None, {"rest": "a list", "graphql": "null"}),
        ({"id": 1}, None, {"rest": "an object", "graphql": "null"}),
        ([{"id": 1}], 7, {"rest": "a list", "graphql": "a value"}),
        ([{"id": 1}], [], None),
        ([], None, None),
        ("", None, None),
        (7, None, None),
        (7, "7", None),
    ],
)
def test_kinds_of_answers(
    domain: Domain, one: object, other: object, expected: Mapping[str, str] | None
) -> None:
    answers = [{"rest": [one], "graphql": [other]}]

    assert different_kinds(domain, {"get_bike": answers}).get("get_bike") == expected
