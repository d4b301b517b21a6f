"""Versions of git are checked out, built, compared and gone again, however it ends."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.compare.running import HERE, QUICK, wirelab
from tests.support.commands import Command
from tests.support.wording import raises_worded
from wirelab.compare.git_trees import checked_out
from wirelab.compare.sides import read_sides
from wirelab.errors import LabError, MissingProgramError
from wirelab.experiment.events import Observer
from wirelab.lab.errors import BuildError
from wirelab.terminal.exit_codes import ExitCode

START = f"exec {sys.executable} serve.py {{port}} $(cat ways)"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A server in three versions: as it was, slower by 2 ms, and one that does not start."""
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "serve.py").write_text((HERE / "servers.py").read_text())
    git(folder, "init", "--quiet", "--initial-branch", "main")
    for version, ways in (("good", ""), ("slow", "slow=0.002"), ("broken", "slow=")):
        (folder / "ways").write_text(ways)
        (folder / "version").write_text(version)
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", "-m", version)
        git(folder, "tag", version)
    return folder


def git(folder: Path, *arguments: str) -> str:
    who = "-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"
    return subprocess.run(
        ["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True
    ).stdout


def left_behind(folder: Path, temporary: Path) -> list[str]:
    """Return work trees and folders that should have been removed."""
    trees = git(folder, "worktree", "list").splitlines()[1:]
    return [*trees, *(each.name for each in temporary.iterdir())]


def test_a_slower_version_is_found_and_nothing_is_left(repository: Path, tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    done = wirelab(
        "compare",
        *("good..slow", "--start", START, "--build", "cp version built", "--path", "/items/7"),
        *("--json", "--output", tmp_path / "bundle", *QUICK),
        folder=repository,
        environment={"TMPDIR": str(temporary)},
    )

    assert done.returncode == ExitCode.OK, done.stderr
    (found,) = json.loads(done.stdout)["comparisons"]
    assert (found["a"]["contender"], found["b"]["contender"]) == ("slow", "good")
    assert found["comparison"]["ratio"] > 1.5
    assert f"building slow ({git(repository, 'rev-parse', 'slow')[:10]})" in done.stderr
    assert left_behind(repository, temporary) == []


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("good..broken", "--start", START), "answer"),
        (("good..slow", "--start", START, "--build", "echo no; exit 3"), "building good"),
        (("good..nothing", "--start", START), "a tag"),
        (("good..slow", "--start", "exit 7; # {port}"), "exit code 7"),
    ],
)
def test_nothing_is_left_after_a_failure(
    repository: Path, tmp_path: Path, arguments: tuple[str, ...], expected: str
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    done = wirelab(
        "compare",
        *(*arguments, "--path", "/items/7", *QUICK),
        folder=repository,
        environment={"TMPDIR": str(temporary)},
    )

    assert done.returncode == ExitCode.NOT_READY, done.stderr
    assert expected in done.stderr
    assert "Traceback" not in done.stderr
    # Only the log that the message names stays.
    left = left_behind(repository, temporary)
    assert [name for name in left if str(temporary / name) not in done.stderr] == []
    assert not (repository / "bundles").exists()


@pytest.fixture
def temporary(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files, where the current folder is a repository."""
    folder = repository.parent / "tmp"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.chdir(repository)
    return folder


def check_out(logs: Path, *versions: str) -> None:
    sides = read_sides(versions, START, least=1)
    with checked_out(sides, None, logs, Observer()):
        pass


def test_a_version_that_does_not_exist_is_named_as_it_was_written(
    temporary: Path, tmp_path: Path
) -> None:
    with raises_worded(LabError):
        check_out(tmp_path, "good...nosuch")

    assert left_behind(Path.cwd(), temporary) == []


def test_a_folder_that_a_version_does_not_have_is_named(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Path.cwd()
    (repository / "new").mkdir()
    monkeypatch.chdir(repository / "new")

    with raises_worded(LabError):
        check_out(tmp_path, "good")

    assert left_behind(repository, temporary) == []


def test_nothing_is_left_if_there_is_no_repository(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)

    with pytest.raises(LabError, match="is not in a git repository\nhint: run wirelab in the"):
        check_out(tmp_path, "good")

    assert not list(temporary.iterdir())


def test_versions_need_git(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(temporary))

    with raises_worded(MissingProgramError):
        check_out(tmp_path, "good")

    assert not list(temporary.iterdir())


def test_nothing_is_left_of_a_checkout_that_takes_too_long(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "programs" / "git"
    program.parent.mkdir()
    slow = 'case "$*" in *"worktree add"*) sleep 60.25 & wait;; esac'
    program.write_text(f'#!/bin/sh\n{slow}\nexec {shutil.which("git")} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setattr("wirelab.lab.contenders.building.STEP_LIMIT_S", 2.0)

    with pytest.raises(BuildError, match=r"^checking out good \(\w{10}\): .* did not end within"):
        check_out(tmp_path, "good")

    monkeypatch.undo()
    assert left_behind(tmp_path / "repository", temporary) == []
    lines = [file.read_bytes() for file in Path("/proc").glob("[0-9]*/cmdline")]
    assert b"sleep\x0060.25\x00" not in lines


@pytest.mark.parametrize("moment", ["building", "Measuring"])
def test_nothing_is_left_after_an_interruption(
    repository: Path, tmp_path: Path, moment: str
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    build = ("--build", "sleep 30") if moment == "building" else ()
    command = Command(
        *("compare", "good..slow", "--start", START, *build, "--path", "/items/7"),
        stdout=tmp_path / "stdout",
        stderr=tmp_path / "stderr",
        folder=repository,
        environment={"TMPDIR": str(temporary)},
    )
    while moment not in (tmp_path / "stderr").read_text():
        assert command.poll() is None
        time.sleep(0.05)
    time.sleep(0.5)
    command.send_signal(signal.SIGINT)
    code = command.wait(60)

    assert code == ExitCode.INTERRUPTED
    assert left_behind(repository, temporary) == []


@pytest.mark.parametrize("version", ["--output=evil", "-x", "@evil"])
def test_a_version_is_never_an_option(
    version: str, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository)
    before = sorted(repository.iterdir())
    sides = read_sides([version], "serve {port}", least=1)

    with (
        pytest.raises(LabError, match=f"the version {version}"),
        checked_out(sides, None, tmp_path, Observer()),
    ):
        pytest.fail("it is none")
    assert sorted(repository.iterdir()) == before
