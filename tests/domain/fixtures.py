"""A domain and its rows, shared by the tests of domain, protocol and verify."""

from pathlib import Path

import pytest

from wirelab.domain import Dataset, Domain
from wirelab.domain_file import load_domain

FOLDER = Path(__file__).parent / "notes"


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def notes() -> Domain:
    return load_domain(FOLDER)


@pytest.fixture(scope="session")
def dataset(notes: Domain, cache: Path) -> Dataset:
    return Dataset.generate(notes, 8, 1, cache)
