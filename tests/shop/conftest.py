"""The contenders under test, each a real process on a real store."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.shop.clients import Client, open_client
from tests.shop.standing import OWN, ROWS, SHOP, STATE, running
from wirelab.domain import Dataset, Reference, load_reference
from wirelab.lab.errors import MissingProgramError
from wirelab.lab.running import RunningContender
from wirelab.lab.store import Store, open_store

Named = Callable[[str], RunningContender]


@pytest.fixture(scope="session")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return Dataset.generate(SHOP, ROWS, 1, tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def store(dataset: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with open_store("postgresql", log_path=tmp_path_factory.mktemp("pg") / "log") as opened:
        opened.prepare(SHOP, STATE, dataset)
        opened.restore(STATE)
        yield opened


@pytest.fixture(scope="session")
def reference(dataset: Dataset) -> Reference:
    """What is right to answer, of rows that no test changes."""
    return load_reference(SHOP, dataset)


@pytest.fixture(scope="session")
def contender_named(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Named]:
    """Running contenders by name, each started when first asked for."""
    logs = tmp_path_factory.mktemp("logs")
    with ExitStack() as stack:
        started: dict[str, RunningContender] = {}

        def named(name: str) -> RunningContender:
            if name not in started:
                try:
                    contender = stack.enter_context(running(name, store, logs / f"{name}.log"))
                except MissingProgramError as error:
                    pytest.skip(str(error))
                started[name] = contender
            return started[name]

        yield named


@pytest.fixture(params=OWN)
def contender(request: pytest.FixtureRequest, contender_named: Named) -> RunningContender:
    return contender_named(request.param)


@pytest.fixture
def client(contender: RunningContender) -> Iterator[Client]:
    with open_client(contender.contender.protocol, contender.address) as opened:
        yield opened
