"""Rows are made once, are the same for the same seed, and parameters are drawn from them."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from tests.support.wording import assert_worded, raises_worded
from wirelab.domain import Dataset, DatasetError, Domain
from wirelab.domain.generator_command import resolved
from wirelab.domain.model import Operation
from wirelab.inputs.problems import ProblemsError


def operation(parameters: dict[str, object]) -> Operation:
    return Operation("try", "", "read", parameters, "", (), (), {})


Change = tuple[str, str]


@pytest.fixture
def changed(notes: Domain, tmp_path: Path) -> Callable[..., Domain]:
    """Make the domain with a generator of other texts, or another script, and other data."""

    def make(*replacements: Change, script: str | None = None, **data: object) -> Domain:
        text = (notes.folder / "generate.py").read_text(encoding="utf-8")
        for old, new in replacements:
            assert old in text
            text = text.replace(old, new)
        written = text if script is None else script
        (tmp_path / "generate.py").write_text(written, encoding="utf-8")
        return replace(notes, folder=tmp_path, data=notes.data.model_copy(update=data))

    return make


def test_files_hold_the_rows_of_the_state(dataset: Dataset) -> None:
    assert dataset.csv_paths["note"].read_text(encoding="utf-8").count("note 00") >= 8
    lines = dataset.ndjson_paths["note"].read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == [f"note {n:03}" for n in range(1, 9)]
    assert len(dataset.tables["note"]) == 8


def test_new_rows_come_after_those_of_the_state_and_have_no_key(dataset: Dataset) -> None:
    titles = [row["title"].split()[1] for row in dataset.new_rows["note"]]

    assert titles == ["9", "10", "11", "12"]
    assert not any("id" in row for row in dataset.new_rows["note"])


def test_null_is_left_out_of_rows(dataset: Dataset) -> None:
    assert "price" not in dataset.tables["note"][3]


def test_the_same_data_set_is_generated_once(notes: Domain, dataset: Dataset, cache: Path) -> None:
    before = dataset.csv_paths["note"].stat().st_mtime_ns
    again = Dataset.generate(notes, 8, 1, cache)

    assert again.csv_paths["note"].stat().st_mtime_ns == before
    assert Dataset.generate(notes, 8, 2, cache).folder != dataset.folder
    assert Dataset.generate(notes, 7, 1, cache).folder != dataset.folder
    assert [path.name for path in (cache / "data").glob(".making-*")] == []


def test_a_changed_generator_generates_another_data_set(
    changed: Callable[..., Domain], dataset: Dataset, cache: Path
) -> None:
    other = Dataset.generate(changed(("Title", "Caption")), 8, 1, cache)

    assert other.folder != dataset.folder
    assert other.tables["note"][0]["title"].startswith("Caption")


CHANCE = ("2**53 - number", "__import__('time').time_ns()")
AT_THE_BEGINNING = ("rows = [", "rows = [] if options.skip else [")
SCALED = (('"count"', '"scale"'), ("options.count", "options.scale"))
SHORT = ("range(first, first + options.count)", "range(first, first + 1)")


@pytest.mark.parametrize(
    ("replacements", "data", "records"),
    [
        ([SHORT], {}, 3),
        ([SHORT], {}, 2000),
        ([CHANCE], {}, 3),
        ([CHANCE, AT_THE_BEGINNING], {"extra": 0}, 3),
        ([CHANCE, AT_THE_BEGINNING], {"extra": 4}, 3),
        ([CHANCE, *SCALED], {"extra": 0, "size": "--scale"}, 3),
        ([CHANCE, *SCALED], {"extra": 0, "size": "--scale"}, 20),
        ([("options.skip + 1", "1")], {}, 3),
        ([("note {number:03}", "note {number // 4}")], {}, 8),
        ([], {"key": "idd"}, 8),
    ],
    ids=[
        "one row of 3",
        "one row of 2000",
        "chance beyond the first rows",
        "chance in the first rows, without rows beyond them",
        "chance in the first rows",
        "chance in rows whose number cannot be chosen",
        "chance in the smallest state",
        "--skip ignored",
        "two rows with one key",
        "a key that no row has",
    ],
)
def test_a_generator_of_wrong_rows_is_an_error(
    changed: Callable[..., Domain],
    cache: Path,
    replacements: list[Change],
    data: dict[str, object],
    records: int,
) -> None:
    with raises_worded((DatasetError, ProblemsError)):
        Dataset.generate(changed(*replacements, **data), records, 1, cache)
    assert [path.name for path in (cache / "data").glob(".making-*")] == []


def test_the_error_of_a_failing_generator_has_the_reason(notes: Domain, cache: Path) -> None:
    with raises_worded(DatasetError):
        Dataset.generate(notes, 3, -1, cache)
    assert [path.name for path in (cache / "data").glob(".making-*")] == []


@pytest.mark.parametrize(
    "script", ["", "import sys; sys.stderr.write('no rows')", "raise SystemExit(3)"]
)
def test_a_generator_that_writes_nothing_is_an_error(
    changed: Callable[..., Domain], cache: Path, script: str
) -> None:
    with raises_worded(DatasetError):
        Dataset.generate(changed(script=script), 3, 1, cache)


@pytest.mark.parametrize("extra", [0, 4])
def test_a_generator_that_ignores_the_seed_is_noticed(
    notes: Domain, changed: Callable[..., Domain], cache: Path, tmp_path: Path, extra: int
) -> None:
    output = 'parser.add_argument("--output")'
    accepting = f"{output}\n    {output.replace('output', 'from')}"
    fixed = changed((", seed {seed}", ""), (output, accepting), extra=extra)

    assert Dataset.generate(fixed, 8, 1, cache).ignores_seed
    assert not Dataset.generate(fixed, 8, 1, cache, tmp_path / "real").ignores_seed
    assert not Dataset.generate(replace(notes, data=fixed.data), 8, 1, cache).ignores_seed


def test_a_generator_without_rows_or_of_a_single_seed_does_not_ignore_it(
    notes: Domain, changed: Callable[..., Domain], cache: Path
) -> None:
    single = changed((", seed {seed}", ""), ("options.seed < 0", "options.seed != 7"))
    data = notes.data.model_copy(update={"extra": 0})

    assert not Dataset.generate(single, 8, 7, cache).ignores_seed
    assert not Dataset.generate(replace(notes, data=data), 0, 1, cache).ignores_seed


def test_the_error_of_a_generator_without_an_option_lists_all_options(
    changed: Callable[..., Domain], cache: Path
) -> None:
    without = changed(('"skip", "seed"', '"skip"'), ("options.seed", "1"))

    with pytest.raises(DatasetError, match="--seed 1") as error:
        Dataset.generate(without, 3, 1, cache)
    assert_worded(error.value.problems[0].hint)


@pytest.mark.parametrize("program", ["make_row", "./bin/rows", "rows"])
@pytest.mark.parametrize("key", ["generator", "queries"])
def test_a_program_of_a_generator_that_does_not_exist_is_a_mistake_of_the_domain(
    notes: Domain, tmp_path: Path, key: Literal["generator", "queries"], program: str
) -> None:
    (tmp_path / "rows").touch()
    (tmp_path / "make_rows").touch()
    data = notes.data.model_copy(update={key: (program, "--all")})

    with raises_worded(ProblemsError):
        resolved(tmp_path, data, key)


def test_a_column_that_the_generator_does_not_write_is_a_mistake_of_the_domain(
    notes: Domain, cache: Path
) -> None:
    wrong: dict[str, object] = {
        "id": "note.idd",
        "title": "new note.id",
        "price": "note.price",
        "text": "= note.no",
    }
    domain = replace(notes, operations={"try": operation(wrong), "ping": operation({})})

    with raises_worded(ProblemsError):
        Dataset.generate(domain, 8, 1, cache)

    without_rows = replace(domain, operations={"try": operation({"id": "note.idd"})})
    assert Dataset.generate(without_rows, 0, 1, cache).tables == {"note": []}


@pytest.mark.parametrize("line", ["[1, 2]", "", "{'id': 1}", "9" * 99])
@pytest.mark.parametrize("skipped", ["0", "8"])
def test_a_line_that_is_no_json_object_is_an_error(
    changed: Callable[..., Domain], cache: Path, line: str, skipped: str
) -> None:
    script = (
        "import json, sys\n"
        "given = dict(zip(sys.argv[1::2], sys.argv[2::2]))\n"
        "numbers = range(int(given['--count']))\n"
        "rows = [json.dumps({'id': f\"{given['--skip']} {n}\"}) for n in numbers]\n"
        f"if given['--skip'] == {skipped!r}: rows[1] = {line!r}\n"
        "open(given['--output'], 'w').write(''.join(f'{row}\\n' for row in rows))\n"
    )

    with raises_worded(DatasetError):
        Dataset.generate(changed(script=script), 8, 1, cache)


def test_draws_are_the_same_for_the_same_seed_and_use_every_row_first(dataset: Dataset) -> None:
    def ids(count: int, seed: int) -> list[object]:
        return [each["id"] for each in dataset.draw(operation({"id": "note.id"}), count, seed)]

    assert ids(8, seed=1) == ids(8, seed=1) != ids(8, seed=2)
    assert len(set(ids(8, seed=1))) == len(set(ids(20, seed=1))) == 8
    assert len(ids(20, seed=1)) == 20


def test_columns_of_one_set_come_from_one_row(dataset: Dataset) -> None:
    expected = operation({"id": "note.id", "title": "note.title", "row": "note"})

    for drawn in dataset.draw(expected, 5, seed=1):
        row = drawn["row"]
        assert isinstance(row, dict)
        assert drawn["id"] == row["id"]
        assert drawn["title"] == row["title"]


def test_constants_and_fixed_parameters(dataset: Dataset) -> None:
    expected = operation({"limit": 5, "text": "= note.id", "empty": "=", "id": "note.id"})
    [drawn] = dataset.draw(expected, 1, seed=1, fixed={"id": "note.id", "limit": 7})

    assert drawn == {"limit": 7, "text": "note.id", "empty": "", "id": "note.id"}


def test_new_rows_are_taken_in_turn(dataset: Dataset) -> None:
    drawn = [each["note"] for each in dataset.draw(operation({"note": "new note"}), 5, seed=1)]

    assert drawn == [*dataset.new_rows["note"], dataset.new_rows["note"][0]]


def test_values_that_cannot_be_drawn_are_reported(
    notes: Domain, dataset: Dataset, cache: Path
) -> None:
    empty = Dataset.generate(notes, 0, 1, cache)

    with raises_worded(DatasetError):
        empty.draw(operation({"id": "note.id"}), 1, seed=1)
    with raises_worded(DatasetError):
        dataset.draw(operation({"colour": "note.colour"}), 1, seed=1)
    with raises_worded(DatasetError):
        dataset.draw(notes.operations["list"], 1, seed=1, fixed={"limits": 3})


def test_a_relative_cache_folder_is_relative_to_the_caller(
    notes: Domain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = Dataset.generate(notes, 2, 1, Path("cache"))

    assert made.csv_paths["note"].is_relative_to(tmp_path / "cache")
