"""The contenders under test, each a real process on a real store."""

from collections.abc import Iterator

import pytest

from tests.shop.clients import open_client
from tests.shop.standing import OWN, ROWS, SHOP, STATE, running
from tests.support.filling import refill
from tests.support.standing import client_by, contender_among, contender_named_by
from wirelab.domain import Dataset, Reference, load_reference
from wirelab.lab.stores.open_store import open_store
from wirelab.lab.stores.store import Database, Store


@pytest.fixture(scope="package")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return Dataset.generate(SHOP, ROWS, 1, tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="package")
def postgresql(dataset: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with open_store("postgresql", log_path=tmp_path_factory.mktemp("pg") / "log") as opened:
        opened.prepare(SHOP, STATE, dataset)
        yield opened


@pytest.fixture(scope="package")
def store(postgresql: Store) -> Database:
    return postgresql.restore(STATE, "tests").database


@pytest.fixture
def generated(store: Database, dataset: Dataset) -> None:
    """The store has the rows that were generated, whatever earlier tests have written."""
    refill(store, dataset)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put last the tests that end the contenders which all others share."""
    items.sort(key=lambda item: item.path.name == "test_ends.py")


@pytest.fixture(scope="package")
def reference(dataset: Dataset) -> Reference:
    """What is right to answer, of rows that no test changes."""
    return load_reference(SHOP, dataset)


contender_named = contender_named_by(running)
contender = contender_among(OWN)
client = client_by(open_client)
