"""The notes domain and its codecs, for the tests of this folder."""

from typing import Any

import pytest

from tests.domain.fixtures import cache, dataset, notes
from wirelab import protocol
from wirelab.domain import Domain
from wirelab.protocol.base import Codec

from .exchanges import bound

__all__ = ["cache", "dataset", "notes"]


@pytest.fixture(params=protocol.NAMES)
def codec(request: pytest.FixtureRequest, notes: Domain) -> Codec[Any]:
    return bound(request.param, notes)
