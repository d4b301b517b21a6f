"""Descriptions with defects: each gets one clear message, and what can be used is used."""

import json
import socket
from pathlib import Path

import pytest
from graphql import build_schema, introspection_from_schema

from tests.scaffold.ping_wsdl import WSDL
from tests.support.scaffolding import scaffold
from tests.support.wording import assert_worded
from wirelab.domain.parameter_sets import parameter_sets
from wirelab.domain_file import load_domain
from wirelab.inputs.problems import Problem, ProblemsError
from wirelab.scaffold.descriptions.graphql import read_sdl
from wirelab.scaffold.descriptions.openapi import read_openapi
from wirelab.scaffold.descriptions.sources import READERS, described
from wirelab.scaffold.descriptions.wsdl import read_wsdl
from wirelab.scaffold.writing import write_parameters

HEAD = 'openapi: 3.0.3\ninfo: { title: T, version: "1" }\n'


def written(folder: Path, text: str) -> Path:
    file = folder / "api.yaml"
    file.write_text(HEAD + text)
    return file


def scaffold_rest(folder: Path, openapi: Path, name: str = "own") -> None:
    scaffold(folder / name, {"rest": openapi}, as_json=True)


def test_a_schema_that_contains_itself_ends(tmp_path: Path) -> None:
    interface = read_openapi(
        written(
            tmp_path,
            """
paths:
  /tree:
    get:
      responses:
        "200": { description: d, content: { application/json: { schema: { $ref: "#/a" } } } }
  /ring:
    get:
      parameters: [ { $ref: "#/b" } ]
      responses: { "200": { description: d } }
a: { type: object, properties: { name: { type: string }, left: { $ref: "#/a" } } }
b: { $ref: "#/c" }
c: { $ref: "#/b" }
""",
        )
    )

    assert [offer.name for offer in interface.offers] == ["get_tree", "get_ring"]
    assert "left/left/name" in interface.offers[0].answer


def test_an_error_of_yaml_names_the_file_and_the_line(tmp_path: Path) -> None:
    file = written(tmp_path, "paths: {\n")

    with pytest.raises(ProblemsError) as error:
        read_openapi(file)

    assert str(error.value).startswith(f"{file}: ")
    assert " in line " in str(error.value)
    assert "string>" not in str(error.value)


def test_remote_references_are_never_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("it asks the network"))
    file = written(
        tmp_path,
        """
paths:
  /near: { get: { responses: { "200": { description: d } } } }
  /far:
    get:
      parameters: [ { $ref: "http://localhost:9/p.yaml#/p" } ]
      responses: { "200": { description: d } }
  /elsewhere: { $ref: "./paths/elsewhere.yaml" }
""",
    )
    interface = read_openapi(file)

    assert [offer.name for offer in interface.offers] == ["get_near"]
    left, whole = interface.left_out
    assert [left.name, whole.name] == ["GET /far", "/elsewhere"]
    assert_worded(f"{left.reason}\n{whole.reason}")


@pytest.mark.parametrize(
    ("server", "base"),
    [
        ("openapi: 3.0.3\nservers: [ { url: 'https://api.example.com/v1/' } ]", "/v1"),
        ("openapi: 3.0.3\nservers: [ { url: /v1 } ]", "/v1"),
        ("openapi: 3.0.3\nservers: [ { url: api.example.com/v1 } ]", ""),
        ("openapi: 3.0.3\nservers: [ { url: 'https://h/{version}' } ]", ""),
        ("openapi: 3.0.3\nservers: [ { url: 'https://[h/v1' } ]", ""),
        ("swagger: '2.0'\nbasePath: /v1", "/v1"),
        ("swagger: '2.0'\nbasePath: v1", ""),
    ],
)
def test_the_base_of_all_paths_is_a_path(tmp_path: Path, server: str, base: str) -> None:
    file = tmp_path / "api.yaml"
    file.write_text(f"{server}\npaths: {{ /a: {{ get: {{ responses: {{}} }} }} }}\n")

    assert read_openapi(file).path == base


