"""The domain's query generator, as a study asks it: the original's instances, in its order."""

from pathlib import Path

import pytest

from wirelab.domain import Dataset
from wirelab.domain.rows import DatasetError
from wirelab.domain_file import load_domain

UNIVERSITY = load_domain("university")


def dataset(folder: Path, records: int = 1) -> Dataset:
    return Dataset(UNIVERSITY, records, 0, folder)


@pytest.mark.parametrize(
    ("template", "first_two"),
    [
        ("qt1", [{"facultyID": 5091}, {"facultyID": 5052}]),
        ("qt5", [{"departmentID": 9}, {"departmentID": 0}]),
        ("qt7", [{"universityID": 356, "offset": 30}, {"universityID": 408, "offset": 26}]),
        (
            "qt8",
            [
                {"cnt": 626, "attrGStudent1": "emailAddress", "attrGStudent2": "advisor"},
                {"cnt": 838, "attrGStudent1": "id", "attrGStudent2": "undergraduateDegreeFrom"},
            ],
        ),
    ],
)
def test_the_first_instances_are_those_of_the_original(
    tmp_path: Path, template: str, first_two: list[dict[str, object]]
) -> None:
    operation = UNIVERSITY.operations[template]

    assert dataset(tmp_path).instances(operation, 2) == first_two


def test_no_more_instances_exist_than_are_possible(tmp_path: Path) -> None:
    departments = dataset(tmp_path).instances(UNIVERSITY.operations["qt5"], 50)

    assert len(departments) == 15


def test_instances_of_a_smaller_scale_factor_serve_a_larger_one(tmp_path: Path) -> None:
    qt1 = UNIVERSITY.operations["qt1"]
    larger = dataset(tmp_path, 5)

    assert larger.instances(qt1, 2, "scale_1") == dataset(tmp_path).instances(qt1, 2)
    assert larger.instances(qt1, 2) != larger.instances(qt1, 2, "scale_1")


def test_the_error_of_a_failing_generator_contains_its_message(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="university-queries"):
        dataset(tmp_path, 0).instances(UNIVERSITY.operations["qt1"], 2)
