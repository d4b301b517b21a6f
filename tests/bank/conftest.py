"""The contenders under test, each a real process on a real store."""

from collections.abc import Iterator

import psycopg
import pytest

from tests.bank.clients import open_client
from tests.bank.standing import BANK, CONTENDERS, FIRST_INSERTED, MOVEMENTS, STATE, running
from tests.support.standing import (
    client_by,
    contender_among,
    contender_named_by,
    with_variants_thorough,
)
from wirelab.domain import Dataset, Reference, load_reference
from wirelab.lab.stores.open_store import open_store
from wirelab.lab.stores.store import Database


@pytest.fixture(scope="package")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return Dataset.generate(BANK, MOVEMENTS, 1, tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="package")
def store(dataset: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """PostgreSQL with 10,000 movements; what a test inserts is gone before the next one."""
    with open_store("postgresql", log_path=tmp_path_factory.mktemp("pg") / "log") as opened:
        opened.prepare(BANK, STATE, dataset)
        yield opened.restore(STATE, "tests").database


@pytest.fixture(autouse=True)
def only_generated_movements(store: Database) -> Iterator[None]:
    yield
    with psycopg.connect(store.url, autocommit=True) as connection:
        connection.execute("DELETE FROM movement WHERE id >= %s", [FIRST_INSERTED])


@pytest.fixture(scope="package")
def reference(dataset: Dataset) -> Reference:
    """What is right to answer, as long as nothing was inserted."""
    return load_reference(BANK, dataset)


contender_named = contender_named_by(running)
contender = contender_among(with_variants_thorough(CONTENDERS, ("-etag",)))
client = client_by(open_client)
