"""Repositories with a planted history: the work of an answer changes at chosen commits."""

import math
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

Language = Literal["python", "node", "go"]
SERVERS = Path(__file__).parent / "servers"
ROUNDS = 24_000
"""Rounds of work of the first commit, in Python; the others do 16 times as many."""
START: Mapping[Language, tuple[str, str]] = {
    "python": ("serve.py", f"exec {sys.executable} serve.py {{port}}"),
    "node": ("serve.js", "exec node serve.js {port}"),
    "go": ("serve.go", "exec ./server {port}"),
}
"""The file of each language's server, and the command that starts it."""
BUILD: Mapping[Language, tuple[str, ...]] = {
    "python": (),
    "node": (),
    "go": ("--build", "go build -o server serve.go"),
}


def plant(folder: Path, language: Language, commits: int, changes: Mapping[int, float]) -> None:
    """Create a repository; `changes` gives commits, by number, and their ratios of work."""
    file, _ = START[language]
    folder.mkdir()
    shutil.copy(SERVERS / file, folder / file)
    _git(folder, "init", "--quiet", "--initial-branch", "main")
    for number in range(commits + 1):
        factor = math.prod(ratio for at, ratio in changes.items() if at <= number)
        (folder / "rounds").write_text(str(round(ROUNDS * factor)))
        (folder / "note").write_text(f"commit {number}")
        _git(folder, "add", ".")
        _git(folder, "commit", "--quiet", "--message", f"commit {number}")
        _git(folder, "tag", f"v{number}")


def wirelab(folder: Path, language: Language, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command of wirelab on a repository's versions."""
    program = Path(sys.executable).with_name("wirelab")
    asked = ("--start", START[language][1], "--path", "/", *BUILD[language])
    return subprocess.run(
        [program, *arguments, *asked], cwd=folder, capture_output=True, text=True, check=False
    )


def ids(folder: Path, versions: Sequence[str]) -> list[str]:
    """Return the commits of versions."""
    return _git(folder, "rev-parse", *versions).split()


def _git(folder: Path, *arguments: str) -> str:
    who = "-c", "user.name=bench", "-c", "user.email=bench@example.org"
    return subprocess.run(
        ["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True
    ).stdout
