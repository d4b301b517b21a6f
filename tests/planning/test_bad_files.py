"""All mistakes of one file are reported at once: of the study, then of its domain, then of both."""

from pathlib import Path

import pytest

from tests.support.notes import Edit, edit, mistakes, places, world
from tests.support.wording import raises_worded
from wirelab.inputs.problems import ProblemsError
from wirelab.planning.plan import plan_study

__all__ = ["edit", "world"]


def test_without_mistakes_the_study_is_planned(world: Path) -> None:
    assert plan_study(world / "study", "smoke", 1, unavailable=lambda *_: {}).schedule.runs


@pytest.mark.parametrize(
    ("file", "replacements", "expected"),
    [
        ("study/study.toml",
         [('title = "Read: one note"', 'titel = "Read: one note"'), ("blocks = 6", "blocks = 0")],
         {"workload.read_one.titel": "title", "design.smoke.blocks": ""}),
        ("study/study.toml",
         [('"grpc-notes"]', '"grpc-note"]'), ('operation = "read"', 'operation = "reed"')],
         {"contenders.1": "grpc-notes", "workload.read_one.operation": "read"}),
        ("notes/domain.toml",
         [("{ limit = 5 }", '{ limit = "memo.id" }'), ("records = 8", "records = -8")],
         {"operation.list.parameters.limit": "", "state.few.records": ""}),
        ("notes/contenders/own/contender.toml",
         [("lock.txt", "lokc.txt"), ('protocol = "grpc"', 'protocol = "grcp"')],
         {"build.inputs.0": "", "contender.grpc-notes.protocol": "grpc"}),
        ("notes/contenders/generic/contender.toml",
         [('dialect = "part"', 'dialect = "prat"')], {"contender.generic.dialect": "part"}),
        ("notes/dialects/part.toml",
         [('"read", "ping"', '"raed", "pong"')], {"only.0": "read", "only.1": "ping"}),
        ("notes/dialects/part.toml", [("only", "[only")], {"": ""}),
    ],
)  # fmt: skip
def test_all_mistakes_of_a_file_are_reported_with_their_keys_and_the_closest_names(
    world: Path,
    edit: Edit,
    file: str,
    replacements: list[tuple[str, str]],
    expected: dict[str, str],
) -> None:
    edit(file, *replacements)

    problems = mistakes(world)

    found = {each.key: each.hint for each in problems}
    assert found == {
        key: f"did you mean '{name}'?" if name else "" for key, name in expected.items()
    }
    assert {Path(each.where.partition(", line")[0]).name for each in problems} == {Path(file).name}


def test_a_missing_state_is_named_at_its_workload_along_with_missing_stores(
    world: Path, edit: Edit
) -> None:
    edit("study/study.toml", ('state = "few"', ""), ('stores = ["postgresql"]', ""))

    stores, state = mistakes(world)

    hint = 'write stores = ["postgresql"]'
    assert (stores.key, stores.value, stores.hint) == ("stores", None, hint)
    assert (state.key, state.value) == ("workload.read_one.state", None)
    assert "design smoke" in state.hint


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


def test_a_key_that_needs_another_one_names_it(world: Path, edit: Edit) -> None:
    edit("study/study.toml", ("blocks = 6", 'until = "decided"'))

    (mistake,) = mistakes(world)
    assert (mistake.key, mistake.value) == ("design.smoke.budget_minutes", None)
    assert "budget_minutes" in mistake.hint


def test_all_arguments_of_a_plan_are_checked_at_once(world: Path) -> None:
    with raises_worded(ProblemsError):
        plan_study(world / "study", "smok", 1, ["read_two", "grpcc"], blocks=0)


def test_missing_bindings_of_what_is_measured_are_reported(world: Path, edit: Edit) -> None:
    message = 'message = { limit = "{limit}" }, answer = "/notes" }'
    edit("notes/domain.toml", (f'grpc = {{ method = "notes.Notes/List", {message}\n', ""))

    assert places(mistakes(world)) == [("domain.toml", "operation.list.grpc")]


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
    edit("notes/contenders/own/contender.toml", ("lock.txt", "lokc.txt"))

    (_, *missing) = mistakes(world)

    assert [each.key for each in missing] == expected
