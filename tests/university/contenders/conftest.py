"""The contenders under test, each a real process on a real store."""

from collections.abc import Callable, Iterator

import psycopg
import pytest

from tests.support.standing import started_once
from tests.university.contenders.standing import (
    ALL_CONTENDERS,
    OF_THE_DOMAIN,
    Connection,
    Standing,
    running_store,
    standing,
)
from wirelab.lab.stores.store import Database


@pytest.fixture(scope="package")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with running_store(tmp_path_factory.mktemp("store")) as opened:
        yield opened


@pytest.fixture(scope="package")
def rows(store: Database) -> Iterator[Connection]:
    """The store itself, to say what is right."""
    with psycopg.connect(store.url, autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="package")
def contender_named(
    store: Database, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Standing]]:
    """Running contenders by name, each started when first asked for."""
    logs = tmp_path_factory.mktemp("logs")
    with started_once(
        lambda name: standing(ALL_CONTENDERS[name], store, logs / f"{name}.log")
    ) as named:
        yield named


@pytest.fixture(params=OF_THE_DOMAIN)
def contender(
    request: pytest.FixtureRequest, contender_named: Callable[[str], Standing]
) -> Standing:
    """Each contender of the domain's own schema in turn."""
    return contender_named(request.param)
