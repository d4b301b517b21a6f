"""The reference is loaded from the domain's folder, and nothing leaks out of it or into it."""

from dataclasses import replace
from pathlib import Path

import pytest

from wirelab.domain import Dataset, Domain, Refused, load_reference
from wirelab.problems import ProblemsError


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
        ("class Answers: pass", "has no attribute 'Reference'"),
        ("class Reference", ":1 is .SyntaxError"),
        ("class Reference:\n    def __init__(self, tables): tables['nothing']", ":2 is .KeyError"),
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
