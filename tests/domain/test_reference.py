"""The reference is loaded from the domain's folder, and nothing leaks out of it or into it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.wording import raises_worded
from wirelab.domain import Dataset, Domain, Reference, Refused, load_reference
from wirelab.inputs.problems import ProblemsError

CONSTRUCTOR = "class Reference:\n    def __init__(self, tables): "


Answering = Callable[..., Reference]


@pytest.fixture
def answering(notes: Domain, dataset: Dataset, tmp_path: Path) -> Answering:
    """Make a reference that carries out a statement at every call."""

    def make(statement: str) -> Reference:
        (tmp_path / "reference.py").write_text(
            "import math, sys, time\nfrom datetime import datetime\nfrom decimal import Decimal\n"
            "from wirelab.domain import Refused\n"
            "class Reference:\n"
            "    def __init__(self, tables): self.calls = 0\n"
            f"    def call(self, operation, parameters): {statement}\n"
        )
        return load_reference(replace(notes, folder=tmp_path), dataset)

    return make


def test_it_answers_and_refuses(notes: Domain, dataset: Dataset) -> None:
    reference = load_reference(notes, dataset)

    assert reference.call("read", {"id": "note 003"}) == dataset.tables["note"][2]
    with pytest.raises(Refused) as refused:
        reference.call("read", {"id": "no such note"})
    assert refused.value.kind == "not_found"


def test_its_answer_is_a_copy(notes: Domain, dataset: Dataset) -> None:
    reference = load_reference(notes, dataset)
    answer = reference.call("read", {"id": "note 001"})
    assert isinstance(answer, dict)
    answer["title"] = "changed by the caller"
    reference.call("delete", {"id": "note 002"})

    assert reference.call("read", {"id": "note 001"}) == dataset.tables["note"][0]
    again = load_reference(notes, dataset)
    assert again.call("read", {"id": "note 002"}) == dataset.tables["note"][1]


@pytest.mark.parametrize(
    "source",
    [
        "class Answers: pass",
        "class References: pass",
        "class Reference",
        "import sys\nsys.exit(0)",
        CONSTRUCTOR + "tables['nothing']",
        CONSTRUCTOR + "raise SystemExit(3)",
        "class Reference: ...",
        CONSTRUCTOR + "...",
        CONSTRUCTOR + "...\n    def call(self, operation): ...",
    ],
)
def test_a_broken_file_is_a_problem_of_that_file(
    source: str, notes: Domain, dataset: Dataset, tmp_path: Path
) -> None:
    (tmp_path / "reference.py").write_text(source)

    with raises_worded(ProblemsError) as error:
        load_reference(replace(notes, folder=tmp_path), dataset)
    assert str(tmp_path / "reference.py") in str(error.value)


def test_a_defect_names_the_operation(notes: Domain, dataset: Dataset) -> None:
    reference = load_reference(notes, dataset)

    with raises_worded(ProblemsError):
        reference.call("list", {"limit": "many"})


@pytest.mark.parametrize(
    "statement",
    [
        "sys.exit(0)",
        "raise Refused('notfound')",
        "return {'tags': {'a'}}",
        "return [{'price': float('nan')}]",
        "return 1, -math.inf",
        "return {'id': b'x'}",
        "return {'sum': Decimal('1.5')}",
        "return {'at': datetime(2026, 1, 2)}",
        "return {'a': {1: 'b'}}",
        "return range",
    ],
)
def test_an_unknown_refusal_and_what_is_no_json_are_defects_of_the_reference(
    statement: str, answering: Answering
) -> None:
    with raises_worded(ProblemsError):
        answering(statement).call("read", {"id": "note 003"})


def test_all_values_that_json_does_not_have_are_reported_at_once(answering: Answering) -> None:
    reference = answering("return {'notes': [{'tags': {n}} for n in range(9)], 'size': Decimal(1)}")

    with pytest.raises(ProblemsError) as error:
        reference.call("list", {})
    keys = [problem.key.partition(" ")[2] for problem in error.value.problems]
    assert keys == ["answer/notes/0/tags", "answer/size"]


@pytest.mark.parametrize("name", ["read", "update"])
def test_an_answer_that_depends_on_time_or_chance_is_a_defect_of_the_reference(
    name: str, notes: Domain, answering: Answering
) -> None:
    reference = answering("return {'id': 1, 'at': time.time_ns()}")

    with pytest.raises(ProblemsError) as error:
        reference.require_repeatable(notes.operations[name], {"id": "note 003"})
    assert error.value.problems[0].key == f"{name}(id='note 003'): answer/at"


def test_masked_parts_of_an_answer_may_depend_on_chance(
    notes: Domain, answering: Answering
) -> None:
    reference = answering("return {'id': time.time_ns()}")

    reference.require_repeatable(notes.operations["create"], {})
    with pytest.raises(ProblemsError, match="answer/id is "):
        reference.require_repeatable(notes.operations["update"], {})


def test_repeated_writes_change_nothing(notes: Domain, dataset: Dataset) -> None:
    reference = load_reference(notes, dataset)

    reference.require_repeatable(notes.operations["delete"], {"id": "note 003"})
    assert reference.call("read", {"id": "note 003"}) == dataset.tables["note"][2]


def test_a_call_that_is_refused_only_sometimes_is_a_defect_of_the_reference(
    notes: Domain, answering: Answering
) -> None:
    third = "\n        self.calls += 1\n        if self.calls == 3: raise Refused('conflict')"
    reference = answering(third)

    with raises_worded(ProblemsError):
        reference.require_repeatable(notes.operations["read"], {})
