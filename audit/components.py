"""What the lock files name: every component of others', with its version and where it is needed."""

import fnmatch
import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SKIPPED = {"node_modules", "target", ".venv", "build", "bundles", "fuzz"}
"""Folders with files of other projects, or generated files: in `fuzz`, a copy of Cargo.lock."""
OWN = "wirelab"
"""How the names of our own modules begin."""


@dataclass(frozen=True, slots=True, order=True)
class Component:
    """One thing of others' in one version. `kind`: whose registry it comes from."""

    kind: str
    name: str
    version: str


def find(name: str) -> list[Path]:
    """Return the files of the project with this name, or this form of a name."""
    found: list[Path] = []
    for folder, inner, files in os.walk(ROOT):
        inner[:] = set(inner) - SKIPPED
        found += [Path(folder, file) for file in fnmatch.filter(files, name)]
    return sorted(found)


def locked() -> dict[Component, list[str]]:
    """Return every component that a lock file names, and which folders need it."""
    found: dict[Component, set[str]] = {}
    for name, read in (
        ("Cargo.lock", _cargo),
        ("requirements*.txt", _pypi),
        ("package-lock.json", _npm),
        ("go.mod", _go),
        ("pom.xml", _maven),
    ):
        for path in find(name):
            folder = str(path.parent.relative_to(ROOT))
            for component in read(path):
                found.setdefault(component, set()).add(folder)
    return {component: sorted(found[component]) for component in sorted(found)}


def _cargo(path: Path) -> Iterator[Component]:
    for package in tomllib.loads(path.read_text())["package"]:
        if "source" in package:  # what has none is ours
            yield Component("crates.io", package["name"], package["version"])


def _pypi(path: Path) -> Iterator[Component]:
    pattern = r"^([A-Za-z0-9._-]+)==([^\s;\\]+)"
    for name, version in re.findall(pattern, path.read_text(), re.MULTILINE):
        yield Component("PyPI", _normal(name), version)


def _npm(path: Path) -> Iterator[Component]:
    for place, package in json.loads(path.read_text())["packages"].items():
        name = place.rpartition("node_modules/")[2]
        if name and not package.get("link"):
            yield Component("npm", name, package["version"])


def _go(path: Path) -> Iterator[Component]:
    text = re.sub(r"^(module|go|toolchain|replace) .*$", "", path.read_text(), flags=re.MULTILINE)
    for name, version in re.findall(r"^\s*(?:require )?(\S+\.\S+/?\S*) (v\S+)", text, re.MULTILINE):
        if not name.startswith(OWN):
            yield Component("Go", name, version)


def _maven(path: Path) -> Iterator[Component]:
    """Only what is named with a version: a parent fixes all others."""
    pattern = (
        r"<groupId>([^<$]+)</groupId>\s*<artifactId>([^<$]+)</artifactId>"
        r"\s*<version>([^<$]+)</version>"
    )
    for group, artifact, version in re.findall(pattern, path.read_text()):
        if not group.startswith(OWN):
            yield Component("Maven", f"{group}:{artifact}", version)


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def by_kind(components: Iterable[Component]) -> dict[str, list[Component]]:
    """Group components by the registry they come from."""
    groups: dict[str, list[Component]] = {}
    for component in components:
        groups.setdefault(component.kind, []).append(component)
    return groups
