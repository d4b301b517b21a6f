"""Work trees of git versions: created in a temporary folder, built, and removed afterwards."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import mkdtemp

from wirelab.compare.git import commit_of, git, top_of
from wirelab.compare.sides import ComparedSide
from wirelab.errors import LabError
from wirelab.experiment.events import Observer, StageStarted, StepStarted
from wirelab.lab.contenders.building import run_step


@dataclass
class WorkTrees:
    """Clean copies of versions below a folder; each is checked out and built once.

    `within` is the folder of the repository in which versions are built and started, and `logs`
    that of the logs. A build is ended after `limit_s`.
    """

    folder: Path
    top: Path
    within: Path
    build: str | None
    logs: Path
    observer: Observer
    limit_s: float | None = None
    _ready: dict[str, ComparedSide] = field(default_factory=dict)
    _begun: set[Path] = field(default_factory=set)

    def check_out(self, side: ComparedSide) -> ComparedSide:
        """Return a version's side with its folder, as it was checked out and built.

        Raises `LabError` if git does not know the version, or it lacks the folder, and
        `BuildError`.
        """
        if side.name not in self._ready:
            self._ready[side.name] = self._prepare(side)
        return self._ready[side.name]

    def _prepare(self, side: ComparedSide) -> ComparedSide:
        commit = commit_of(self.top, side.version)
        tree = self.folder / side.name
        what = side.title if side.title != side.version else f"{side.version} ({commit[:10]})"
        log_path = self.logs / f"checkout-{side.name}.log"
        self._begun.add(tree)
        self.observer.on(StepStarted(f"building {what}" if self.build else what))
        run_step(  # git checks out in child processes, which end with it
            ["git", "worktree", "add", "--detach", "--quiet", tree, commit],
            what=f"checking out {what}",
            log_path=log_path,
            cwd=self.top,
        )
        if (tree / ".gitmodules").is_file():
            run_step(
                ["git", "submodule", "update", "--init", "--recursive", "--quiet"],
                what=f"checking out the submodules of {what}",
                log_path=log_path,
                cwd=tree,
            )
        folder = tree / self.within
        if not folder.is_dir():
            hint = "run wirelab in a folder that exists in every version"
            raise LabError(f"{side.version} has no folder {self.within}", hint)
        if self.build:
            run_step(
                ["sh", "-c", self.build],
                what=f"building {what}",
                log_path=self.logs / f"build-{side.name}.log",
                cwd=folder,
                limit_s=self.limit_s,
            )
        return replace(side, folder=folder, title=what)

    def remove(self) -> None:
        """Remove all work trees, also those that were not completed."""
        there = self.folder.iterdir() if self.folder.is_dir() else ()
        for tree in self._begun.union(there):  # git may know one that has no folder yet
            with suppress(LabError):
                git(self.top, "worktree", "remove", "--force", "--force", str(tree))
        shutil.rmtree(self.folder, ignore_errors=True)
        with suppress(LabError):
            git(self.top, "worktree", "prune")


@contextmanager
def work_trees(
    build: str | None,
    logs: Path,
    observer: Observer,
    *,
    folder: Path | None = None,
    limit_s: float | None = None,
) -> Iterator[WorkTrees]:
    """Provide work trees of the current repository; remove them at the end, in any case.

    They are in a new temporary folder, or in `folder`; what an earlier run left there is removed.
    Raises `LabError` if git is missing, or there is no repository.
    """
    here = Path.cwd()
    top = top_of(here)
    within = here.resolve().relative_to(top.resolve())
    is_given = folder is not None
    if folder is None:
        folder = Path(mkdtemp(prefix="wirelab-versions-"))
    trees = WorkTrees(folder, top, within, build, logs, observer, limit_s)
    try:
        if is_given:
            trees.remove()
            folder.mkdir(mode=0o700)
        yield trees
    finally:
        trees.remove()


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
    with work_trees(build, logs, observer) as trees:
        observer.on(StageStarted("Checking out", len(sides)))
        yield [trees.check_out(side) for side in sides]
