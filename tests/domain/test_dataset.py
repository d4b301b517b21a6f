"""Rows are made once, are the same for the same seed, and parameters are drawn from them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from wirelab.domain import Dataset, DatasetError, Domain
from wirelab.domain.generator_command import resolved
from wirelab.domain.model import Operation
from wirelab.inputs.problems import ProblemsError


def operation(parameters: dict[str, object]) -> Operation:
    return Operation("try", "", "read", parameters, "", (), (), {})


def generator_with(domain: Domain, *replacements: tuple[str, str]) -> str:
    """Return the domain's generator with other texts."""
    script = (domain.folder / "generate.py").read_text(encoding="utf-8")
    for old, new in replacements:
        assert old in script
        script = script.replace(old, new)
    return script


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
    notes: Domain, dataset: Dataset, cache: Path, tmp_path: Path
) -> None:
    script = (notes.folder / "generate.py").read_text(encoding="utf-8")
    (tmp_path / "generate.py").write_text(script.replace("Title", "Caption"), encoding="utf-8")
    changed = Dataset.generate(replace(notes, folder=tmp_path), 8, 1, cache)

    assert changed.folder != dataset.folder
    assert changed.tables["note"][0]["title"].startswith("Caption")


def test_the_error_of_a_failing_generator_has_the_reason(notes: Domain, cache: Path) -> None:
    with pytest.raises(DatasetError, match="the seed must not be negative"):
        Dataset.generate(notes, 3, -1, cache)
    assert [path.name for path in (cache / "data").glob(".making-*")] == []


def test_a_generator_with_too_few_rows_is_an_error(
    notes: Domain, cache: Path, tmp_path: Path
) -> None:
    script = (notes.folder / "generate.py").read_text(encoding="utf-8")
    short = script.replace("range(first, first + options.count)", "range(first, first + 1)")
    (tmp_path / "generate.py").write_text(short, encoding="utf-8")

    with pytest.raises(DatasetError, match="wrote 1 row of note where 3 are needed"):
        Dataset.generate(replace(notes, folder=tmp_path), 3, 1, cache)
    with pytest.raises(DatasetError, match="wrote 1 row of note where 2\u202f000 are needed"):
        Dataset.generate(replace(notes, folder=tmp_path), 2000, 1, cache)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (
            "",
            r"note\.ndjson ended without an error, but did not write note\.ndjson\n"
            r"hint: write the rows to the file that --output names$",
        ),
        (
            "import sys; sys.stderr.write('no rows')",
            r"but did not write note\.ndjson; it printed: no rows\n",
        ),
        ("raise SystemExit(3)", r"note\.ndjson failed with 3: it printed no error$"),
    ],
)
def test_a_generator_that_writes_nothing_is_an_error(
    notes: Domain, cache: Path, tmp_path: Path, script: str, message: str
) -> None:
    (tmp_path / "generate.py").write_text(script, encoding="utf-8")

    with pytest.raises(DatasetError, match=message):
        Dataset.generate(replace(notes, folder=tmp_path), 3, 1, cache)


def test_a_generator_that_depends_on_chance_is_an_error(
    notes: Domain, cache: Path, tmp_path: Path
) -> None:
    script = (notes.folder / "generate.py").read_text(encoding="utf-8")
    chance = script.replace("2**53 - number", "__import__('time').time_ns()")
    assert chance != script
    (tmp_path / "generate.py").write_text(chance, encoding="utf-8")

    message = (
        r"--skip 3 writes different rows each time: line 1 of note has /\w+ = \d+ once, and \d"
    )
    with pytest.raises(DatasetError, match=message) as error:
        Dataset.generate(replace(notes, folder=tmp_path), 3, 1, cache)
    assert "--seed" in error.value.problems[0].hint
    assert [path.name for path in (cache / "data").glob(".making-*")] == []


@pytest.mark.parametrize("extra", ["0", "4"])
def test_chance_is_found_in_the_first_rows_if_there_are_none_beyond_them(
    notes: Domain, cache: Path, tmp_path: Path, extra: str
) -> None:
    chance = generator_with(
        notes,
        ("2**53 - number", "__import__('time').time_ns()"),
        ("rows = [", "rows = [] if options.skip else ["),
    )
    (tmp_path / "generate.py").write_text(chance, encoding="utf-8")
    data = notes.data.model_copy(update={"extra": int(extra)})

    with pytest.raises(DatasetError, match=r"--skip 0 writes different rows each time: line 1 of"):
        Dataset.generate(replace(notes, folder=tmp_path, data=data), 3, 1, cache)


