"""The laboratory's own verification finds nothing wrong with anybody."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.shop.standing import CONTENDERS, OWN, ROWS, SHOP, STATE, running
from wirelab.domain import Dataset
from wirelab.errors import MissingProgramError
from wirelab.lab.store import Database, Store
from wirelab.lab.stores import open_store
from wirelab.protocol import get
from wirelab.protocol.client import connect
from wirelab.study import Workload
from wirelab.verify import Verification, verify

COMPOSED = [name for name in CONTENDERS if name.endswith(("-naive", "-rounds", "-gzip"))]

SERVICES = [
    name
    if name in ("rest-chi-services", "graphql-apollo-services", "grpc-aio-services")
    else pytest.param(
        name, marks=pytest.mark.thorough(reason="each stack and each protocol is tested without it")
    )
    for name, contender in CONTENDERS.items()
    if contender.services
]


def verified(name: str, store: Database, dataset: Dataset, log: Path) -> Verification:
    contender = CONTENDERS[name]
    spoken = SHOP.spoken(contender.dialect)
    codec = get(contender.protocol).bind(spoken, contender.path)
    workloads = {
        operation.name: Workload(
            title=operation.summary, operation=operation.name, state=STATE, parameter_sets=5
        )
        for operation in spoken.operations.values()
        if operation.effect == "read" and contender.protocol in operation.bindings
    }
    try:
        with (
            running(name, store, log) as started,
            connect(codec.transport, started.address, contender.path, 30.0) as client,
        ):
            return verify(name, codec, client, replace(dataset, domain=spoken), workloads)
    except MissingProgramError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def own_store(dataset: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store that is as it was generated before each verification."""
    with open_store("postgresql", log_path=tmp_path_factory.mktemp("own") / "log") as opened:
        opened.prepare(SHOP, STATE, dataset)
        yield opened


@pytest.mark.parametrize("name", [*OWN, *COMPOSED])
def test_nothing_is_found(name: str, own_store: Store, dataset: Dataset, tmp_path: Path) -> None:
    database = own_store.restore(STATE, "tests").database

    result = verified(name, database, dataset, tmp_path / "log")

    wrong = [str(each) for each in result.findings if not each.reason.startswith("not bound")]
    assert wrong == []
    reads = {"list_products", "read_product", "list_orders"}
    assert {plan.workload for plan in result.plans} >= reads
    for plan in result.plans:
        hashed = [request.expectation.body_xxh3 for each in plan.rounds for request in each]
        assert None not in hashed, "held against its hash under load"
    if name.endswith("-rounds"):
        by_workload = {plan.workload: plan for plan in result.plans}
        assert len(by_workload["list_products"].rounds) == 2
        assert len(by_workload["list_orders"].rounds) == 2
    assert dataset.records == ROWS


@pytest.mark.parametrize("name", SERVICES)
def test_nothing_is_found_of_three_services_asked_at_orders(
    name: str, own_store: Store, dataset: Dataset, tmp_path: Path
) -> None:
    database = own_store.restore(STATE, "tests").database

    result = verified(name, database, dataset, tmp_path / "log")

    wrong = [str(each) for each in result.findings if not each.reason.startswith("not bound")]
    assert wrong == []
    assert {plan.workload for plan in result.plans} == {"list_orders", "read_order", "read_history"}
    unbound = {each.operation for each in result.findings}
    assert {"list_products", "login"} <= unbound
    assert not unbound & {"checkout", "list_orders"}
