"""The files of words: every section is one that a test compares."""

import re
from pathlib import Path

import pytest

from tests.support.wording import HEADING, TESTS

FILES = sorted(TESTS.rglob("wording.txt"))


@pytest.mark.parametrize("file", FILES, ids=[str(file.relative_to(TESTS).parent) for file in FILES])
def test_every_section_belongs_to_a_test(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    headings = re.findall(rf"^{HEADING}(.+?)::(\w+)", text, flags=re.MULTILINE)

    left = {
        f"{module}::{name}"
        for module, name in headings
        if not _defines(TESTS / file.relative_to(TESTS).parts[0] / module, name)
    }

    assert left == set()


def _defines(module: Path, name: str) -> bool:
    return module.is_file() and f"def {name}(" in module.read_text(encoding="utf-8")
