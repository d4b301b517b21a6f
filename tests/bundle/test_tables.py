"""Parquet files of a bundle are read only as far as they contain what wirelab writes."""

import json
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.support.wording import assert_worded
from wirelab.bundle.tables import WHOLE, read_table
from wirelab.inputs.problems import Problem, ProblemsError

TYPES = {
    "name": pa.large_string(),
    "turn": pa.int64(),
    "is_kept": pa.bool_(),
    "mean_us": pa.float64(),
    "steal_us": pa.list_(pa.float64()),
}
ROWS = pd.DataFrame(
    {
        "name": ["a", "b", "a"],
        "turn": [1, 2, 3],
        "is_kept": [True, False, True],
        "mean_us": [1.5, None, 2.5],
        "steal_us": [[0.0, 1.0], [], [2.0]],
        "more": ["x", "y", None],
    }
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "rows.parquet"


def problem_of(file: Path) -> Problem:
    with pytest.raises(ProblemsError) as raised:
        read_table(file, TYPES)
    (problem,) = raised.value.problems
    assert problem.where == str(file)
    return problem


def test_what_pandas_writes_is_read(file: Path) -> None:
    ROWS.to_parquet(file, index=False)

    found = read_table(file, TYPES)

    assert list(found) == list(ROWS)
    assert json.loads(found.to_json()) == json.loads(ROWS.to_json())


@pytest.mark.parametrize("column", TYPES)
@pytest.mark.parametrize("value", ["=x", {"a": 1}, b"\xff"])
def test_a_column_of_another_type_is_named(file: Path, column: str, value: object) -> None:
    if column == "name" and isinstance(value, str):
        return
    ROWS.assign(**{column: [value] * 3}).to_parquet(file, index=False)

    assert column in str(problem_of(file))


@pytest.mark.parametrize("column", ["name", "turn", "is_kept", "steal_us"])
def test_a_missing_value_is_named(file: Path, column: str) -> None:
    ROWS.assign(**{column: [ROWS[column].iloc[0], None, None]}).to_parquet(file, index=False)

    assert_worded(problem_of(file))


@pytest.mark.parametrize(
    ("column", "values"),
    [("mean_us", [1.0, float("inf"), 2.0]), ("steal_us", [[], [float("-inf")], []])],
)
def test_an_infinite_number_is_named(file: Path, column: str, values: list[object]) -> None:
    ROWS.assign(**{column: values}).to_parquet(file, index=False)

    problem = problem_of(file)
    assert (problem.key, problem.expected) == (column, "finite numbers")


def test_two_columns_of_one_name_are_refused(file: Path) -> None:
    table = pa.Table.from_pandas(ROWS, preserve_index=False)
    parquet.write_table(table.append_column("turn", table["turn"]), file)

    assert_worded(problem_of(file))


def test_what_a_file_says_about_pandas_is_ignored(file: Path) -> None:
    table = pa.Table.from_pandas(ROWS, preserve_index=False)
    about = json.dumps({"index_columns": ["none"], "columns": [], "column_indexes": []})
    parquet.write_table(table.replace_schema_metadata({"pandas": about}), file)

    assert list(read_table(file, TYPES)) == list(ROWS)


@pytest.mark.parametrize("length", [0, 4, 300, -1, -4, -9])
def test_a_truncated_file_is_refused(file: Path, length: int) -> None:
    ROWS.to_parquet(file, index=False)
    file.write_bytes(file.read_bytes()[:length])

    assert problem_of(file).expected == WHOLE


@pytest.mark.parametrize("has_hole", [False, True])
def test_a_small_file_with_many_values_is_refused_before_they_are_read(
    file: Path, *, has_hole: bool
) -> None:
    """Two million rows are some kilobytes; a hole does not make them large."""
    row = pa.Table.from_pandas(ROWS.iloc[:1], preserve_index=False)
    group = row.take([0] * 100_000)
    with parquet.ParquetWriter(file, group.schema, compression="zstd") as writer:
        for _ in range(20):
            writer.write_table(group)
    if has_hole:
        content = file.read_bytes()
        pages = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
        with file.open("r+b") as written:
            written.seek(pages + 2**34)
            written.write(content[pages:])

    assert_worded(problem_of(file))


def test_a_long_text_that_many_rows_share_is_not_decoded_for_each(file: Path) -> None:
    random = pd.Series(range(20_000)).sample(frac=1, random_state=1).to_list()
    frame = pd.DataFrame({name: [value] * 20_000 for name, value in ROWS.iloc[0].items()})
    table = pa.Table.from_pandas(frame.assign(turn=random), preserve_index=False)
    # As the writer encodes 2 GB of equal texts, but without making them.
    text = pa.DictionaryArray.from_arrays(pa.array([0] * 20_000, pa.int32()), ["x" * 100_000])
    column = table.schema.get_field_index("name")
    parquet.write_table(table.set_column(column, "name", text), file, store_schema=False)

    assert_worded(problem_of(file))


def test_a_text_that_is_much_longer_than_its_file_is_not_read(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ROWS.assign(name="x" * 5_000_000).to_parquet(file, index=False, compression="zstd")
    monkeypatch.setattr(parquet, "read_table", lambda *_, **__: pytest.fail("it is read"))

    assert_worded(problem_of(file))


def test_texts_in_lists_are_refused(file: Path) -> None:
    ROWS.assign(more=[["x"], ["y"], []]).to_parquet(file, index=False)

    assert_worded(problem_of(file))
