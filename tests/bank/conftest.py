"""The contenders under test, each a real process on a real store."""

from collections.abc import Callable, Iterator

import psycopg
import pytest

from tests.bank.clients import Client, open_client
from tests.bank.standing import BANK, CONTENDERS, FIRST_INSERTED, MOVEMENTS, STATE, running
from tests.support.standing import started_once
from wirelab.domain import Dataset, Reference, load_reference
from wirelab.lab.contenders.running import RunningContender
from wirelab.lab.stores.kinds import open_store
from wirelab.lab.stores.store import Database

Named = Callable[[str], RunningContender]


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


@pytest.fixture(scope="package")
def contender_named(store: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Named]:
    """Running contenders by name, each started when first asked for."""
    logs = tmp_path_factory.mktemp("logs")
    with started_once(lambda name: running(name, store, logs / f"{name}.log")) as named:
        yield named


@pytest.fixture(params=list(CONTENDERS))
def contender(request: pytest.FixtureRequest, contender_named: Named) -> RunningContender:
    return contender_named(request.param)


@pytest.fixture
def client(contender: RunningContender) -> Iterator[Client]:
    with open_client(contender.contender, contender.address) as opened:
        yield opened
