"""Real contenders in containers, on the embedded store, answer as the reference does."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.games.catalogue import Workload
from tests.games.standing import CONTENDERS, GAMES
from wirelab import protocol
from wirelab.domain.dataset import Dataset
from wirelab.experiment.preparation.codecs import Codecs
from wirelab.lab.contenders.running import Starting, wait_for
from wirelab.lab.environments.kinds import ENVIRONMENTS, store_host
from wirelab.lab.errors import BuildError
from wirelab.lab.processes.cpu import plan_cpus
from wirelab.lab.stores.open_store import open_store
from wirelab.lab.stores.store import Store
from wirelab.protocol.clients.client import connect
from wirelab.verify import verify

CODECS = Codecs(GAMES, CONTENDERS)
ONE_OF_EACH_SORT = ("native", "native-1-cpu", "container", "container-host")
"""There are as many environments with fewer CPUs as a machine may have CPUs."""
WORKLOADS = {"fetch_one": Workload("read"), "fetch_hundred": Workload("list", 1)}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return Dataset.generate(
        GAMES, GAMES.states["hundred"].records, 1, tmp_path_factory.mktemp("rows")
    )


@pytest.fixture(scope="module")
def store(base: str, dataset: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One store for all environments, at one address."""
    log = tmp_path_factory.mktemp("store") / "log"
    with open_store("postgresql", log_path=log, host=store_host(ENVIRONMENTS)) as store:
        store.prepare(GAMES, "hundred", dataset)
        yield store


@pytest.mark.parametrize("name", ["rest-flask", "grpc-grpcio"])
def test_every_environment_has_the_same_answers(
    name: str, store: Store, dataset: Dataset, tmp_path: Path, nothing_left: Callable[[], list[str]]
) -> None:
    contender = CONTENDERS[name]
    codec = protocol.get(contender.protocol).bind(GAMES, contender.path)
    versions = {}
    for environment in map(ENVIRONMENTS.__getitem__, ONE_OF_EACH_SORT):
        try:
            built = environment.build(contender, tmp_path / "build")
        except BuildError as error:
            pytest.skip(f"packages cannot be had from within a container: {error}")
        running = wait_for(
            Starting(
                built,
                environment,
                database=store.restore("hundred", "tests").database,
                ready=partial(CODECS.check_ready, name),
                log_path=tmp_path / f"{environment.name}.log",
                cpus=plan_cpus().system,
            )
        )
        try:
            with connect(codec.transport, running.address, codec.path) as client:
                result = verify(name, codec, client, dataset, WORKLOADS)
        finally:
            running.stop()
        assert [str(finding) for finding in result.findings] == []
        assert 0 < running.launch_s < running.start_s  # its own start is no part of launching
        versions[environment.name] = built.named_versions()

    assert versions["container"] == versions["container-host"] == versions["native"]