@pytest.mark.parametrize(("records", "sample"), [(3, 3), (20, 8)])
def test_chance_is_found_in_the_smallest_state_if_the_number_of_rows_cannot_be_chosen(
    notes: Domain, cache: Path, tmp_path: Path, records: int, sample: int
) -> None:
    chance = generator_with(
        notes,
        ("2**53 - number", "__import__('time').time_ns()"),
        ('"count"', '"scale"'),
        ("options.count", "options.scale"),
    )
    (tmp_path / "generate.py").write_text(chance, encoding="utf-8")
    data = notes.data.model_copy(update={"extra": 0, "size": "--scale"})

    message = rf"--scale {sample} writes different rows each time: line 1 of"
    with pytest.raises(DatasetError, match=message):
        Dataset.generate(replace(notes, folder=tmp_path, data=data), records, 1, cache)


@pytest.mark.parametrize("extra", [0, 4])
def test_a_generator_that_ignores_the_seed_is_noticed(
    notes: Domain, cache: Path, tmp_path: Path, extra: int
) -> None:
    output = 'parser.add_argument("--output")'
    accepting = f"{output}\n    {output.replace('output', 'from')}"
    ignoring = generator_with(notes, (", seed {seed}", ""), (output, accepting))
    (tmp_path / "generate.py").write_text(ignoring, encoding="utf-8")
    data = notes.data.model_copy(update={"extra": extra})
    fixed = replace(notes, folder=tmp_path, data=data)

    assert Dataset.generate(fixed, 8, 1, cache).ignores_seed
    assert not Dataset.generate(fixed, 8, 1, cache, tmp_path / "real").ignores_seed
    assert not Dataset.generate(replace(notes, data=data), 8, 1, cache).ignores_seed


def test_a_generator_without_rows_or_of_a_single_seed_does_not_ignore_it(
    notes: Domain, cache: Path, tmp_path: Path
) -> None:
    single = generator_with(notes, (", seed {seed}", ""), ("options.seed < 0", "options.seed != 7"))
    (tmp_path / "generate.py").write_text(single, encoding="utf-8")
    data = notes.data.model_copy(update={"extra": 0})

    assert not Dataset.generate(replace(notes, folder=tmp_path), 8, 7, cache).ignores_seed
    assert not Dataset.generate(replace(notes, data=data), 0, 1, cache).ignores_seed


def test_a_generator_that_ignores_skip_is_an_error(
    notes: Domain, cache: Path, tmp_path: Path
) -> None:
    ignoring = generator_with(notes, ("options.skip + 1", "1"))
    (tmp_path / "generate.py").write_text(ignoring, encoding="utf-8")

    message = r"--skip 3 ignores --skip: its first row of note is .*\"id\": \"note 001\""
    with pytest.raises(DatasetError, match=message) as error:
        Dataset.generate(replace(notes, folder=tmp_path), 3, 1, cache)
    assert error.value.problems[0].hint == (
        "begin with the row after the skipped ones: with --skip 100, with row 101"
    )


def test_the_error_of_a_generator_without_an_option_lists_all_options(
    notes: Domain, cache: Path, tmp_path: Path
) -> None:
    without = generator_with(notes, ('"skip", "seed"', '"skip"'), ("options.seed", "1"))
    (tmp_path / "generate.py").write_text(without, encoding="utf-8")

    with pytest.raises(DatasetError, match="error: unrecognized arguments: --seed 1") as error:
        Dataset.generate(replace(notes, folder=tmp_path), 3, 1, cache)
    assert error.value.problems[0].hint == (
        "make it accept the options --count, --skip, --seed, --format and --output, which wirelab"
        " adds: see [data] in docs/reference/domain-file.md"
    )


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("make_row", "expected a program on PATH (hint: did you mean 'make_rows'?)"),
        ("./bin/rows", "expected a program, but FOLDER/bin/rows does not exist"),
        (
            "rows",
            "expected a program, but FOLDER/rows is not executable (hint: execute `chmod +x"
            " FOLDER/rows`, or write its interpreter before it)",
        ),
    ],
)
@pytest.mark.parametrize("key", ["generator", "queries"])
def test_a_program_of_a_generator_that_does_not_exist_is_a_mistake_of_the_domain(
    notes: Domain, tmp_path: Path, key: Literal["generator", "queries"], program: str, expected: str
) -> None:
    (tmp_path / "rows").touch()
    (tmp_path / "make_rows").touch()
    data = notes.data.model_copy(update={key: (program, "--all")})

    with pytest.raises(ProblemsError) as caught:
        resolved(tmp_path, data, key)

    assert str(caught.value).replace(str(tmp_path), "FOLDER") == (
        f"FOLDER/domain.toml: data.{key}.0 is {program!r}; {expected}"
    )


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

    with pytest.raises(ProblemsError) as error:
        Dataset.generate(domain, 8, 1, cache)
    one, other = map(str, error.value.problems)
    assert "domain.toml: operation.try.parameters.id is 'note.idd'; expected a column of the" in one
    assert one.endswith("(hint: did you mean 'id'?)")
    assert "operation.try.parameters.title is 'new note.id'; expected a column of the new" in other

    without_rows = replace(domain, operations={"try": operation({"id": "note.idd"})})
    assert Dataset.generate(without_rows, 0, 1, cache).tables == {"note": []}


