"""A domain of several tables: the generator writes each of them into a folder."""

from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from tests.support.wording import raises_worded
from wirelab.domain import Dataset, DatasetError, Domain
from wirelab.domain.model import Data, Operation

SCRIPT = """\
import argparse, csv, json, pathlib

parser = argparse.ArgumentParser()
for name in ("count", "skip", "seed"):
    parser.add_argument(f"--{name}", type=int)
parser.add_argument("--format")
parser.add_argument("--output", type=pathlib.Path)
options = parser.parse_args()
numbers = range(options.skip + 1, options.skip + options.count + 1)
owners = [{"id": n, "name": f"Owner {n}"} for n in numbers]
pets = [{"id": 10 * n + k, "owner_id": n, "name": f"Pet {k}"} for n in numbers for k in (1, 2)]
for table, rows in {"owner": owners, "pet": pets}.items():
    with (options.output / f"{table}.{options.format}").open("w", newline="") as file:
        if options.format == "csv":
            csv.writer(file).writerows(row.values() for row in rows)
        else:
            file.writelines(json.dumps(row) + "\\n" for row in rows)
"""


def data(tables: tuple[str, ...]) -> Data:
    return Data(generator=("{python}", "generate.py"), tables=tables, extra=3)  # type: ignore[call-arg]


@pytest.fixture
def pets(notes: Domain, tmp_path: Path) -> Domain:
    (tmp_path / "generate.py").write_text(SCRIPT)
    return replace(notes, folder=tmp_path, data=data(("owner", "pet")))


def operation(parameters: dict[str, object]) -> Operation:
    return Operation("try", "", "write", parameters, "", (), (), {})


def test_records_count_the_first_table(pets: Domain, cache: Path) -> None:
    dataset = Dataset.generate(pets, 4, 1, cache)

    assert [row["id"] for row in dataset.tables["owner"]] == [1, 2, 3, 4]
    assert [row["id"] for row in dataset.tables["pet"]] == [11, 12, 21, 22, 31, 32, 41, 42]
    assert dataset.csv_paths["pet"].read_text().splitlines()[2] == "21,2,Pet 1"
    assert not list(dataset.folder.glob(".writing-*"))


def test_new_rows_of_every_table_have_no_key(pets: Domain, cache: Path) -> None:
    new = Dataset.generate(pets, 4, 1, cache).new_rows

    assert new["owner"] == [{"name": f"Owner {number}"} for number in (5, 6, 7)]
    assert [row["owner_id"] for row in new["pet"]] == [5, 5, 6, 6, 7, 7]


def test_a_parameter_can_be_a_column_of_a_new_row(pets: Domain, cache: Path) -> None:
    dataset = Dataset.generate(pets, 4, 1, cache)
    adds = operation({"owner_id": "owner.id", "name": "new pet.name", "of": "new pet.owner_id"})

    drawn = dataset.draw(adds, 3, seed=1)

    assert [(each["name"], each["of"]) for each in drawn] == [
        ("Pet 1", 5),
        ("Pet 2", 5),
        ("Pet 1", 6),
    ]
    assert all(each["owner_id"] in range(1, 5) for each in drawn)


def test_a_column_that_new_rows_do_not_have_is_an_error(pets: Domain, cache: Path) -> None:
    dataset = Dataset.generate(pets, 4, 1, cache)

    with raises_worded(DatasetError):
        dataset.draw(operation({"id": "new owner.id"}), 1, seed=1)


def test_a_table_that_is_not_written_is_an_error(pets: Domain, cache: Path) -> None:
    more = replace(pets, data=data(("owner", "pet", "vet")))

    with raises_worded(DatasetError):
        Dataset.generate(more, 4, 1, cache)


@pytest.mark.parametrize(
    "names",
    [{}, {"records": "owner", "tables": ("owner", "pet")}, {"tables": ("owner", "owner")}],
)
def test_tables_are_one_or_several_with_different_names(names: dict[str, object]) -> None:
    with raises_worded(ValidationError):
        Data.model_validate({"generator": ("make",), **names})
