"""Work trees of git versions: created in a temporary folder, built, and removed afterwards."""

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

from wirelab.compare.sides import ComparedSide
from wirelab.errors import LabError, MissingProgramError
from wirelab.experiment.events import Observer, StageStarted, StepStarted
from wirelab.lab.contenders.building import run_step

TIMEOUT_S = 120.0
VERSION_HINT = "a version is a branch, a tag or a commit of this repository"


@contextmanager
def checked_out(
    sides: Sequence[ComparedSide], build: str | None, logs: Path, observer: Observer
) -> Iterator[list[ComparedSide]]:
    """Check every version out and build it; remove all work trees at the end, in any case.

    Raises `LabError` if git is missing or does not know a version, and `BuildError`.
    """
    if not any(side.version for side in sides):
        yield list(sides)
        return
    here = Path.cwd()
    hint = "run wirelab in the repository whose versions are compared"
    no_repository = LabError(f"{here} is not in a git repository", hint)
    top = Path(_git(here, "rev-parse", "--show-toplevel", failed=no_repository))
    within = here.resolve().relative_to(top.resolve())
    trees = Path(mkdtemp(prefix="wirelab-versions-"))
    try:
        checked_out_sides = []
        observer.on(StageStarted("Checking out", len(sides)))
        for side in sides:
            quietly = "rev-parse", "--verify", "--quiet", "--end-of-options"
            revision = *quietly, f"{side.version}^{{commit}}"
            unknown = LabError(f"git does not know the version {side.version}", VERSION_HINT)
            commit = _git(top, *revision, failed=unknown)
            tree = trees / side.name
            what = f"{side.version} ({commit[:10]})"
            observer.on(StepStarted(f"building {what}" if build else what))
            run_step(  # git checks out in child processes, which end with it
                ["git", "worktree", "add", "--detach", "--quiet", tree, commit],
                what=f"checking out {what}",
                log_path=logs / f"checkout-{side.name}.log",
                cwd=top,
            )
            folder = tree / within
            if not folder.is_dir():
                hint = "run wirelab in a folder that exists in every version"
                raise LabError(f"{side.version} has no folder {within}", hint)
            if build:
                run_step(
                    ["sh", "-c", build],
                    what=f"building {side.version}",
                    log_path=logs / f"build-{side.name}.log",
                    cwd=folder,
                )
            checked_out_sides.append(replace(side, folder=folder, title=what))
        yield checked_out_sides
    finally:
        for side in sides:
            with suppress(LabError):
                _git(top, "worktree", "remove", "--force", "--force", str(trees / side.name))
        shutil.rmtree(trees, ignore_errors=True)
        with suppress(LabError):
            _git(top, "worktree", "prune")


def _git(folder: Path, *arguments: str, failed: LabError | None = None) -> str:
    """Return git's output; raise `failed` if it fails, otherwise `LabError` with its message."""
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
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
