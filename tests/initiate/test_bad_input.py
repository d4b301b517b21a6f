"""Descriptions with defects: each gets one clear message, and what can be used is used."""

import socket
from pathlib import Path

import pytest

from wirelab.commands.init import init_command
from wirelab.initiate.openapi import read_openapi
from wirelab.initiate.sources import READERS
from wirelab.problems import ProblemsError

HEAD = 'openapi: 3.0.3\ninfo: { title: T, version: "1" }\n'


def written(folder: Path, text: str) -> Path:
    file = folder / "api.yaml"
    file.write_text(HEAD + text)
    return file


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
""",
    )
    interface = read_openapi(file)

    assert [offer.name for offer in interface.offers] == ["get_near"]
    (left,) = interface.left_out
    assert left.name == "GET /far"
    assert "http://localhost:9/p.yaml#/p, another document, which is not fetched" in left.reason


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        ("requestBody: { content: { multipart/form-data: {} } }", "uploads a file"),
        ("requestBody: { content: { application/octet-stream: {} } }", "uploads a file"),
        ("requestBody: { content: { text/csv: {} } }", "sends text/csv, and no JSON"),
    ],
)
def test_uploads_are_left_out_and_named(tmp_path: Path, operation: str, reason: str) -> None:
    text = f"paths:\n  /up:\n    post:\n      {operation}\n      responses: {{}}\n"
    (left,) = read_openapi(written(tmp_path, text)).left_out

    assert (left.name, left.reason) == ("POST /up", reason)


def test_unknown_authentication_is_told(tmp_path: Path) -> None:
    text = """
paths: { /a: { get: { responses: {} } } }
components: { securitySchemes: { own: { type: openIdConnect }, odd: { type: hmac } } }
"""
    notes = read_openapi(written(tmp_path, text)).notes

    assert len(notes) == 2
    assert "credentials of the kind hmac (odd), which wirelab cannot get by itself" in notes[1]


def test_two_megabytes_of_yaml_are_read(tmp_path: Path) -> None:
    operation = 'get: { parameters: [], responses: { "200": { description: ' + "x" * 300 + " } } }"
    paths = "".join(f"  /path{number}: {{ {operation} }}\n" for number in range(6000))
    file = written(tmp_path, f"paths:\n{paths}")

    assert file.stat().st_size > 2_000_000
    assert len(read_openapi(file).offers) == 6000


@pytest.mark.parametrize("protocol", READERS)
@pytest.mark.parametrize("text", ["", "\0\1\2", "{", "<a>", "just words", "a: [1, 2"])
def test_what_is_no_description_is_one_clear_message(
    tmp_path: Path, protocol: str, text: str
) -> None:
    name, read = READERS[protocol]
    file = tmp_path / name
    file.write_text(text)

    with pytest.raises(ProblemsError) as error:
        read(file)
    (problem,) = error.value.problems
    assert str(file) in str(problem)


def test_a_failed_attempt_leaves_nothing_in_the_way(tmp_path: Path) -> None:
    file = written(tmp_path, "paths: {}")
    for _ in range(2):
        with pytest.raises(ProblemsError):
            init_command(
                str(tmp_path / "own"),
                {"rest": str(file)},
                addresses={},
                csv=None,
                decide=None,
                force=False,
                seed=1,
                as_json=False,
            )
    assert not (tmp_path / "own").exists()
