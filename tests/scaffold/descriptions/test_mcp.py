"""Tools of MCP servers: their lists, on pages, in the revisions that servers speak."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.domain.fixtures import cache, dataset, notes
from tests.support.mocks.http import answering
from tests.support.note_servers import NOTES, Logic, serving
from tests.support.scaffolding import scaffold
from wirelab.domain import Dataset
from wirelab.domain_file import load_domain
from wirelab.errors import LabError
from wirelab.inputs.problems import ProblemsError
from wirelab.protocol.mcp import CURRENT
from wirelab.scaffold.access import NO_OPTIONS
from wirelab.scaffold.descriptions.given import Details
from wirelab.scaffold.descriptions.mcp import REVISION, fetch_tools, read_tools
from wirelab.scaffold.descriptions.offer import Offer

__all__ = ["cache", "dataset", "notes"]

TOOLS = json.loads((NOTES / "tools.json").read_text())["tools"]


def offered(folder: Path, *tools: object, details: Details | None = None) -> list[Offer]:
    file = folder / "tools.json"
    file.write_text(json.dumps({"tools": tools}))
    return list(read_tools(file, details or Details()).offers)


def test_a_domain_is_written_from_a_server_that_lists_its_tools(
    dataset: Dataset, tmp_path: Path
) -> None:
    ids = [row["id"] for row in dataset.tables["note"]]
    (tmp_path / "ids.csv").write_text("\n".join(["id", *ids]))
    with serving("mcp", Logic(dataset)) as address:
        url = f"http://{address}/mcp"
        assert json.loads(fetch_tools(url, NO_OPTIONS)) == {REVISION: CURRENT, "tools": TOOLS}
        scaffold(tmp_path / "api", {"mcp": url}, {"mcp": url}, yes=True, csv=tmp_path / "ids.csv")

    domain = load_domain(str(tmp_path / "api" / "domain"))
    effects = {name: each.effect for name, each in domain.operations.items()}
    assert {"read": "read", "list": "read"}.items() <= effects.items()
    found = (tmp_path / "api" / "domain" / "parameters.ndjson").read_text()
    answered = [json.loads(line) for line in found.splitlines()]
    read = [each["parameters"]["id"] for each in answered if each["operation"] == "read"]
    assert sorted(read) == sorted(ids)


@contextmanager
def refusing(status: int, error: object) -> Iterator[str]:
    """Serve something that has no list of tools."""

    def answer(method: str, target: str, sent: bytes) -> tuple[int, str, bytes]:
        if not isinstance(error, dict):
            return status, "text/plain", b"no"
        body = {"jsonrpc": "2.0", "id": json.loads(sent).get("id"), **error}
        return status, "application/json", json.dumps(body).encode()

    with answering(answer) as address:
        yield f"{address}/mcp"


@pytest.mark.parametrize(
    ("status", "error", "why"),
    [
        (200, {"error": {"code": -32601, "message": "Method not found"}}, "Method not found"),
        (200, {"result": {}}, "no tools"),
        (404, None, "404"),
    ],
)
def test_a_server_without_a_list_of_tools_is_one_error(
    status: int, error: object, why: str
) -> None:
    with refusing(status, error) as url, pytest.raises(LabError) as raised:
        fetch_tools(url, NO_OPTIONS)

    assert url in str(raised.value)
    assert why in str(raised.value)


def test_an_older_revision_is_in_the_bindings(tmp_path: Path) -> None:
    def answer(method: str, target: str, sent: bytes) -> tuple[int, str, bytes]:
        call = json.loads(sent)
        if call["params"].get("_meta"):
            return 400, "text/plain", b"unsupported protocol version"
        result = {} if call["method"] == "initialize" else {"tools": TOOLS}
        body = {"jsonrpc": "2.0", "id": call.get("id"), "result": result}
        return 200, "application/json", json.dumps(body).encode()

    def known(method: str, target: str, sent: bytes) -> tuple[int, str, bytes]:
        call = json.loads(sent)
        return answer(method, target, json.dumps({"params": {}, **call}).encode())

    with answering(known) as address:
        (tmp_path / "tools.json").write_bytes(fetch_tools(f"{address}/mcp", NO_OPTIONS))

    bindings = [each.binding for each in read_tools(tmp_path / "tools.json").offers]
    assert {each["revision"] for each in bindings} == {"2025-11-25"}


def test_required_arguments_are_parameters_and_optional_ones_with_values(tmp_path: Path) -> None:
    schema = {
        "type": "object",
        "properties": {"id": {"type": "integer"}, "limit": {"type": "integer", "default": 7}},
        "required": ["id"],
    }
    tool = {"name": "find", "inputSchema": schema}
    (plain,) = offered(tmp_path, tool)
    (limited,) = offered(tmp_path, tool, details=Details(columns=frozenset({"limit"})))

    assert plain.binding == {"tool": "find", "arguments": {"id": "{id}"}, "content": "text"}
    assert plain.effect == "write"  # nothing says that it only reads
    assert limited.binding["arguments"] == {"id": "{id}", "limit": "{limit}"}
    (read,) = offered(tmp_path, tool, details=Details(reads=("find",)))
    assert read.effect == "read"


@pytest.mark.parametrize("written", ["{", "[]", '{"tools": [{"name": "a"}]}'])
def test_what_is_no_list_of_tools_is_refused(written: str, tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(written)

    with pytest.raises(ProblemsError):
        read_tools(tmp_path / "tools.json")
