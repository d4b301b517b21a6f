"""THIRD-PARTY.md: what of others' is used, in which version, under which licence, and where."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from audit.components import ROOT, Component, by_kind

PAGE = ROOT / "THIRD-PARTY.md"
HEAD = """\
# Third-party components

Generated from the lock files by `python -m audit notices`; do not edit. wirelab's wheel contains,
compiled in, the crates of the workspace (`.`), and a copy of uPlot 1.6.32 (MIT; its licence lies
beside it, in `wirelab/web/static/uplot`); Python's packages are installed beside it.
Everything below `domains`, `stores` and `benches` is fetched and built on the machine that uses it,
and is no part of the wheel. Each component's own files have the text of its licence and its
copyright notices.
"""
ROW = re.compile(r"^\| (\S+) \| (\S+) \| ([^|]*) \| ([^|]+) \|$", re.MULTILINE)


def page(components: Mapping[Component, Sequence[str]], licences: Mapping[Component, str]) -> str:
    """Return the page."""
    parts = [HEAD]
    for kind, members in by_kind(components).items():
        parts += [
            f"## {kind}\n",
            "| component | version | licence | needed by |",
            "|---|---|---|---|",
        ]
        for it in members:
            folders = ", ".join(f"`{folder}`" for folder in components[it])
            parts.append(f"| {it.name} | {it.version} | {licences.get(it, '')} | {folders} |")
        parts.append("")
    return "\n".join(parts)


def read(path: Path = PAGE) -> dict[Component, str]:
    """Return the licences that the page has."""
    found: dict[Component, str] = {}
    for section in (
        re.split(r"^## ", path.read_text(), flags=re.MULTILINE)[1:] if path.exists() else ()
    ):
        kind = section.partition("\n")[0]
        for name, version, licence, _ in ROW.findall(section):
            if name != "component":
                found[Component(kind, name, version)] = licence
    return found


def stale(components: Mapping[Component, Sequence[str]], path: Path = PAGE) -> list[str]:
    """Return in which components page and lock files differ; needs nothing but these."""
    listed, locked = read(path).keys(), components.keys()
    return [
        *(f"{it.kind} {it.name} {it.version} is missing" for it in sorted(locked - listed)),
        *(
            f"{it.kind} {it.name} {it.version} is no longer locked"
            for it in sorted(listed - locked)
        ),
    ]
