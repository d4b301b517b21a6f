"""A domain and its rows, shared by the tests of domain, protocol and verify."""

import shutil
from pathlib import Path

import pytest

from wirelab.domain import Dataset, Domain
from wirelab.domain_file import load_domain

FOLDER = Path(__file__).parent / "notes"


def copied(into: Path, *replacements: tuple[str, str], file: str = "domain.toml") -> Path:
    """Copy the notes, with other texts in one of their files; return their folder."""
    folder = into / "notes"
    shutil.copytree(FOLDER, folder)
    text = (folder / file).read_text(encoding="utf-8")
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new, 1)
    (folder / file).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def notes() -> Domain:
    return load_domain(FOLDER)


@pytest.fixture(scope="session")
def dataset(notes: Domain, cache: Path) -> Dataset:
    return Dataset.generate(notes, 8, 1, cache)
