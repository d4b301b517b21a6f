"""The contenders under test, each a real process on a real store."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.games.catalogue import Game, catalogue
from tests.games.clients import open_client
from tests.games.standing import CONTENDERS, fill, running, running_store
from tests.support.standing import client_by, contender_among, contender_named_by
from wirelab.errors import MissingProgramError
from wirelab.lab.errors import BuildError
from wirelab.lab.stores.store import Database


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


contender_named = contender_named_by(running)
contender = contender_among(CONTENDERS)
client = client_by(open_client)
