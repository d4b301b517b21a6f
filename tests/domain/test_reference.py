"""The reference is loaded from the domain's folder, and nothing leaks out of it or into it."""

from dataclasses import replace
from pathlib import Path

import pytest

from wirelab.domain import Dataset, Domain, Refused, load_reference
from wirelab.inputs.problems import ProblemsError

CONSTRUCTOR = "class Reference:\n    def __init__(self, tables): "


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
    ("source", "expected"),
    [
        ("class Answers: pass", r": Reference missing; expected a class Reference\(tables\)$"),
        ("class References: pass", r"class Reference\(tables\) \(hint: did you mean 'References'"),
        ("class Reference", ":1 is .SyntaxError.*; expected a file without errors$"),
        ("import sys\nsys.exit(0)", ":2 is 'SystemExit: 0'; expected a file without errors$"),
        (
            CONSTRUCTOR + "tables['nothing']",
            r""":2: Reference\(tables\) is "KeyError: 'nothing'"; expected a constructor that """
            r"accepts the generated rows \(hint: tables\['note'\] is a list of 8 rows with id",
        ),
        (
            CONSTRUCTOR + "raise SystemExit(3)",
            r":2: Reference\(tables\) is 'SystemExit: 3'; expect",
        ),
        (
            "class Reference: ...",
            r"is 'TypeError: Reference\(\) takes no arguments'; expected a con",
        ),
        (CONSTRUCTOR + "...", r"call missing; expected a method call\(operation, parameters\)$"),
        (
            CONSTRUCTOR + "...\n    def call(self, operation): ...",
            r"call is 'call\(operation\)'; expected a method call\(operation, parameters\)",
        ),
    ],
)
def test_a_broken_file_is_a_problem_of_that_file(
    source: str, expected: str, notes: Domain, dataset: Dataset, tmp_path: Path
) -> None:
    (tmp_path / "reference.py").write_text(source)

    with pytest.raises(ProblemsError, match=expected) as error:
        load_reference(replace(notes, folder=tmp_path), dataset)
    assert str(tmp_path / "reference.py") in str(error.value)


def test_a_defect_names_the_operation(notes: Domain, dataset: Dataset) -> None:
    reference = load_reference(notes, dataset)

    message = r"reference\.py:31: list\(limit='many'\) is .*TypeError"
    with pytest.raises(ProblemsError, match=message):
        reference.call("list", {"limit": "many"})


def test_a_reference_cannot_end_wirelab(notes: Domain, dataset: Dataset, tmp_path: Path) -> None:
    reference = load_reference(
        replace(notes, folder=answering("__import__('sys').exit(0)", tmp_path)), dataset
    )

    message = r"reference\.py:6: read\(id='note 003'\) is 'SystemExit: 0'; expected an answer"
    with pytest.raises(ProblemsError, match=message):
        reference.call("read", {"id": "note 003"})


def test_an_unknown_refusal_names_the_known_ones(
    notes: Domain, dataset: Dataset, tmp_path: Path
) -> None:
    (tmp_path / "reference.py").write_text(
        "from wirelab.domain import Refused\n"
        "class Reference:\n"
        "    def __init__(self, tables): ...\n"
        "    def call(self, operation, parameters): raise Refused('notfound')\n"
    )
    reference = load_reference(replace(notes, folder=tmp_path), dataset)

    with pytest.raises(ProblemsError, match=r"reference\.py:4: read is .*notfound.*not_found"):
        reference.call("read", {"id": "note 003"})


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("{'tags': {'a'}}", r"answer/tags is {'a'}; expected a list: JSON has no sets$"),
        ("[{'price': float('nan')}]", r"answer/0/price is nan; expected a finite number or None"),
        ("(1, -math.inf)", r"answer/1 is -inf; expected a finite number"),
        ("{'id': b'x'}", r"answer/id is b'x'; expected a text: JSON has no bytes$"),
        ("{'sum': Decimal('1.5')}", r"answer/sum is Decimal\('1.5'\); expected an int, a float or"),
        ("{'at': datetime(2026, 1, 2)}", r"answer/at is datetime.*; expected a text, as from iso"),
        ("{'a': {1: 'b'}}", r"answer/a is {1: 'b'}; expected text as keys, unlike 1$"),
        ("object()", r"answer is <object .*; expected a dict, list, .*: JSON has no object$"),
    ],
)
def test_a_value_that_json_does_not_have_is_a_defect_of_the_reference(
    answer: str, problem: str, notes: Domain, dataset: Dataset, tmp_path: Path
) -> None:
    reference = load_reference(replace(notes, folder=answering(answer, tmp_path)), dataset)

    with pytest.raises(ProblemsError, match=rf"reference\.py: read\(id='note 003'\): {problem}"):
        reference.call("read", {"id": "note 003"})


