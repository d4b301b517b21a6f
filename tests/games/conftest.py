"""The contenders under test, each a real process on a real store."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from tests.games.catalogue import Game, catalogue
from tests.games.clients import Client, open_client
from tests.games.standing import DESCRIPTION, DOMAIN, Running, build, fill, postgresql, running

CONTENDERS = list(DESCRIPTION["contender"])
MONGODB_URL = "WIRELAB_TEST_MONGODB_URL"


@pytest.fixture(scope="session")
def built() -> Path:
    return build()


@pytest.fixture(scope="session")
def postgresql_url() -> Iterator[str]:
    with postgresql() as url:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute((DOMAIN / "store" / "schema.sql").read_bytes())
            connection.execute((DOMAIN / "store" / "index.sql").read_bytes())
        yield url


@pytest.fixture(scope="session", params=["postgresql"])
def store_url(request: pytest.FixtureRequest) -> str:
    """Give the URL of a store: PostgreSQL, unless a test parametrizes for more."""
    if request.param == "postgresql":
        url: str = request.getfixturevalue("postgresql_url")
        return url
    if MONGODB_URL not in os.environ:
        pytest.skip(f"{MONGODB_URL} names no document store")
    return os.environ[MONGODB_URL]


@pytest.fixture
def games(store_url: str) -> list[Game]:
    """Give the games that are in the store when a test starts."""
    rows = catalogue(30)
    fill(store_url, rows)
    return rows


@pytest.fixture(scope="session")
def contender_named(
    built: Path, store_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Running]]:
    """Give running contenders by name, each started when first asked for."""
    logs = tmp_path_factory.mktemp("logs")
    with ExitStack() as stack:
        started: dict[str, Running] = {}

        def named(name: str) -> Running:
            if name not in started:
                log = logs / f"{name}.log"
                started[name] = stack.enter_context(running(name, built, store_url, log))
            return started[name]

        yield named


@pytest.fixture(params=CONTENDERS)
def contender(request: pytest.FixtureRequest, contender_named: Callable[[str], Running]) -> Running:
    return contender_named(request.param)


@pytest.fixture
def client(contender: Running) -> Iterator[Client]:
    with open_client(contender) as opened:
        yield opened