@pytest.mark.parametrize(
    ("location", "path"),
    [("http://localhost:1/ws/", "/ws/"), ("REPLACE_WITH_ACTUAL_URL", ""), ("", "")],
)
def test_the_path_of_a_wsdl_is_a_path(tmp_path: Path, location: str, path: str) -> None:
    file = tmp_path / "service.wsdl"
    file.write_text(WSDL.format(location=location))

    assert read_wsdl(file).path == path


@pytest.mark.parametrize("place", ["header", "cookie", "query"])
def test_a_required_key_is_reported_with_the_way_to_give_it(tmp_path: Path, place: str) -> None:
    text = f"""
paths: {{ /a: {{ get: {{ responses: {{}} }} }} }}
components: {{ securitySchemes: {{ own: {{ type: apiKey, name: K, in: {place} }} }} }}
"""
    (note,) = read_openapi(written(tmp_path, text)).notes

    assert_worded(note)


def test_uploads_of_version_2_and_of_graphql_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "api.yaml"
    file.write_text(
        "swagger: '2.0'\npaths: { /up: { post: { responses: {}, parameters:"
        " [{ name: f, in: formData, type: file, required: true }] } } }\n"
    )
    (left,) = read_openapi(file).left_out
    assert (left.name, left.reason) == ("POST /up", "uploads a file")

    sdl = tmp_path / "schema.graphql"
    sdl.write_text(
        "scalar Upload\ntype Query { a: Int }\ntype Mutation { up(f: Upload!): Boolean }\n"
    )
    (left,) = read_sdl(sdl).left_out
    assert (left.name, left.reason) == ("mutation up", "uploads a file")


@pytest.mark.parametrize(
    "url", ["http://me:secret-word@localhost:9/", "http://h/?token=secret-word"]
)
@pytest.mark.parametrize("protocol", READERS)
def test_a_credential_in_an_address_is_refused_and_not_repeated(
    tmp_path: Path, protocol: str, url: str
) -> None:
    with pytest.raises(ProblemsError) as error:
        described(protocol, url, tmp_path)

    assert "an address without" in str(error.value)
    assert "secret-word" not in str(error.value)


def test_the_answer_to_an_introspection_query_is_a_schema(tmp_path: Path) -> None:
    schema = build_schema("type Query { item(id: ID!): Item } type Item { id: ID! name: String }")
    source = tmp_path / "schema.json"
    source.write_text(json.dumps({"data": introspection_from_schema(schema)}))
    (tmp_path / "domain").mkdir()
    interface, file = described("graphql", str(source), tmp_path / "domain")

    assert [offer.name for offer in interface.offers] == ["item"]
    assert file.read_text().startswith("type Query")


def test_unknown_authentication_is_reported(tmp_path: Path) -> None:
    text = """
paths: { /a: { get: { responses: {} } } }
components: { securitySchemes: { own: { type: openIdConnect }, odd: { type: hmac } } }
"""
    assert_worded("\n".join(read_openapi(written(tmp_path, text)).notes))


@pytest.mark.parametrize(
    "text",
    [
        '{"paths": ' + "[" * 200_000,
        '{"paths": ' + "[" * 200_000 + "]" * 200_000 + "}",
        "paths: " + "[" * 200_000,
        "paths:\n  - '" + "]" * 200_000 + "'\n  - " + "{a: " * 200_000,
        "- " * 200_000 + "a",
        "? " * 200_000 + "a",
    ],
)
def test_documents_are_not_nested_beyond_the_stack(tmp_path: Path, text: str) -> None:
    file = tmp_path / "api.yaml"
    file.write_text(text)

    with pytest.raises(ProblemsError, match="nested too deeply"):
        read_openapi(file)


@pytest.mark.parametrize("close", ["", "]"])
def test_many_lists_beside_each_other_are_not_deep(tmp_path: Path, close: str) -> None:
    lists = "".join(f"  /{number}: {{tags: ['{close}[', a]}}\n" for number in range(1000))

    assert read_openapi(written(tmp_path, f"paths:\n{lists}")).offers == ()


