"""A generic server has its own interface; requests to it use a dialect of the domain."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.domain.fixtures import copied
from tests.support.wording import raises_worded
from wirelab import protocol
from wirelab.domain import Domain, load_reference
from wirelab.domain_file import load_domain
from wirelab.inputs.problems import ProblemsError
from wirelab.lab.contenders.contender import load_contenders
from wirelab.protocol.message import Answer, WireReply

SCHEMA = """
type Query { allNotes(nr: ID!, order: Order): NoteList }
type NoteList { nodes: [NoteRow] }
type NoteRow { nr: Int owner: OwnerRow tags: TagList }
type OwnerRow { person: Person }
type Person { nr: Int heading: String }
type TagList { nodes: [TagRow] }
type TagRow { word: String nr: Int }
enum Order { NR_ASC }
"""
DOCUMENT = """
query Read($nr: ID!, $order: Order) {
  allNotes(nr: $nr, order: $order) {
    nodes { id: nr owner { person { id: nr heading } } tags { nodes { word nr } } }
  }
}
"""
DIALECT = """
[interface]
graphql = "dialects/schema.graphql"
[every.graphql]
unwrap = ["nodes", "person"]
text = ["id"]
[operation.read.graphql]
document = "dialects/read.graphql"
values = { id = { first = "NR_ASC" } }
variables = { nr = "{id}", order = "{id}" }
answer = "/data/allNotes/nodes/0"
[operation.ping.graphql]
document = "dialects/ping.graphql"
"""
CONTENDER = """
stack = "generic"
title = "A generic server"
[contender.generic]
title = "GraphQL of the tables"
protocol = "graphql"
dialect = "tables"
command = ["serve"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = copied(tmp_path)
    (folder / "dialects").mkdir()
    (folder / "dialects/schema.graphql").write_text(SCHEMA)
    (folder / "dialects/read.graphql").write_text(DOCUMENT)
    (folder / "dialects/ping.graphql").write_text("{ __typename }")
    (folder / "dialects/tables.toml").write_text(DIALECT)
    (folder / "contenders/generic").mkdir(parents=True)
    (folder / "contenders/generic/contender.toml").write_text(CONTENDER)
    return folder


@pytest.fixture
def in_dialect(folder: Path) -> Domain:
    return load_domain(folder).in_dialect("tables")


def test_operations_keep_their_meaning_under_other_names(folder: Path, in_dialect: Domain) -> None:
    own = load_domain(folder)

    assert own.in_dialect("") is own
    assert in_dialect.operations.keys() == own.operations.keys()
    assert in_dialect.operations["read"].parameters == own.operations["read"].parameters
    assert set(in_dialect.operations["read"].bindings) == {"graphql"}
    assert own.operations["read"].errors
    assert not in_dialect.operations["read"].errors
    assert not in_dialect.operations["list"].bindings
    assert in_dialect.interface.files == {"graphql": folder / "dialects/schema.graphql"}
    assert (own.spelled_in, in_dialect.spelled_in) == ("domain.toml", "dialects/tables.toml")
    assert (in_dialect.folder / in_dialect.spelled_in).is_file()


def test_values_are_spelled_as_the_dialect_does(in_dialect: Domain) -> None:
    codec = protocol.get("graphql").bind(in_dialect)
    read = in_dialect.operations["read"]

    bodies = [json.loads(codec.encode(read, {"id": each}).body) for each in ("first", "other")]

    assert [body["variables"]["order"] for body in bodies] == ["NR_ASC", "other"]


def test_answers_come_in_the_form_of_the_domain(in_dialect: Domain) -> None:
    row = {
        "id": 7,
        "owner": {"person": {"id": 1, "heading": "Of one"}},
        "tags": {"nodes": [{"word": "a", "nr": 3}]},
    }
    body = json.dumps({"data": {"allNotes": {"nodes": [row]}}}).encode()
    codec = protocol.get("graphql").bind(in_dialect)

    answer = codec.decode(in_dialect.operations["read"], WireReply(200, (), body))

    assert answer == Answer(
        {"id": "7", "owner": {"id": "1", "heading": "Of one"}, "tags": [{"word": "a", "nr": 3}]}
    )


def test_a_contender_names_its_dialect(folder: Path) -> None:
    assert load_contenders(load_domain(folder))["generic"].dialect == "tables"


def test_a_missing_dialect_is_a_mistake(folder: Path) -> None:
    (folder / "dialects/tables.toml").rename(folder / "dialects/table.toml")

    with raises_worded(ProblemsError):
        load_contenders(load_domain(folder))


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace("operation.read", "operation.raed"),
        lambda text: text.replace("read.graphql]", "read.grahpql]"),
        lambda text: text.replace("unwrap", "unwarp"),
        lambda text: text.replace('"nodes", "person"', "1"),
        lambda text: text.replace("every.graphql", "every.grahpql"),
        lambda text: text + "\n[store]\n",
        lambda text: text.replace("schema.graphql", "schema.gql"),
        lambda text: text + "[",
        lambda text: text.partition("[every")[0],
    ],
)
def test_mistakes_are_found_in_the_dialects_file(folder: Path, edit: Callable[[str], str]) -> None:
    file = folder / "dialects/tables.toml"
    file.write_text(edit(file.read_text()))

    with raises_worded(ProblemsError) as error:
        load_domain(folder)

    assert {"tables.toml" in each.where for each in error.value.problems} == {True}


