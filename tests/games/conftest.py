"""The contenders under test, each a real process on a real store."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.games.catalogue import Game, catalogue
from tests.games.clients import Client, open_client
from tests.games.standing import CONTENDERS, fill, running, running_store
from tests.support.standing import started_once
from wirelab.errors import MissingProgramError
from wirelab.lab.contenders.running import RunningContender
from wirelab.lab.errors import BuildError
from wirelab.lab.stores.store import Database

Named = Callable[[str], RunningContender]


@pytest.fixture(scope="package", params=["postgresql"])
def store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Database]:
    """A store: PostgreSQL, unless a test parametrizes for more."""
    with ExitStack() as stack:
        folder = tmp_path_factory.mktemp(request.param)
        try:
            opened = stack.enter_context(running_store(request.param, folder))
        except (BuildError, MissingProgramError) as error:
            pytest.skip(f"no {request.param} here: {error}")
        yield opened


@pytest.fixture
def games(store: Database) -> list[Game]:
    """The games that are in the store when a test starts."""
    rows = catalogue(30)
    fill(store, rows)
    return rows


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