def test_dates_in_yaml_are_text_as_in_json(tmp_path: Path) -> None:
    text = """
paths:
  /days/{day}:
    get:
      parameters: [ { name: day, in: path, required: true, example: 2024-01-31 } ]
      responses: { "200": { description: d } }
  /times:
    put:
      requestBody:
        content: { application/json: { example: { at: 2024-01-31T10:00:00Z } } }
      responses: { "200": { description: d } }
"""
    scaffold_rest(tmp_path, written(tmp_path, text))
    days, times = read_openapi(tmp_path / "api.yaml").offers
    domain = load_domain(tmp_path / "own" / "domain")

    assert days.parameters[0].examples == ("2024-01-31",)
    assert times.parameters[0].examples == ({"at": "2024-01-31T10:00:00Z"},)
    found = parameter_sets(domain, domain.operations["get_days_day"], 1)
    assert found == [{"day": "2024-01-31"}]


def test_keys_without_values_are_like_absent_ones(tmp_path: Path) -> None:
    text = """
paths:
  /a:
    parameters:
    get:
      parameters:
      responses:
  /b:
"""
    scaffold_rest(tmp_path, written(tmp_path, text))

    assert list(load_domain(tmp_path / "own" / "domain").operations) == ["get_a"]


def test_two_megabytes_of_yaml_are_read(tmp_path: Path) -> None:
    operation = 'get: { parameters: [], responses: { "200": { description: ' + "x" * 300 + " } } }"
    paths = "".join(f"  /path{number}: {{ {operation} }}\n" for number in range(6000))
    file = written(tmp_path, f"paths:\n{paths}")

    assert file.stat().st_size > 2_000_000
    assert len(read_openapi(file).offers) == 6000


def test_init_takes_two_megabytes_of_yaml(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    operation = 'get: { responses: { "200": { description: ' + "x" * 20_000 + " } } }"
    paths = "".join(f"  /path{number}: {{ {operation} }}\n" for number in range(110))
    file = written(tmp_path, f"paths:\n{paths}")
    assert file.stat().st_size > 2_000_000

    scaffold_rest(tmp_path, file)

    assert len(json.loads(capsys.readouterr().out)["operations"]) == 110
    assert len(load_domain(tmp_path / "own" / "domain").operations) == 110


@pytest.mark.parametrize("protocol", READERS)
@pytest.mark.parametrize("text", ["", "\0\1\2", "{", "<a>", "just words", "a: [1, 2"])
def test_an_invalid_description_is_one_clear_message(
    tmp_path: Path, protocol: str, text: str
) -> None:
    name, _ = READERS[protocol]
    file = tmp_path / name
    file.write_text(text)
    (tmp_path / "domain").mkdir()

    with pytest.raises(ProblemsError) as error:
        described(protocol, str(file), tmp_path / "domain")
    (problem,) = error.value.problems
    assert str(file) in str(problem)


@pytest.mark.parametrize("text", [300 * "very long reason ", "x" + 300 * "/folder", "name"])
def test_reasons_of_parsers_end_at_a_word(text: str) -> None:
    problem = Problem.unreadable("a.proto", "a valid .proto file", f"{text}: no such name")

    reason = str(problem.value)
    assert len(reason) <= 300
    assert reason.endswith(("very…", "long…", "reason…", "no such name"))


def test_values_may_contain_unicode_line_separators(tmp_path: Path) -> None:
    api = "paths: { '/a/{k}': { get: { responses: {}, parameters: [{ name: k, in: path }] } } }"
    scaffold_rest(tmp_path, written(tmp_path, api))
    folder = tmp_path / "own" / "domain"
    values = [{"k": "one\x85two\u2028three\x0bfour"}]
    write_parameters(folder, {"get_a_k": values})
    domain = load_domain(folder)

    assert parameter_sets(domain, domain.operations["get_a_k"], 2) == values


@pytest.mark.parametrize("name", ["a b/c d", "kept/../x/y", "kept/new", "x/" + "y" * 300])
def test_a_failed_attempt_leaves_no_folder_and_can_be_repeated(tmp_path: Path, name: str) -> None:
    file = written(tmp_path, "paths: {}")
    (tmp_path / "kept").mkdir()
    for _ in range(2):
        with pytest.raises(ProblemsError):
            scaffold_rest(tmp_path, file, name)

        assert {*tmp_path.rglob("*")} == {file, tmp_path / "kept"}
