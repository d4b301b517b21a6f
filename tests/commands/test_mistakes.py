"""Mistakes in the files of a study and of its domain are reported in one attempt, each once."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.domain.fixtures import FOLDER
from wirelab.inputs.problems import Problem, ProblemsError, merged
from wirelab.planning.plan import load_domain_with_contenders, plan_study

STUDY = FOLDER.parent / "notes-study" / "study.toml"
STACK = """
stack = "notes"
title = "Notes"

[build]
inputs = ["lock.txt"]

[contender.rest-notes]
title = "REST"
protocol = "rest"
command = ["serve"]

[contender.grpc-notes]
title = "gRPC"
protocol = "grpc"
command = ["serve"]
"""
GENERIC = """
stack = "generic"
title = "A generic server"

[contender.generic]
title = "GraphQL of the tables"
protocol = "graphql"
dialect = "part"
command = ["serve"]
"""

Edit = Callable[..., None]
Mistakes = set[tuple[str, str]]


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A folder with the notes, their contenders, a dialect, and a study of them."""
    shutil.copytree(FOLDER, tmp_path / "notes")
    for name, text in {
        "study/study.toml": STUDY.read_text(),
        "notes/contenders/own/contender.toml": STACK,
        "notes/contenders/own/lock.txt": "",
        "notes/contenders/generic/contender.toml": GENERIC,
        "notes/dialects/part.toml": 'only = ["read", "ping"]\n',
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def edit(world: Path) -> Edit:
    """Replace text in a file of the world."""

    def edited(name: str, *replacements: tuple[str, str]) -> None:
        file = world / name
        text = file.read_text()
        for old, new in replacements:
            assert old in text
            text = text.replace(old, new, 1)
        file.write_text(text)

    return edited


def mistakes(world: Path, *only: str) -> list[Problem]:
    with pytest.raises(ProblemsError) as raised:
        plan_study(world / "study", "smoke", 1, only, unavailable=lambda *_: {})
    return raised.value.problems


def places(problems: list[Problem]) -> list[tuple[str, str]]:
    """File and key of each problem."""
    return sorted((Path(each.where).name.partition(",")[0], each.key) for each in problems)


def test_without_mistakes_the_study_is_planned(world: Path) -> None:
    assert plan_study(world / "study", "smoke", 1, unavailable=lambda *_: {}).schedule.runs


def test_mistakes_in_five_files_are_reported_together(world: Path, edit: Edit) -> None:
    edit(
        "study/study.toml",
        ('"rest-notes", "grpc-notes"]', '"rest-notes", "grpc-note"]'),
        ('title = "Read: one note"', 'titel = "Read: one note"'),
        ('operation = "read"', 'operation = "reed"'),
    )
    edit("notes/domain.toml", ("{ limit = 5 }", '{ limit = "memo.id" }'))
    edit("notes/contenders/own/contender.toml", ("command", "commands"))
    edit("notes/contenders/generic/contender.toml", ('dialect = "part"', 'dialect = "prat"'))
    edit("notes/dialects/part.toml", ('"read"', '"raed"'))

    problems = mistakes(world)

    assert places(problems) == [
        ("contender.toml", "contender.generic.dialect"),
        ("contender.toml", "contender.rest-notes.commands"),
        ("domain.toml", "operation.list.parameters.limit"),
        ("part.toml", "only.0"),
        ("study.toml", "contenders.1"),
        ("study.toml", "workload.read_one.operation"),
        ("study.toml", "workload.read_one.titel"),
    ]
    reported = {each.key: str(each) for each in problems}
    assert reported["contenders.1"].endswith(
        f"{world}/study/study.toml: contenders.1 is 'grpc-note'; expected one of generic,"
        " grpc-notes, rest-notes (domain notes) (hint: did you mean 'grpc-notes'?)"
    )
    assert "is 'reed'; expected one of create, " in reported["workload.read_one.operation"]
    assert "is 'prat'; expected one of part (hint: " in reported["contender.generic.dialect"]


@pytest.mark.parametrize(
    ("place", "old", "new"),
    [
        # Names in a table that is not valid exist nevertheless.
        ("notes/domain.toml: operation.read.effect", 'effect = "read"', 'effect = "reed"'),
        ("notes/domain.toml: state.few.records", "records = 8", 'records = "8"'),
        ("notes/domain.toml: data.recods", 'records = "note"', 'recods = "note"'),
        ("notes/domain.toml: store.postgresql.schema", '"schema.sql"', '"sql"'),
        ("notes/domain.toml: operation.ping.grpc.methods", '{ method = "notes.Notes/Ping"',
         '{ methods = "notes.Notes/Ping"'),
        ("notes/contenders/own/contender.toml: contender.rest-notes.protocols",
         'protocol = "rest"', 'protocols = "rest"'),
        ("notes/dialects/part.toml: sole", "only", "sole"),
        # A table with an unknown name may declare any of them.
        ("notes/domain.toml: stat", "[state.few]", "[stat.few]"),
        ("notes/contenders/own/contender.toml: contendr", "[contender.grpc-", "[contendr.grpc-"),
        # So may a file that is not TOML.
        ("notes/domain.toml: ", "[data]", "[data"),
        ("notes/contenders/own/contender.toml: ", "[build]", "[build"),
        ("notes/dialects/part.toml: ", "only", "[only"),
        # A protocol that nothing is bound to is one mistake, however many operations lack it.
        ("notes/contenders/own/contender.toml: contender.rest-notes.protocol",
         'protocol = "rest"', 'protocol = "resT"'),
    ],
)  # fmt: skip
def test_a_mistake_causes_no_further_messages(
    world: Path, edit: Edit, place: str, old: str, new: str
) -> None:
    file, expected = place.split(": ")
    edit(file, (old, new))

    found = {key for _, key in places(mistakes(world))}

    missing = {"operation.ping.grpc.method", "contender.rest-notes.protocol"}  # the key meant
    assert expected in found
    assert found - missing - {expected} == set()


def test_a_missing_state_is_named_at_its_workload_along_with_missing_stores(
    world: Path, edit: Edit
) -> None:
    edit("study/study.toml", ('state = "few"', ""), ('stores = ["postgresql"]', ""))

    assert [str(each).partition(": ")[2] for each in mistakes(world)] == [
        "stores missing; expected a list of stores: one of mongodb, postgresql (domain notes)"
        ' (hint: write stores = ["postgresql"])',
        "workload.read_one.state missing; expected a state: one of empty, few (domain notes) (hint:"
        " or set data.state in the design smoke)",
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("stores =", "storess ="),
        ('stores = ["postgresql"]', "stores = []"),
        ('state = "few"', 'sate = "few"'),
        ('state = "few"', "state = 5"),
        ('state = "few"', '\n[design.smoke.dta]\nstate = "few"'),
    ],
)
def test_a_misspelt_key_of_a_study_is_not_reported_as_missing(
    world: Path, edit: Edit, old: str, new: str
) -> None:
    edit("study/study.toml", (old, new))

    assert len(mistakes(world)) == 1