def test_a_key_that_no_row_has_is_a_mistake_of_the_domain(notes: Domain, cache: Path) -> None:
    wrong = replace(notes, data=notes.data.model_copy(update={"key": "idd"}))

    message = (
        r"domain\.toml: data\.key is 'idd'; expected the column of unique values in the rows that"
        r" the generator writes: one of .*id, .*title.* \(hint: did you mean 'id'\?\)"
    )
    with pytest.raises(ProblemsError, match=message):
        Dataset.generate(wrong, 8, 1, cache)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("[1, 2]", r"'\[1, 2\]'"),
        ("", "''"),
        ("{'id': 1}", r"\"{'id': 1}\""),
        ("9" * 99, f"'{'9' * 79}…'"),
    ],
)
@pytest.mark.parametrize(("skipped", "file"), [("0", r"note\.ndjson"), ("8", r"note\.new\.ndjson")])
def test_a_line_that_is_no_json_object_is_an_error(
    notes: Domain, cache: Path, tmp_path: Path, *, line: str, shown: str, skipped: str, file: str
) -> None:
    (tmp_path / "generate.py").write_text(
        "import json, sys\n"
        "given = dict(zip(sys.argv[1::2], sys.argv[2::2]))\n"
        "numbers = range(int(given['--count']))\n"
        "rows = [json.dumps({'id': f\"{given['--skip']} {n}\"}) for n in numbers]\n"
        f"if given['--skip'] == {skipped!r}: rows[1] = {line!r}\n"
        "open(given['--output'], 'w').write(''.join(f'{row}\\n' for row in rows))\n"
    )

    message = (
        rf"generate\.py --seed 1 --count \d --skip {skipped} wrote {shown} in line 2 of {file};"
        r" expected a JSON object\nhint: write each row"
    )
    with pytest.raises(DatasetError, match=message):
        Dataset.generate(replace(notes, folder=tmp_path), 8, 1, cache)


def test_two_rows_with_one_key_are_a_mistake_of_the_domain(
    notes: Domain, cache: Path, tmp_path: Path
) -> None:
    script = (notes.folder / "generate.py").read_text(encoding="utf-8")
    twice = script.replace("note {number:03}", "note {number // 4}")
    (tmp_path / "generate.py").write_text(twice, encoding="utf-8")

    message = (
        r"two rows of note have id = 'note 0', in lines 1 and 2 of what .*generate\.py.* --count 8"
        r" --skip 0 writes\nhint: correct the generator, or name the column"
    )
    with pytest.raises(ProblemsError, match=message):
        Dataset.generate(replace(notes, folder=tmp_path), 8, 1, cache)
    assert [path.name for path in (cache / "data").glob(".making-*")] == []


def test_draws_are_the_same_for_the_same_seed_and_do_not_repeat(dataset: Dataset) -> None:
    expected = operation({"id": "note.id"})
    drawn = [each["id"] for each in dataset.draw(expected, 8, seed=1)]

    assert drawn == [each["id"] for each in dataset.draw(expected, 8, seed=1)]
    assert drawn != [each["id"] for each in dataset.draw(expected, 8, seed=2)]
    assert len(set(drawn)) == 8


def test_more_sets_than_rows_use_every_row(dataset: Dataset) -> None:
    drawn = [each["id"] for each in dataset.draw(operation({"id": "note.id"}), 20, seed=1)]

    assert len(drawn) == 20
    assert len(set(drawn)) == 8


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

    with pytest.raises(DatasetError, match="try needs a row of note, but with 0 records"):
        empty.draw(operation({"id": "note.id"}), 1, seed=1)
    with pytest.raises(DatasetError, match=r"try needs note\.colour, but .* only id, title"):
        dataset.draw(operation({"colour": "note.colour"}), 1, seed=1)


def test_a_fixed_parameter_must_exist(notes: Domain, dataset: Dataset) -> None:
    with pytest.raises(DatasetError, match="list has no parameter 'limits'; expected one of limit"):
        dataset.draw(notes.operations["list"], 1, seed=1, fixed={"limits": 3})


def test_a_relative_cache_folder_is_relative_to_the_caller(
    notes: Domain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = Dataset.generate(notes, 2, 1, Path("cache"))

    assert made.csv_paths["note"].is_relative_to(tmp_path / "cache")
