"""TOML files from anywhere: one error with file and key, soon, and without much memory."""

import os
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.bundles.samples import create
from tests.support.bundles.synthetic import write_bundle
from tests.support.notes import STUDY, edit, mistakes, places, world
from wirelab.bundle import Bundle
from wirelab.cli.failures import MOST_PROBLEMS
from wirelab.inputs.problems import MOST_TOML_BYTES, ProblemsError, read_toml
from wirelab.study import load_study
from wirelab.terminal.exit_codes import ExitCode
from wirelab.terminal.untrusted import read_whole

from .conftest import Call

__all__ = ["edit", "world"]
OPENAPI = Path(__file__).parents[2] / "domains" / "games" / "openapi.yaml"
BUNDLE = "BUNDLE"
REPORT = ["report", BUNDLE, "--output", "/proc/none"]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    folder = tmp_path_factory.mktemp("small") / "bundle"
    return write_bundle(folder, blocks=2, requests=50, permutations=4, workloads=("fetch_one",))


@pytest.mark.parametrize("part", ["a", '"a"', "'a'", '""'])
@pytest.mark.parametrize("form", ["{} = 1", "[{}]", "[[{}]]", "x = {{ {} = 1 }}", "{} .b = 1"])
def test_a_key_of_many_parts_takes_no_memory(tmp_path: Path, part: str, form: str) -> None:
    path = tmp_path / "study.toml"
    path.write_text(form.format(".".join([part] * 10_000)))
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    with pytest.raises(ProblemsError, match="nested too deeply"):
        read_toml(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb < 100_000


def test_dots_in_texts_and_keys_of_some_parts_are_read(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text('a.b."c.d".e = "... and so on. This. Is. Text. v1.2.3.4"\n# ' + "." * 100)

    assert read_toml(path) is not None


def sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 2**40)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (os.mkfifo, "regular file"),
        (lambda path: path.symlink_to("/dev/zero"), "regular file"),
        (Path.mkdir, "Is a directory"),
        (sparse, f"more than {MOST_TOML_BYTES:,}"),
    ],
)
def test_what_is_no_file_of_usual_size_is_not_read(
    world: Path, make: Callable[[Path], object], why: str
) -> None:
    path = world / "notes" / "contenders" / "own" / "contender.toml"
    path.unlink()
    make(path)

    (problem,) = (it for it in mistakes(world) if "cannot be read" in str(it))
    assert str(problem).startswith(f"{path}: cannot be read: ")
    assert why in str(problem)


def test_a_folder_in_the_place_of_a_file_leaves_no_file_open(tmp_path: Path) -> None:
    before = os.listdir("/proc/self/fd")

    with pytest.raises(IsADirectoryError):
        read_whole(tmp_path)

    assert os.listdir("/proc/self/fd") == before


@pytest.mark.parametrize(
    ("file", "old", "new", "place"),
    [
        ("study/study.toml", "blocks = 6", f"blocks = {10**20}", "design.smoke.blocks"),
        ("study/study.toml", '"../notes"', f'"{"x" * 100_000}"', "domain"),
        ("notes/domain.toml", '"schema.sql"', f'"{"x" * 100_000}"', "store.postgresql.schema"),
        ("notes/domain.toml", "{ limit = 5 }", "[{}]", "operation.list.parameters"),
        (
            "notes/contenders/own/contender.toml",
            '"lock.txt"',
            f'"{"x" * 100_000}"',
            "build.inputs.0",
        ),
    ],
)
def test_a_value_beyond_all_measure_is_a_mistake_like_others(
    world: Path, file: str, old: str, new: str, place: str
) -> None:
    path = world / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))

    problems = mistakes(world)

    assert place in [key for _, key in places(problems)]
    assert all(len(str(each)) < 2000 for each in problems)


def test_thousands_of_mistakes_are_not_all_printed(tmp_path: Path, call: Call) -> None:
    tables = "".join(f"[workload.w{n}]\ntitle = {n}\n" for n in range(200))
    (tmp_path / "study.toml").write_text(f"{STUDY.read_text()}\n{tables}")

    code, _, err = call("plan", tmp_path)

    assert code == ExitCode.BAD_INPUT
    *errors, last = err.splitlines()
    assert len([line for line in errors if line.startswith("error: ")]) == MOST_PROBLEMS
    assert " more errors " in last


def test_a_study_cannot_be_found_at_a_path_that_is_too_long() -> None:
    with pytest.raises(ProblemsError, match="expected a study's name"):
        load_study("x" * 100_000)


@pytest.mark.parametrize(
    "words",
    [["init", "/proc/none", "--openapi", str(OPENAPI), "--yes"], REPORT, [*REPORT, REPORT[1]]],
)
def test_a_folder_that_cannot_be_created_is_named(
    words: list[str], small: Bundle, call: Call
) -> None:
    code, _, err = call(*(small.path if it == BUNDLE else it for it in words))

    assert code == ExitCode.BAD_INPUT
    error, hint = err.splitlines()[-2:]
    assert error.startswith("error: ")
    assert " /proc/none: " in error
    assert hint.startswith("hint: ")


def test_json_that_ends_early_is_named_with_the_reason(tmp_path: Path) -> None:
    bundle = create(tmp_path / "bundle", blocks=1)
    (bundle.path / "host.json").write_text('{"cpu": ')

    with pytest.raises(ProblemsError, match=r"host\.json: not valid JSON: "):
        _ = bundle.host