def test_fixed_values_without_a_description_have_the_kinds_of_those_in_domain_toml(
    world: Path, edit: Edit
) -> None:
    sources = 'count = 1.5, word = "= no", is = true, note = "new note", id = "note.id", none = "="'
    sent = "{count} {word} {is} {note} {id} {none}"
    asked = f'[operation.ask]\nsummary = "ask"\neffect = "read"\nparameters = {{ {sources} }}\n'
    edit("notes/domain.toml", ("[sequence", f'{asked}websocket.message = "{sent}"\n[sequence'))
    fixed = 'count = ["5", 5], word = [5, "x"], is = [0, false], note = "{}", id = 1, none = ""'
    ask = f'operation = "ask"\nparameter_sets = 2\nparameters = {{ {fixed} }}\n'
    edit("study/study.toml", ('operation = "list"', ask), ("parameters = { limit = 8 }", ""))

    found = {each.key: each for each in mistakes(world) if ".parameters." in each.key}

    assert {key.rpartition(".")[2]: each.value for key, each in found.items()} == {
        "count": "5",
        "word": 5,
        "is": 0,
        "note": "{}",
    }
    count = found["workload.list_eight.parameters.count"]
    assert count.expected == "a number, as the value of count of ask in domain.toml"


def test_a_key_that_needs_another_one_names_it(world: Path, edit: Edit) -> None:
    edit("study/study.toml", ("blocks = 6", "blocks = 6\nprecision = 0.1"))

    (mistake,) = mistakes(world)
    assert str(mistake).endswith(
        "study.toml: design.smoke.looks missing; expected one or two larger numbers of blocks,"
        " which precision needs (hint: add looks = [12], or remove precision)"
    )


