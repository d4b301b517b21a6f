"""The laboratory's own verification, over generated games, finds no deviation."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.games.standing import CONTENDERS, GAMES, running
from wirelab.domain.dataset import Dataset
from wirelab.lab.store import Store
from wirelab.lab.stores import open_store
from wirelab.protocol.client import connect
from wirelab.protocol.registry import get
from wirelab.verify import verify


@dataclass(frozen=True)
class Workload:
    """A workload as a study would state it."""

    operation: str
    parameter_sets: int = 5
    parameters: dict[str, object] = field(default_factory=dict)
    instances: bool = False
    instances_from: str = ""
    inline: bool = False


WORKLOADS = {
    "hundred": {"fetch_one": Workload("read"), "fetch_hundred": Workload("list", 1)},
    "empty": {"insert": Workload("create")},
}


@pytest.fixture(scope="module")
def store_of_states(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Store, dict[str, Dataset]]]:
    folder = tmp_path_factory.mktemp("states")
    rows = {
        state: Dataset.generate(GAMES, described.records, 1, folder)
        for state, described in GAMES.states.items()
    }
    with open_store("postgresql", log_path=folder / "log") as store:
        for state, dataset in rows.items():
            store.prepare(GAMES, state, dataset)
        yield store, rows


@pytest.mark.parametrize("state", WORKLOADS)
@pytest.mark.parametrize("name", CONTENDERS)
def test_nothing_is_found(
    name: str, state: str, store_of_states: tuple[Store, dict[str, Dataset]], tmp_path: Path
) -> None:
    store, rows = store_of_states
    database = store.restore(state, "tests").database
    codec = get(CONTENDERS[name].protocol).bind(GAMES, CONTENDERS[name].path)
    with (
        running(name, database, tmp_path / "log") as contender,
        connect(codec.transport, contender.address, CONTENDERS[name].path) as client,
    ):
        result = verify(name, codec, client, rows[state], WORKLOADS[state])

    assert [str(finding) for finding in result.findings] == []
    assert {plan.workload for plan in result.plans} == set(WORKLOADS[state])
