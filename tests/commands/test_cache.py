"""`wirelab cache`: what is in the cache, and clearing it without breaking a build under way."""

import fcntl
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.support.wording import assert_worded
from wirelab.cli import app
from wirelab.installation.build_cache import build_once


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with two builds and one data set."""
    monkeypatch.setenv("WIRELAB_CACHE", str(tmp_path))
    for name in ("one", "two"):
        build_once(name, "0", build)
    rows = tmp_path / "data" / "games-0"
    rows.mkdir(parents=True)
    (rows / "games.csv").write_text("id\n1\n")
    return tmp_path


def build(folder: Path) -> None:
    (folder / "program").write_bytes(b"x" * 1000)


def printed(*arguments: str) -> Any:
    done = CliRunner().invoke(app, ["cache", "--json", *arguments])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_the_content_is_counted(cache: Path) -> None:
    reported = printed()

    assert reported["folder"] == str(cache.resolve())
    parts = {part["kind"]: (part["entries"], part["size_bytes"]) for part in reported["parts"]}
    assert parts == {"builds": (2, 2000), "data": (1, 5)}
    assert (cache / "data" / "games-0").is_dir()


def test_clearing_keeps_builds_in_use(cache: Path) -> None:
    with (cache / "builds" / "two-0.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert printed("--clear")["in_use"] == ["two-0"]
        assert (cache / "builds" / "two-0" / "program").is_file()

    assert not (cache / "builds" / "one-0").exists()
    assert not (cache / "data" / "games-0").exists()
    assert printed("--clear")["in_use"] == []
    assert [part["entries"] for part in printed()["parts"]] == [0, 0]


def test_cleared_builds_are_built_again(cache: Path) -> None:
    printed("--clear")

    folder = build_once("one", "0", build)

    assert (folder / "program").is_file()


def test_a_file_that_disappears_while_files_are_counted_has_no_size(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compilers remove temporary files at any time."""
    walk = os.walk

    def with_a_vanished_file(top: Path) -> Iterator[tuple[str, list[str], list[str]]]:
        for folder, folders, names in walk(top):
            yield folder, folders, [*names, "vanished"]

    monkeypatch.setattr(os, "walk", with_a_vanished_file)

    assert {part["kind"]: part["size_bytes"] for part in printed()["parts"]} == {
        "builds": 2000,
        "data": 5,
    }
    assert (cache / "builds" / "one-0" / "program").is_file()


def test_one_sentence_states_what_was_cleared_and_what_was_kept(cache: Path) -> None:
    with (cache / "builds" / "two-0.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        some = CliRunner().invoke(app, ["cache", "--clear"])
    everything = CliRunner().invoke(app, ["cache", "--clear"])

    for done in (some, everything):
        assert_worded(" ".join(done.output.partition("the cache is ")[2].split()))