def test_a_table_that_is_not_valid_as_a_whole_is_not_printed() -> None:
    table = {"title": "a" * 80}

    assert str(Problem("f", "k", table, "a value")) == "f: k is not valid; expected a value"


def test_a_missing_domain_does_not_hide_mistakes_in_the_study(world: Path, edit: Edit) -> None:
    edit("study/study.toml", ('"../notes"', '"../note"'), ("blocks = 6", "blocks = 0"))

    assert places(mistakes(world)) == [
        ("study.toml", "design.smoke.blocks"),
        ("study.toml", "domain"),
    ]


def test_options_are_checked_along_with_files(world: Path, edit: Edit) -> None:
    edit("notes/contenders/own/contender.toml", ("lock.txt", "lokc.txt"))

    problems = mistakes(world, "read_one", "read_two")

    assert places(problems) == [("--only", ""), ("contender.toml", "build.inputs.0")]


def test_all_arguments_of_a_plan_are_checked_at_once(world: Path) -> None:
    with pytest.raises(ProblemsError) as raised:
        plan_study(world / "study", "smok", 1, ["read_two", "grpcc"], blocks=0)

    assert [(each.where, each.value, each.hint) for each in raised.value.problems] == [
        ("--blocks", 0, ""),
        ("notes-study", "smok", "did you mean 'smoke'?"),
        ("--only", "read_two, grpcc", "did you mean 'read_one', 'grpc'?"),
    ]


def test_missing_bindings_are_reported_with_mistakes_in_other_files(
    world: Path, edit: Edit
) -> None:
    message = 'message = { limit = "{limit}" }, answer = "/notes" }'
    edit("notes/domain.toml", (f'grpc = {{ method = "notes.Notes/List", {message}\n', ""))
    edit("notes/contenders/own/contender.toml", ("lock.txt", "lokc.txt"))

    assert places(mistakes(world)) == [
        ("contender.toml", "build.inputs.0"),
        ("domain.toml", "operation.list.grpc"),
    ]


def test_a_domain_is_verified_only_if_it_and_its_contenders_are_valid(
    world: Path, edit: Edit
) -> None:
    edit("notes/domain.toml", ("records = 8", "records = -8"))
    edit("notes/contenders/own/contender.toml", ("lock.txt", "lokc.txt"))

    with pytest.raises(ProblemsError) as raised:
        load_domain_with_contenders(str(world / "notes"))

    assert places(raised.value.problems) == [
        ("contender.toml", "build.inputs.0"),
        ("domain.toml", "state.few.records"),
    ]


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ("", ["operation.list.rest.headers.X-Tenant"]),
        ("headers = { x-tenant = '1' }", []),
        ("headers_file = 'secret'", []),
    ],
)
def test_a_header_that_the_interface_requires_comes_from_the_binding_or_the_contender(
    world: Path, edit: Edit, sent: str, expected: list[str]
) -> None:
    listed = '[{ $ref: "#/components/parameters/limit" }'
    header = "{ name: X-Tenant, in: header, required: true }"
    edit("notes/openapi.yaml", (listed, f"{listed}, {header}"))
    edit("notes/contenders/own/contender.toml", ('"rest"\n', f'"rest"\n{sent}\n'))
    edit("study/study.toml", ("blocks = 6", "blocks = 0"))

    (_, *missing) = mistakes(world)

    assert [each.key for each in missing] == expected
    for each in missing:
        assert each.hint == "add it to the binding, or to headers of rest-notes"


def test_a_mistake_that_many_keys_share_is_printed_once(world: Path, edit: Edit) -> None:
    edit("study/study.toml", ('"rest-notes", "grpc-notes"]', '"rest-notes", "grpc-note"]'))
    found = mistakes(world)
    claims = [Problem("claims.toml", f"claim.{n}", "grpc-notes", "one of a") for n in range(4)]
    missing = [Problem("claims.toml", f"claim.{n}.text", None, "a value") for n in range(4)]

    lines = [str(each) for each in merged([*found, *claims, *missing])]

    assert lines[: len(found)] == [str(each) for each in found]
    assert lines[len(found)] == (
        "claims.toml: claim.0 is 'grpc-notes', as are 3 other keys; expected one of a"
    )
    assert len(lines) == len(found) + 1 + len(missing)
