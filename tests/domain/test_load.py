"""A domain is loaded whole, or every mistake in its folder is reported at once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.domain.fixtures import FOLDER, copied
from tests.support.wording import assert_worded, raises_worded
from wirelab.domain import Domain
from wirelab.domain_file import find_domain, load_domain
from wirelab.inputs.problems import Problem, ProblemsError

Edit = Callable[..., list[Problem]]

OUTAGE = """
[outage.life]
summary = "a service fails"
operation = "{operation}"
remember = {{ made = "/id" }}
deadline_s = 1
looks = [{{ operation = "{look}", parameters = {{ {id} }} }}]

[sequence.life]"""
"""To stand where the first sequence begins."""


@pytest.fixture
def edited(tmp_path: Path) -> Edit:
    """Copy the notes, replace texts in one file, and give the problems of loading them."""

    def edit(*replacements: tuple[str, str], file: str = "domain.toml") -> list[Problem]:
        with pytest.raises(ProblemsError) as error:
            load_domain(copied(tmp_path, *replacements, file=file))
        return error.value.problems

    return edit


def keys(problems: list[Problem]) -> set[str]:
    return {problem.key for problem in problems}


def test_the_notes_are_loaded(notes: Domain) -> None:
    assert list(notes.operations) == [
        "read", "list", "create", "update", "delete", "follow", "ping",
    ]  # fmt: skip
    assert notes.control is not None
    assert notes.control.name == "ping"
    assert notes.states["few"].records == 8
    assert notes.stores.postgresql is not None
    assert notes.stores.postgresql.schema_files == (FOLDER / "schema.sql",)
    assert notes.interface.files["grpc"] == FOLDER / "notes.proto"
    assert notes.interface.case("graphql") == "camel"
    assert notes.interface.case("rest") == "snake"
    assert notes.operations["follow"].bindings["rest"].composed
    assert not notes.operations["read"].bindings["rest"].composed
    assert "soap" not in notes.operations["follow"].bindings


def test_the_domains_of_wirelab_load() -> None:
    folder = find_domain("games")

    assert load_domain("games").name == "games"
    assert load_domain(folder).folder == folder


def test_the_error_for_an_unknown_name_contains_the_nearest() -> None:
    with raises_worded(ProblemsError):
        load_domain("game5")


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("parcles", "parcels"),
        ("sub/parcles", "sub/parcels"),
        ("x/gmaes", "games"),
        ("./gamess", r"\./games"),
    ],
)
def test_the_error_for_a_misspelt_folder_contains_the_one_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: str, right: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("parcels", "sub/parcels", "games"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "domain.toml").touch()

    with raises_worded(ProblemsError):
        find_domain(wrong)


def test_a_file_that_is_no_toml_is_reported(edited: Edit) -> None:
    [problem] = edited(('name = "notes"', "name = notes"))

    assert_worded(problem)


def test_many_mistakes_are_reported_at_once(edited: Edit) -> None:
    problems = edited(
        ('title = "Notes"', 'titles = "Notes"'),
        ('rest = "openapi.yaml"\n', ""),
        ('graphql = "schema.graphql"', 'graphql = "schema.grapql"'),
        ("records = 8", "records = -8"),
        ('effect = "read"', 'effect = "reed"'),
        ('message = { op = "list", limit = "{limit}" }', 'message = { limit = "{limits}" }'),
        ('method = "notes.Notes/Create"', 'method = "notes.Notes/Creat"'),
        ('operation = "Update"', 'operation = "Updates"'),
        ('operation = "delete", parameters = { id', 'operation = "delete", parameters = { idd'),
    )

    assert keys(problems) == {
        "titles",
        "interface.rest",
        "interface.graphql",
        "state.few.records",
        "operation.read.effect",
        "operation.list.websocket.message.limit",
        "operation.create.grpc.method",
        "operation.update.soap.operation",
        "sequence.life.steps.4.parameters.idd",
    }


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        # Names within the file.
        ('path = "/notes/{id}"', 'path = "/notes/{idd}"', "operation.read.rest.path"),
        ('note = { title = "", ', 'not = { title = "", ',
         "operation.create.errors.0.parameters.not"),
        ('id = "note.id"', 'id = "notes.id"', "operation.read.parameters.id"),
        ('operation = "create"', 'operation = "crate"', "sequence.life.steps.0.operation"),
        ("parameters = { limit = 5 }", 'parameters = { limit = "= five" }',
         "operation.list.parameters.limit"),
        ('parameters = { id = "note.id" }', 'parameters = ["id"]', "operation.read.parameters.id"),
        ("remember = { id", "remember = { key", "sequence.life.steps.1.parameters.id"),
        ('records = "note"', 'records = "memo"', "store.postgresql.copy.note"),
        ('index = { notes', 'index = { nodes', "store.mongodb.index.nodes"),
        ("refusal = \"not_found\"", "refusal = \"gone\"", "operation.read.errors.0.refusal"),
        ("records = 8", 'records = "8"', "state.few.records"),
        ("indexed = true", 'indexed = "yes"', "state.few.indexed"),
        ('masked = ["id"]', 'masked = ["id"]\ncommon = { tolerance = { price = "5x" } }',
         "operation.create.common.tolerance.price"),
        ('masked = ["id"]', 'masked = "id"', "operation.create.masked"),
        ('rest = "openapi.yaml"', "rest = 3", "interface.rest"),
        ("websocket = {", "websokcet = {", "operation.read.websokcet"),
        ('graphql = "camel"', 'graphql = "kebab"', "interface.key_case.graphql"),
        ('soap = "camel"', 'sop = "camel"', "interface.key_case.sop"),
        ('effect = "none"', 'effect = "read"', "operation"),
        ("[sequence.life]", OUTAGE.format(operation="crate", look="list", id=""),
         "outage.life.operation"),
        ("[sequence.life]", OUTAGE.format(operation="create", look="delete", id='id = "x"'),
         "outage.life.looks.0.operation"),
        ("[sequence.life]", OUTAGE.format(operation="create", look="read", id='id = "{it}"'),
         "outage.life.looks.0.parameters.id"),
        # Files beside it.
        ('"graphql/read.graphql"', '"graphql/reed.graphql"', "operation.read.graphql.document"),
        ('"graphql/read.graphql"', '"read.graphql"', "operation.read.graphql.document"),
        ('schema = "schema.sql"', 'schema = "scheme.sql"', "store.postgresql.schema"),
        ("COPY notes FROM", "INSERT INTO notes FROM", "store.postgresql.copy.note"),
        ("COPY notes FROM", "COPY notes (id, documents) FROM", "store.postgresql.copy.note"),
        ("COPY notes FROM", "COPY public.note FROM", "store.postgresql.copy.note"),
        ("STDIN (FORMAT csv)", "STDIN (FORMAT csv, HEADER)", "store.postgresql.copy.note"),
        ("STDIN (FORMAT csv)", "STDIN CSV header", "store.postgresql.copy.note"),
        ('copy = { note = "COPY notes FROM STDIN (FORMAT csv)" }', "", "store.postgresql.copy"),
        ('"{python}"', '"{pythonx}"', "data.generator.0"),
        ('"generate.py"', '"generat.py"', "data.generator.1"),
        ('grpc = "notes.proto"\n', "", "interface.grpc"),
        # The descriptions of the interface.
        ('path = "/notes/{id}"', 'path = "/note/{id}"', "operation.read.rest.path"),
        ('method = "GET", path = "/notes/{id}"', 'method = "PATCH", path = "/notes/{id}"',
         "operation.read.rest.method"),
        ("/notes?limit=", "/notes?limits=", "operation.list.rest.path"),
        ("/notes?limit={limit}", "/notes", "operation.list.rest.path"),
        ("status = 201", "status = 200", "operation.create.rest.status"),
        ("variables = { id", "variables = { key", "operation.read.graphql.variables.key"),
        ("notes.Notes/Read", "notes.Notes/Reed", "operation.read.grpc.method"),
        ("notes.Notes/Read", "notes.Notes/Upload", "operation.read.grpc.send"),
        ('"notes.Notes/Read", message', '"notes.Notes/Read", send = 3, message',
         "operation.read.grpc.send"),
        ('"notes.Notes/Read", message', '"notes.Notes/Read", in_turn = true, message',
         "operation.read.grpc.in_turn"),
        ('"notes.Notes/Read", message', '"notes.Notes/Upload", send = 0, message',
         "operation.read.grpc.send"),
        ('"notes.Notes/Read", message', '"notes.Notes/Upload", send = "x{id}", message',
         "operation.read.grpc.send"),
        ('message = { limit = "{limit}" }, answer', 'message = { limits = "{limit}" }, answer',
         "operation.list.grpc.message.limits"),
        ('message = { limit = "{limit}" }, answer = "/notes"',
         'message = { limit = "{limit}" }, answer = "/note"',
         "operation.list.grpc.answer"),
        ('answer = "/data/note"', 'answer = "/data/nte"', "operation.read.graphql.answer"),
        ('answer = "/note" }\njsonrpc = { method = "read"',
         'answer = "/nte" }\njsonrpc = { method = "read"',
         "operation.read.soap.answer"),
        ('operation = "Read"', 'operation = "Reed"', "operation.read.soap.operation"),
        ('operation = "Read", message = { id', 'operation = "Read", message = { key',
         "operation.read.soap.message.key"),
        # Rows that the generator does not write.
        ("extra = 4", "extra = 0", "data.extra"),
        ("extra = 4", 'extra = 0\nsize = "--scale"', "operation.create.parameters.note"),
        ("extra = 4", 'size = "--scale"', "data.extra"),
        ('"new note"', '"new notte"', "operation.create.parameters.note"),
        ('{ note = "new note" }', '{ note = "new note", colour = "= red" }',
         "operation.create.parameters.colour"),
        # Rounds.
        ('each = "/links/*", ', "", "operation.follow.rest.rounds.1.0.path"),
        ('into = "/linked/*"', 'into = "/linked/*/*"', "operation.follow.rest.rounds.1.0.into"),
        ('[{ method = "GET", path = "/notes/{id}" }],',
         '[{ method = "GET", each = "/x", path = "/notes/{id}" }],',
         "operation.follow.rest.rounds.0.0.each"),
    ],
)  # fmt: skip
def test_each_mistake_names_key_value_and_remedy(
    edited: Edit, old: str, new: str, key: str
) -> None:
    problems = edited((old, new))

    assert key in keys(problems)
    assert_worded("\n".join(map(str, problems)))


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("graphql/read.graphql", "fullName", "fulName"),
        ("openapi.yaml", "paths:", "paths: ["),
        ("openapi.yaml", "paths:", "ways:"),
        ("schema.graphql", "type Query {", "type Query {{"),
        ("schema.graphql", "  linked: [Note!]!", "  linked: [Nota!]!"),
        ("notes.proto", "returns (ById)", "returns (ByIdd)"),
        ("notes.wsdl", "</definitions>", ""),
        ("notes.wsdl", 'type="tns:NoteReply"', 'type="tns:Nothing"'),
        ("reference.py", "class Reference:", "class Reference"),
        ("reference.py", "class Reference:", "class Replies:"),
    ],
)
def test_a_broken_description_is_a_problem_of_its_file(
    file: str, old: str, new: str, edited: Edit
) -> None:
    [problem] = edited((old, new), file=file)

    assert_worded(problem)


def test_a_missing_reference_is_reported(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / "reference.py").unlink()

    with pytest.raises(ProblemsError, match=r"reference\.py missing"):
        load_domain(folder)


def test_a_wsdl_that_would_load_from_the_network_is_refused(edited: Edit) -> None:
    inclusion = '<types><xs:schema><xs:import namespace="urn:far" schemaLocation="http://far.example/x"/></xs:schema>'
    [problem] = edited(("<types>", inclusion), file="notes.wsdl")

    assert problem.where.endswith("notes.wsdl")
    assert "far.example" in str(problem)


def test_a_proto_may_import_from_anywhere_in_the_domain(tmp_path: Path) -> None:
    folder = copied(tmp_path, ('"notes.proto"', '"proto/notes/notes.proto"'))
    text = (folder / "notes.proto").read_text()
    start, end = text.index("message Author"), text.index("message Note ")
    inside = folder / "proto" / "notes"
    inside.mkdir(parents=True)
    (inside / "author.proto").write_text(f'syntax = "proto3";\npackage notes;\n{text[start:end]}')
    imports = 'package notes;\nimport "proto/notes/author.proto";'
    (inside / "notes.proto").write_text(
        (text[:start] + text[end:]).replace("package notes;", imports)
    )

    assert load_domain(folder).interface.files["grpc"] == inside / "notes.proto"


def test_a_path_below_the_current_folder_is_shown_short(
    edited: Edit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    [problem] = edited(("records = 8", "records = -8"))

    assert problem.where == "notes/domain.toml"


def test_a_control_takes_no_parameters(edited: Edit) -> None:
    (problem,) = edited(('effect = "none"', 'effect = "none"\nparameters = { id = "= 1" }'))

    assert problem.key == "operation.ping.parameters"
    assert "touches no data" in problem.expected


def test_an_operation_that_cannot_be_read_may_be_the_control(edited: Edit) -> None:
    (problem,) = edited(('effect = "none"', 'effect = "nothing"'))

    assert problem.key == "operation.ping.effect"