def test_a_document_must_fit_the_dialects_own_schema(folder: Path) -> None:
    file = folder / "dialects/read.graphql"
    file.write_text(file.read_text().replace("heading", "nosuchfield"))

    with pytest.raises(ProblemsError, match="nosuchfield"):
        load_domain(folder)


REFERENCE = """

class Reference:
    def __init__(self, tables, *, loud=False):
        self.loud = loud

    def call(self, operation, parameters):
        return "RIGHT" if self.loud else "right"
"""


def test_a_dialect_without_an_interface_is_the_domain_with_another_reference(folder: Path) -> None:
    (folder / "dialects/shouted.toml").write_text("[reference]\nloud = true\n")
    (folder / "reference.py").write_text(REFERENCE)
    own = load_domain(folder)
    shouted = own.in_dialect("shouted")

    assert shouted.operations == own.operations
    assert shouted.interface == own.interface
    empty = SimpleNamespace(tables={})
    answers = [load_reference(it, empty).call("read", {}) for it in (own, shouted)]  # type: ignore[arg-type]
    assert answers == ["right", "RIGHT"]


@pytest.mark.parametrize(
    "written",
    [
        "[reference]\nlouds = true",
        '[reference]\nonly = ["read"]',
        "loud = true",
        "[reference]\nloud = 1",
        'only = "read"',
        'only = ["reed"]',
    ],
)
def test_mistakes_and_unknown_options_of_the_reference_are_named(
    folder: Path, written: str
) -> None:
    (folder / "reference.py").write_text(REFERENCE)
    (folder / "dialects/shouted.toml").write_text(written)

    with raises_worded(ProblemsError) as error:
        load_domain(folder)

    assert [Path(each.where).name for each in error.value.problems] == ["shouted.toml"]


def test_options_are_not_checked_if_the_file_does_not_show_them(folder: Path) -> None:
    (folder / "dialects/shouted.toml").write_text("[reference]\nany = true")
    (folder / "reference.py").write_text("from elsewhere import Reference")

    assert load_domain(folder).in_dialect("shouted").reference == {"any": True}


def test_a_partial_dialect_offers_some_operations_as_the_domain_spells_them(folder: Path) -> None:
    (folder / "dialects/part.toml").write_text('only = ["read", "ping"]\n')

    whole = load_domain(folder)
    part = whole.in_dialect("part")

    offered = {name for name, operation in part.operations.items() if operation.bindings}
    assert offered == {"read", "ping"}
    assert part.operations["read"] == whole.operations["read"]
    assert part.operations.keys() == whole.operations.keys()
