"""The contenders under test, each a real process on a real store."""

from collections.abc import Iterator

import pytest

from tests.library.clients import open_client
from tests.library.shelf import Row, shelf
from tests.library.standing import CONTENDERS, LIBRARY, fill, running, running_store
from tests.support.standing import (
    client_by,
    contender_among,
    contender_named_by,
    with_variants_thorough,
)
from wirelab.domain import Reference
from wirelab.domain.dataset import Dataset
from wirelab.domain.reference import load_reference
from wirelab.lab.stores.store import Database


@pytest.fixture(scope="package")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with running_store(tmp_path_factory.mktemp("postgresql")) as opened:
        yield opened


@pytest.fixture
def rows(store: Database) -> dict[str, list[Row]]:
    """The tables that are in the store when a test starts."""
    tables = shelf()
    fill(store, tables)
    return tables


@pytest.fixture
def reference(rows: dict[str, list[Row]], tmp_path_factory: pytest.TempPathFactory) -> Reference:
    """What is right to answer."""
    dataset = Dataset(LIBRARY, len(rows["author"]), 0, tmp_path_factory.mktemp("nothing"))
    dataset.__dict__["tables"] = rows  # In place of what it would read from its folder.
    return load_reference(LIBRARY, dataset)


EACH = with_variants_thorough(CONTENDERS, ("-virtual", "-uncached", "-closing"))

contender_named = contender_named_by(running)
contender = contender_among(EACH)
client = client_by(open_client)
