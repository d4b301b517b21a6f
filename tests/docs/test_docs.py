"""The documentation says what the code does, and points at things that are there."""

import ast
import errno
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import get_args

import pytest

from wirelab.domain.refusal import RefusalKind
from wirelab.protocol import graphql, grpc, http, jsonrpc, soap, websocket

ROOT = Path(__file__).resolve().parents[2]
TRACKED = subprocess.run(
    ["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True
).stdout.split()
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)[^)]*\)")


@pytest.mark.thorough(reason="`make lint` does")
def test_the_reference_matches_the_code() -> None:
    done = subprocess.run(
        [sys.executable, "docs/generate.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.parametrize("page", TRACKED)
def test_links_have_targets(page: str) -> None:
    folder = (ROOT / page).parent
    targets = [link for link in LINK.findall((ROOT / page).read_text()) if "://" not in link]

    assert [target for target in targets if not (folder / target).exists()] == []


def test_the_readme_lists_every_study() -> None:
    text = (ROOT / "README.md").read_text()
    studies = [path.parent.name for path in ROOT.glob("studies/*/study.toml")]

    assert studies
    assert [study for study in studies if f"`{study}`" not in text] == []


def test_the_architecture_names_every_package() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    packages = [path.parent.name for path in ROOT.glob("src/wirelab/*/__init__.py")]

    assert [package for package in packages if f"{package}/" not in text] == []


def test_the_engine_page_lists_every_fuzz_target() -> None:
    fuzz = tomllib.loads((ROOT / "engine" / "fuzz" / "Cargo.toml").read_text())
    page = (ROOT / "docs" / "concepts" / "load-engine.md").read_text()
    table = page.partition("## What fuzzing has found")[2]
    listed = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)

    assert sorted(listed) == sorted(target["name"] for target in fuzz["bin"])


def test_troubleshooting_quotes_messages_literally() -> None:
    texts = [os.strerror(number) for number in (errno.ENOSPC, errno.EMFILE, errno.ENOMEM)]
    for path in (ROOT / "src" / "wirelab").rglob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text()))
        texts += [str(node.value) for node in nodes if isinstance(node, ast.Constant)]
    text = "\n".join(texts)
    page = (ROOT / "docs" / "troubleshooting.md").read_text()
    headings = re.findall(r"^## (.+)$", page, re.MULTILINE)
    quoted = [each for heading in headings for each in re.findall(r'"([^"]+)"', heading)]
    fragments = [part.strip(" :,") for each in quoted for part in re.split(r"…|\d+ ", each)]

    assert len(quoted) > len(headings)
    assert [part for part in fragments if part not in text] == []


def test_the_citation_carries_the_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]

    assert f"version: {version}\n" in (ROOT / "CITATION.cff").read_text()


def test_the_architecture_names_files_that_exist() -> None:
    named = re.findall(r"`([\w/.]+/|[\w/]+\.(?:py|rs|js))`", (ROOT / "ARCHITECTURE.md").read_text())
    package = ROOT / "src" / "wirelab"
    roots = (ROOT, package, package / "experiment", package / "browse")

    assert len(named) > 30
    assert [name for name in named if not any((root / name).exists() for root in roots)] == []


def test_the_guide_lists_the_errors_of_the_protocols() -> None:
    page = (ROOT / "docs" / "guides" / "add-a-domain.md").read_text().partition("## Errors")[2]
    (_, *kinds), _, *rows = (
        [re.findall(r"`(\w+)`", cell) for cell in line.split("|")[1:-1]]
        for line in page.splitlines()
        if line.startswith("|")
    )
    known = [
        {str(int(status)): kind for status, kind in http._KINDS.items()},
        graphql._KINDS,
        grpc._KINDS,
        websocket._KINDS,
        soap._KINDS,
        jsonrpc.KINDS,
        jsonrpc.KINDS,  # of MCP
    ]

    assert [kind for (kind,) in kinds] == list(get_args(RefusalKind))
    for (_, *cells), meaning in zip(rows, known, strict=True):
        listed = [{meaning[code] for code in codes} for codes in cells]
        assert listed == [set(kind) for kind in kinds]
