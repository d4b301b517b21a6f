"""The commits between two versions, as git knows them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wirelab.compare.git import DEEPEN, commit_of, git, is_shallow
from wirelab.errors import LabError


@dataclass(frozen=True, slots=True)
class Commit:
    """What people know a commit by."""

    id: str
    short: str
    subject: str
    author: str
    committed: str
    """When it was committed, in ISO format."""

    @property
    def title(self) -> str:
        """Short id and subject."""
        return f"{self.short} {self.subject}".strip()


@dataclass(frozen=True)
class Lineage:
    """The history of the repository with this top folder. Its methods raise `LabError`."""

    top: Path
    _known: dict[str, Commit] = field(default_factory=dict, compare=False)

    def commit(self, version: str) -> Commit:
        """Return a version's commit."""
        if version not in self._known:
            form = "--format=%H%x00%h%x00%s%x00%an%x00%cI"
            found = commit_of(self.top, version)
            line = git(self.top, "log", "-1", "--no-show-signature", form, found)
            self._known[version] = Commit(*line.split("\0"))
        return self._known[version]

    def path(self, older: str, newer: str) -> list[str]:
        """Return the commits from an older to a newer one, both included, each with its child.

        Of several parents it takes the first that descends from `older`, so that a branch that was
        merged is one step.
        """
        lines = git(self.top, "rev-list", "--parents", "--ancestry-path", f"{older}..{newer}")
        parents = {line.split()[0]: line.split()[1:] for line in lines.splitlines()}
        if newer not in parents:
            raise LabError(*self._no_path(older, newer))
        path = [newer]
        while path[-1] != older:
            path.append(next(it for it in parents[path[-1]] if it == older or it in parents))
        return path[::-1]

    def branches(self, parent: str, merge: str) -> list[list[str]]:
        """Return what a merge adds to one of its parents: the paths of the branches it merges.

        Each begins with the commit at which the branch began. A commit with one parent adds none.
        """
        _, *parents = git(self.top, "rev-list", "--parents", "-1", merge).split()
        found = []
        for other in parents:
            new = git(self.top, "rev-list", "--count", other, f"^{parent}")
            if other != parent and new != "0" and (base := self._common(parent, other)):
                found.append(self.path(base, other))
        return found

    def in_order(self, commits: Sequence[str]) -> list[str]:
        """Return commits, the oldest first. Raises `LabError` if one of them is not known."""
        order = git(self.top, "rev-list", "--topo-order", "--reverse", *dict.fromkeys(commits))
        chosen = set(commits)
        return [commit for commit in order.splitlines() if commit in chosen]

    def tagged(self) -> set[str]:
        """Return the commits that have a tag."""
        lines = git(self.top, "for-each-ref", "--format=%(objectname) %(*objectname)", "refs/tags")
        return {line.split()[-1] for line in lines.splitlines()}

    def _common(self, one: str, other: str) -> str:
        """Return the newest commit that two have in common; "" if they have none."""
        try:
            return git(self.top, "merge-base", one, other)
        except LabError:
            return ""

    def _no_path(self, older: str, newer: str) -> tuple[str, str]:
        """Say why there are no commits between two, and what to do."""
        one, other = self.commit(older), self.commit(newer)
        if older == newer:
            return f"both versions are {one.short}", "give two different ones"
        what = f"{one.short} is not an ancestor of {other.short}"
        if is_shallow(self.top):
            return what, DEEPEN
        if base := self._common(older, newer):
            return what, f"their newest common ancestor is {self.commit(base).short}: begin there"
        return what, "the older version comes first: GOOD..BAD"
