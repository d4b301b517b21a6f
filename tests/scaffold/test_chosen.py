"""What the user chooses: some operations, with ids of others; POSTs that only read."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.mocks.http import answering
from tests.support.scaffolding import scaffold
from wirelab.domain_file import load_domain
from wirelab.inputs.problems import ProblemsError

OPEN = "{ type: object, additionalProperties: true }"
JSON = "content: { application/json: { schema: "
API = f"""
openapi: 3.1.0
paths:
  /things:
    get:
      operationId: list_things
      responses: {{ "200": {{ {JSON}{{ type: array, items: {OPEN} }} }} }} }} }}
  /things/{{id}}:
    get:
      operationId: get_thing
      parameters: [ {{ name: id, in: path, required: true, schema: {{ type: integer }} }} ]
      responses: {{ "200": {{ {JSON}{OPEN} }} }} }} }}
  /search:
    post:
      operationId: Things_Search
      requestBody:
        {JSON}{{ properties: {{ text: {{ type: string }}, limit: {{ type: integer }} }} }} }} }}
      responses: {{ "200": {{ {JSON}{OPEN} }} }} }} }}
"""
SENT: list[tuple[str, str, bytes]] = []


def answer(method: str, target: str, sent: bytes) -> tuple[int, str, bytes]:
    SENT.append((method, target, sent))
    colours = "red", "blue"
    things = [{"id": number, "name": f"{colours[number % 2]} {number}"} for number in range(1, 21)]
    found: object = things
    if method == "POST":
        text = json.loads(sent)["text"]
        found = {"things": [thing for thing in things if text in str(thing["name"])]}
    elif target.startswith("/things/"):
        found = things[int(target.rpartition("/")[2]) - 1]
    return 200, "application/json", json.dumps(found).encode()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[dict[str, str]]:
    (tmp_path / "api.yaml").write_text(API)
    SENT.clear()
    with answering(answer) as address:
        yield {"rest": address}


def test_lists_that_are_not_chosen_give_ids(tmp_path: Path, server: dict[str, str]) -> None:
    scaffold(tmp_path / "own", {"rest": tmp_path / "api.yaml"}, server, only=["get_thing"])

    domain = load_domain(tmp_path / "own" / "domain")
    lines = (tmp_path / "own" / "domain" / "parameters.ndjson").read_text().splitlines()
    assert [*domain.operations] == ["get_thing"]
    assert {json.loads(line)["parameters"]["id"] for line in lines} == {*range(1, 21)}
    assert {method for method, _, _ in SENT} == {"GET"}


def test_a_post_that_is_declared_to_read_is_sent_with_the_columns_of_a_csv(
    tmp_path: Path, server: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "texts.csv").write_text("Text\nred\nblue\n")
    scaffold(
        *(tmp_path / "own", {"rest": tmp_path / "api.yaml"}, server),
        read=["Things/Search"],
        only=["things_search"],
        csv=tmp_path / "texts.csv",
        as_json=True,
    )

    operations = json.loads(capsys.readouterr().out)["operations"]
    assert operations["things_search"]["answered"] == 1.0
    assert {sent for method, _, sent in SENT if method == "POST"} == {
        b'{"text":"red"}',
        b'{"text":"blue"}',
    }


def test_an_unknown_read_is_one_clear_message(tmp_path: Path, server: dict[str, str]) -> None:
    with pytest.raises(ProblemsError) as error:
        scaffold(tmp_path / "own", {"rest": tmp_path / "api.yaml"}, server, read=["thing_search"])

    (problem,) = error.value.problems
    assert (problem.where, problem.value) == ("--read", "thing_search")
    assert "things_search" in problem.hint
    assert not SENT
