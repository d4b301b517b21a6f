"""A domain whose generator gets a size that is not the number of any table's rows."""

from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from tests.support.wording import raises_worded
from wirelab.domain import Dataset, DatasetError, Domain
from wirelab.domain.model import Data, Operation

SCRIPT = """\
import argparse, json, pathlib

parser = argparse.ArgumentParser()
for name in ("scale", "seed"):
    parser.add_argument(f"--{name}", type=int, required=True)
parser.add_argument("--format")
parser.add_argument("--output", type=pathlib.Path)
options = parser.parse_args()
for table, number in {"owner": 3 * options.scale, "pet": 7 * options.scale}.items():
    rows = (json.dumps({"nr": nr}) + "\\n" for nr in range(number))
    (options.output / f"{table}.{options.format}").write_text("".join(rows))
"""


@pytest.fixture
def scaled(notes: Domain, tmp_path: Path) -> Domain:
    (tmp_path / "generate.py").write_text(SCRIPT)
    written = {"generator": ("{python}", "generate.py"), "tables": ("owner", "pet"), "extra": 0}
    return replace(notes, folder=tmp_path, data=Data.model_validate({**written, "size": "--scale"}))


def test_the_number_of_a_state_is_the_size(scaled: Domain, cache: Path) -> None:
    tables = Dataset.generate(scaled, 2, 1, cache).tables

    assert {table: len(rows) for table, rows in tables.items()} == {"owner": 6, "pet": 14}


def test_no_rows_exist_beyond_a_size(scaled: Domain, cache: Path) -> None:
    adds = Operation("add", "", "write", {"pet": "new pet"}, "", (), (), {})

    with raises_worded(DatasetError):
        Dataset.generate(scaled, 2, 1, cache).draw(adds, 1, seed=1)


def test_extra_rows_beside_a_size_are_a_mistake() -> None:
    with raises_worded(ValidationError):
        Data.model_validate({"generator": ("make",), "records": "pet", "size": "--scale"})
