"""Parameters that are lists of new rows, and workloads that go through several values."""

from pathlib import Path

import pytest

from tests.domain.fixtures import copied
from tests.support.wording import raises_worded
from wirelab.domain import Dataset, DatasetError, Domain
from wirelab.domain.model import Operation
from wirelab.domain.parameters import ValueCycle
from wirelab.domain_file import load_domain
from wirelab.inputs.problems import ProblemsError

PARAMETERS: dict[str, object] = {"rows": "new note[size]", "size": 2, "first": "new note"}


@pytest.fixture
def dataset(notes: Domain, cache: Path) -> Dataset:
    assert notes.data.extra == 4
    return Dataset.generate(notes, 3, 1, cache)


@pytest.fixture
def operation() -> Operation:
    return Operation("try", "", "write", PARAMETERS, "", (), (), {})


def test_a_list_has_the_length_of_its_parameter(dataset: Dataset, operation: Operation) -> None:
    new = dataset.new_rows["note"]

    drawn = dataset.draw(operation, 3, 1)

    assert [values["rows"] for values in drawn] == [new[:2], new[2:4], new[:2]]
    assert [values["first"] for values in drawn] == new[:3]
    assert dataset.draw(operation, 1, 1, {"size": 4})[0]["rows"] == new
    assert dataset.draw(operation, 1, 1, {"size": 0})[0]["rows"] == []


def test_a_cycle_gives_each_set_the_next_value(dataset: Dataset, operation: Operation) -> None:
    drawn = dataset.draw(operation, 5, 1, {"size": ValueCycle((1, 3))})

    assert [values["size"] for values in drawn] == [1, 3, 1, 3, 1]
    lists = [values["rows"] for values in drawn]
    assert [len(rows) for rows in lists if isinstance(rows, list)] == [1, 3, 1, 3, 1]


def test_a_fixed_list_is_a_value_like_any_other(dataset: Dataset, operation: Operation) -> None:
    assert dataset.draw(operation, 1, 1, {"rows": []})[0]["rows"] == []


@pytest.mark.parametrize("size", [5, -1, "two"])
def test_more_rows_than_there_are_is_an_error(
    dataset: Dataset, operation: Operation, size: object
) -> None:
    with raises_worded(DatasetError):
        dataset.draw(operation, 1, 1, {"size": size})


def test_the_number_must_be_a_parameter(tmp_path: Path) -> None:
    with pytest.raises(ProblemsError) as raised:
        load_domain(copied(tmp_path, ('"new note"', '"new note[sise]"')))

    (problem,) = raised.value.problems
    assert problem.value == "new note[sise]"
    assert "counts the rows" in problem.expected
