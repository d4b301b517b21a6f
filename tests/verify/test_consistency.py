"""Mistakes of a domain are named as such, and not as faults of its contenders."""

from typing import Any

import pytest

from tests.support.note_verification import changed
from tests.support.wording import assert_worded, raises_worded
from wirelab.domain import Dataset, load_reference
from wirelab.domain.checks import ErrorCase
from wirelab.inputs.problems import ProblemsError
from wirelab.study import Workload
from wirelab.verify.consistency import require_consistent, unknown_columns, wrong_refusals


def test_a_consistent_domain_has_no_problems(dataset: Dataset) -> None:
    reference = load_reference(dataset.domain, dataset)

    assert list(unknown_columns(dataset)) == []
    assert list(wrong_refusals(dataset, reference, 1)) == []


def test_a_workload_without_rows_is_a_mistake_of_the_domain(dataset: Dataset, cache: Any) -> None:
    empty = Dataset.generate(dataset.domain, 0, 1, cache)

    with raises_worded(ProblemsError):
        require_consistent(empty, 1, {"fetch": Workload(title="fetch", operation="read")})


@pytest.mark.parametrize("source", ["note.ident", "new note.titel"])
def test_a_parameter_names_an_existing_column(dataset: Dataset, source: str) -> None:
    (problem,) = unknown_columns(changed(dataset, "read", parameters={"id": source}))

    assert problem.where.endswith("notes/domain.toml")
    assert problem.key == "operation.read.parameters.id"
    assert problem.value == source
    assert_worded(problem.expected)


@pytest.mark.parametrize(("note", "refusal"), [("note 001", "not_found"), ("none", "invalid")])
def test_declared_refusals_are_those_of_the_reference(
    dataset: Dataset, note: str, refusal: Any
) -> None:
    case = ErrorCase(parameters={"id": note}, refusal=refusal)
    reference = load_reference(dataset.domain, dataset)

    (problem,) = wrong_refusals(changed(dataset, "read", errors=(case,)), reference, 1)

    assert problem.key == "operation.read.errors.0.refusal"
    assert_worded(problem.expected)
