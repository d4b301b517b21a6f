"""The laboratory's own verification, over generated games, finds no deviation."""

import pytest

from tests.games.catalogue import Workload
from tests.games.standing import GAMES
from tests.support.filling import refill
from wirelab.domain.dataset import Dataset
from wirelab.lab.contenders.running import RunningContender
from wirelab.lab.stores.store import Database
from wirelab.protocol.clients.client import connect
from wirelab.protocol.registry import get
from wirelab.verify import verify

WORKLOADS = {
    "hundred": {"fetch_one": Workload("read"), "fetch_hundred": Workload("list", 1)},
    "empty": {"insert": Workload("create"), "insert_echoed": Workload("create_echoed")},
}


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Dataset]:
    """What is generated for each state."""
    folder = tmp_path_factory.mktemp("states")
    return {
        state: Dataset.generate(GAMES, described.records, 1, folder)
        for state, described in GAMES.states.items()
    }


@pytest.mark.parametrize("state", WORKLOADS)
def test_nothing_is_found(
    contender: RunningContender, state: str, store: Database, rows: dict[str, Dataset]
) -> None:
    described = contender.contender
    codec = get(described.protocol).bind(GAMES, described.path)
    refill(store, rows[state])
    with connect(codec.transport, contender.address, described.path) as client:
        result = verify(described.id, codec, client, rows[state], WORKLOADS[state])

    assert [str(finding) for finding in result.findings] == []
    assert {plan.workload for plan in result.plans} == set(WORKLOADS[state])
