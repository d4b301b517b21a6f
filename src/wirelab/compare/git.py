"""Run git, and turn what it says into errors of the user."""

import subprocess
from pathlib import Path

from wirelab.errors import LabError, MissingProgramError

TIMEOUT_S = 120.0
DEEPEN = "this clone is shallow: `git fetch --unshallow` gets the rest of the history"
VERSION_HINT = "a version is a branch, a tag or a commit of this repository"


def git(folder: Path, *arguments: str, failed: LabError | None = None) -> str:
    """Return git's output; raise `failed` if it fails, otherwise `LabError` with its message."""
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=TIMEOUT_S,
        )
    except FileNotFoundError:
        hint = "install git, or compare commands with {port}"
        raise MissingProgramError("git is not installed", hint) from None
    except subprocess.TimeoutExpired:
        raise LabError(f"git {arguments[0]} took longer than {TIMEOUT_S:g} s") from None
    if done.returncode != 0:
        raise failed or LabError(done.stderr.strip() or f"git {arguments[0]} failed")
    return done.stdout.strip()


def top_of(folder: Path) -> Path:
    """Return the top folder of the repository that a folder is in. Raises `LabError` if none."""
    hint = "run wirelab in the repository whose versions are compared"
    none = LabError(f"{folder} is not in a git repository", hint)
    return Path(git(folder, "rev-parse", "--show-toplevel", failed=none))


def commit_of(top: Path, version: str) -> str:
    """Return the id of a version's commit. Raises `LabError` if git does not know it."""
    revision = "rev-parse", "--verify", "--quiet", "--end-of-options", f"{version}^{{commit}}"
    unknown = LabError(f"git does not know the version {version}", VERSION_HINT)
    try:
        return git(top, *revision, failed=unknown)
    except LabError:
        if not is_shallow(top):
            raise
        raise LabError(unknown.what, f"{VERSION_HINT}; {DEEPEN}") from None


def is_shallow(top: Path) -> bool:
    """Return whether a clone lacks the older part of its history."""
    return git(top, "rev-parse", "--is-shallow-repository") == "true"
