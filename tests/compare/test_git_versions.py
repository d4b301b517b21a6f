"""Versions of git are checked out, built, compared and gone again, however it ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.compare.running import HERE, PROGRAM, QUICK, wirelab
from wirelab.exit_codes import ExitCode

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
        *("--ci", "--output", tmp_path / "bundle", *QUICK),
        folder=repository,
        environment={"TMPDIR": str(temporary)},
    )

    assert done.returncode == ExitCode.SLOWER, done.stderr
    assert "slow against good" in done.stdout
    assert f"building slow ({git(repository, 'rev-parse', 'slow')[:10]})" in done.stderr
    assert left_behind(repository, temporary) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("good..broken", "--start", START), "answer"),
        (("good..slow", "--start", START, "--build", "echo no; exit 3"), "building good"),
        (("good..nothing", "--start", START), "a branch, a tag or a commit"),
        (("good..slow", "--start", "exit 7; # {port}"), "ended with exit code 7"),
    ],
)
def test_nothing_is_left_after_a_failure(
    repository: Path, tmp_path: Path, arguments: tuple[str, ...], said: str
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
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    # Only the log that the message names stays.
    left = left_behind(repository, temporary)
    assert [name for name in left if str(temporary / name) not in done.stderr] == []
    assert not (repository / "bundles").exists()


@pytest.mark.parametrize("moment", ["building", "Measuring"])
def test_nothing_is_left_after_an_interruption(
    repository: Path, tmp_path: Path, moment: str
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    build = ("--build", "sleep 30") if moment == "building" else ()
    with subprocess.Popen(
        [PROGRAM, "compare", "good..slow", "--start", START, *build, "--path", "/items/7"],
        cwd=repository,
        env={**os.environ, "TMPDIR": str(temporary)},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if moment in line:
                break
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        process.stderr.read()
        code = process.wait(60)

    assert code == ExitCode.INTERRUPTED
    assert left_behind(repository, temporary) == []
