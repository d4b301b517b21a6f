"""Titles and summaries of studies and domains, read from their files.

A list does not need the complete models, whose import would take most of its time. `wirelab plan`
reports errors in the other parts of a file.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirelab.inputs.problems import Problem, Problems, ProblemsError, read_toml
from wirelab.installation.search_path import CONTENDER_FILES, FILES, Kind, find_folder, known_names


@dataclass(frozen=True, slots=True)
class StudyOutline:
    """The title and summary of a study, and its designs' summaries by name."""

    id: str
    title: str
    domain: str
    designs: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ContenderOutline:
    """The title of a contender, and the contender that it varies."""

    title: str
    variant_of: str = ""


@dataclass(frozen=True, slots=True)
class DomainOutline:
    """The title and summary of a domain, its operations' summaries and its contenders, by name."""

    name: str
    title: str
    summary: str
    operations: Mapping[str, str]
    contenders: Mapping[str, ContenderOutline]


def outline_studies() -> list[StudyOutline]:
    """Outline every available study. Raises `ProblemsError` if one lacks a title or summary."""
    return [
        StudyOutline(
            id=file.text("id"),
            title=file.text("title"),
            domain=file.text("domain"),
            designs={name: each.text("summary") for name, each in file.tables("design")},
        )
        for file in _files("studies")
    ]


def outline_domains() -> list[DomainOutline]:
    """Outline every available domain. Raises `ProblemsError` if one lacks a title or summary."""
    return [
        DomainOutline(
            name=file.text("name"),
            title=file.text("title"),
            summary=file.text("summary"),
            operations={name: each.text("summary") for name, each in file.tables("operation")},
            contenders=dict(_contenders(file.path.parent)),
        )
        for file in _files("domains")
    ]


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of a file, and the key that leads to it."""

    path: Path
    values: Mapping[str, Any]
    key: str = ""

    def text(self, name: str) -> str:
        """Return a required text."""
        found = self.values.get(name)
        if not isinstance(found, str):
            raise ProblemsError([Problem(str(self.path), f"{self.key}{name}", found, "a text")])
        return found

    def tables(self, name: str) -> Iterator[tuple[str, "_Table"]]:
        """Yield the tables below a name."""
        found = self.values.get(name, {})
        if not isinstance(found, Mapping):
            raise ProblemsError([Problem(str(self.path), f"{self.key}{name}", found, "tables")])
        for key, values in found.items():
            below = values if isinstance(values, Mapping) else {}
            yield key, _Table(self.path, below, f"{self.key}{name}.{key}.")


def _files(kind: Kind) -> Iterator[_Table]:
    for name in known_names(kind):
        folder = find_folder(kind, name)
        assert folder is not None
        yield _read(folder / FILES[kind])


def _read(path: Path) -> _Table:
    problems = Problems()
    raw = read_toml(path, problems)
    problems.raise_if_any()
    return _Table(path, raw or {})


def _contenders(domain: Path) -> Iterator[tuple[str, ContenderOutline]]:
    """Yield the contenders of every stack, followed by its variants."""
    for path in sorted(domain.glob(CONTENDER_FILES)):
        stack = _read(path)
        titles = {name: each.text("title") for name, each in stack.tables("contender")}
        for name, title in titles.items():
            yield name, ContenderOutline(title)
        for suffix, variant in stack.tables("variant"):
            for base in variant.values.get("of", ()):
                if base in titles:
                    title = f"{titles[base]}; {variant.text('title')}"
                    yield f"{base}-{suffix}", ContenderOutline(title, base)