def test_all_values_that_json_does_not_have_are_reported_at_once(
    notes: Domain, dataset: Dataset, tmp_path: Path
) -> None:
    answer = "{'notes': [{'tags': {n}} for n in range(9)], 'size': Decimal(1)}"
    reference = load_reference(replace(notes, folder=answering(answer, tmp_path)), dataset)

    with pytest.raises(ProblemsError) as error:
        reference.call("list", {})
    keys = [problem.key for problem in error.value.problems]
    assert keys == ["list(): answer/notes/0/tags", "list(): answer/size"]


@pytest.mark.parametrize("name", ["read", "update"])
def test_an_answer_that_depends_on_time_or_chance_is_a_defect_of_the_reference(
    name: str, notes: Domain, dataset: Dataset, tmp_path: Path
) -> None:
    answer = "{'id': 1, 'at': __import__('time').time_ns()}"
    reference = load_reference(replace(notes, folder=answering(answer, tmp_path)), dataset)

    message = (
        rf"reference\.py: {name}\(id='note 003'\): answer/at is \d+; expected \d+, as in another"
        r" answer to the same call \(hint: derive answers from rows"
    )
    with pytest.raises(ProblemsError, match=message):
        reference.require_repeatable(notes.operations[name], {"id": "note 003"})


def test_masked_parts_of_an_answer_may_depend_on_chance(
    notes: Domain, dataset: Dataset, tmp_path: Path
) -> None:
    answer = "{'id': __import__('time').time_ns()}"
    reference = load_reference(replace(notes, folder=answering(answer, tmp_path)), dataset)

    reference.require_repeatable(notes.operations["create"], {})
    with pytest.raises(ProblemsError, match="answer/id is "):
        reference.require_repeatable(notes.operations["update"], {})


def test_repeated_writes_change_nothing(notes: Domain, dataset: Dataset) -> None:
    reference = load_reference(notes, dataset)

    reference.require_repeatable(notes.operations["delete"], {"id": "note 003"})
    assert reference.call("read", {"id": "note 003"}) == dataset.tables["note"][2]


def test_a_call_that_is_refused_only_sometimes_is_a_defect_of_the_reference(
    notes: Domain, dataset: Dataset, tmp_path: Path
) -> None:
    (tmp_path / "reference.py").write_text(
        "from wirelab.domain import Refused\n"
        "class Reference:\n"
        "    def __init__(self, tables): self.calls = 0\n"
        "    def call(self, operation, parameters):\n"
        "        self.calls += 1\n"
        "        if self.calls == 3: raise Refused('conflict')\n"
    )
    reference = load_reference(replace(notes, folder=tmp_path), dataset)

    message = r"read\(\): answer is 'refused as conflict'; expected None, as in another"
    with pytest.raises(ProblemsError, match=message):
        reference.require_repeatable(notes.operations["read"], {})


def answering(answer: str, folder: Path) -> Path:
    """Write a reference that answers every call with this expression."""
    (folder / "reference.py").write_text(
        "import math\nfrom datetime import datetime\nfrom decimal import Decimal\n"
        "class Reference:\n"
        "    def __init__(self, tables): ...\n"
        f"    def call(self, operation, parameters): return {answer}\n"
    )
    return folder
