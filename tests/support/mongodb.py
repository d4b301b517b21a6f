"""A server of MongoDB for tests."""

from pathlib import Path

import pytest

from wirelab.errors import MissingProgramError
from wirelab.lab.errors import BuildError
from wirelab.lab.stores.ferretdb import start_ferretdb
from wirelab.lab.stores.mongodb import MongodbStore


def started(log: Path) -> MongodbStore:
    try:
        return start_ferretdb(log_path=log)
    except (BuildError, MissingProgramError) as error:
        pytest.skip(f"FerretDB cannot be built: {error}")
