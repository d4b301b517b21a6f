"""`wirelab list`: the available studies and domains, with titles and summaries of their files.

A list does not need the complete models, whose import would take most of its time. `wirelab plan`
and `wirelab verify` report what is wrong with a file.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from wirelab.inputs.problems import read_toml
from wirelab.installation.search_path import CONTENDER_FILES, FILES, Kind, find_folder, known_names
from wirelab.terminal.console import print_json, show


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


def list_command(*, as_json: bool) -> None:
    """Print studies with their designs, and domains with their contenders."""
    studies, domains = list(_studies()), list(_domains())
    if as_json:
        print_json(
            {
                "studies": [
                    {
                        "id": study.id,
                        "title": study.title,
                        "domain": study.domain,
                        "designs": study.designs,
                    }
                    for study in studies
                ],
                "domains": [
                    {
                        "name": domain.name,
                        "title": domain.title,
                        "operations": domain.operations,
                        "contenders": {n: c.title for n, c in domain.contenders.items()},
                    }
                    for domain in domains
                ],
            }
        )
        return
    table = Table(title="Studies", title_justify="left", box=None, pad_edge=False)
    table.add_column("name", style="bold")
    table.add_column("designs")
    table.add_column("what it asks")
    for study in studies:
        table.add_row(study.id, ", ".join(study.designs), study.title)
    show(table)
    table = Table(title="\nDomains", title_justify="left", box=None, pad_edge=False)
    table.add_column("name", style="bold")
    table.add_column("contender", style="bold")
    table.add_column("what it is")
    for domain in domains:
        table.add_row(domain.name, "", domain.summary)
        for name, contender in domain.contenders.items():
            if not contender.variant_of:
                table.add_row("", name, contender.title + _variants(name, domain.contenders))
    show(table)


def _variants(base: str, contenders: Mapping[str, ContenderOutline]) -> str:
    """List the variants of a contender by the suffixes of their ids."""
    suffixes = [n.removeprefix(base) for n, each in contenders.items() if each.variant_of == base]
    return f" (also {', '.join(suffixes)})" if suffixes else ""


def _studies() -> Iterator[StudyOutline]:
    for _, study in _files("studies"):
        designs = {name: _text(each, "summary") for name, each in _tables(study, "design")}
        yield StudyOutline(
            _text(study, "id"), _text(study, "title"), _text(study, "domain"), designs
        )


def _domains() -> Iterator[DomainOutline]:
    for folder, domain in _files("domains"):
        yield DomainOutline(
            name=_text(domain, "name"),
            title=_text(domain, "title"),
            summary=_text(domain, "summary"),
            operations={
                name: _text(each, "summary") for name, each in _tables(domain, "operation")
            },
            contenders=dict(_contenders(folder)),
        )


def _contenders(domain: Path) -> Iterator[tuple[str, ContenderOutline]]:
    """Yield the contenders of every stack, followed by its variants."""
    for path in sorted(domain.glob(CONTENDER_FILES)):
        stack = read_toml(path) or {}
        titles = {name: _text(each, "title") for name, each in _tables(stack, "contender")}
        for name, title in titles.items():
            yield name, ContenderOutline(title)
        for suffix, variant in _tables(stack, "variant"):
            for base in variant.get("of", ()):
                if base in titles:
                    title = f"{titles[base]}; {_text(variant, 'title')}"
                    yield f"{base}-{suffix}", ContenderOutline(title, base)


def _files(kind: Kind) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    for name in known_names(kind):
        if folder := find_folder(kind, name):
            yield folder, read_toml(folder / FILES[kind]) or {}


def _text(table: Mapping[str, Any], key: str) -> str:
    return str(table.get(key, ""))


def _tables(table: Mapping[str, Any], key: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the tables below a key, by name."""
    below = table.get(key)
    for name, each in below.items() if isinstance(below, Mapping) else ():
        if isinstance(each, Mapping):
            yield name, each
