"""The laboratory's own verification finds no deviation."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.shop.standing import CODECS, CONTENDERS, OWN, ROWS, STATE, running
from tests.shop.test_protocols import assert_answers_are_compressed, statements_of_composed_query
from tests.support.filling import refill
from wirelab.domain import Dataset
from wirelab.engine.job import Job, Stop
from wirelab.errors import MissingProgramError
from wirelab.experiment.blocks.jobs import engine_target
from wirelab.lab.contenders.running import RunningContender
from wirelab.lab.stores.store import Database, Store
from wirelab.measure.driver import run_engine
from wirelab.protocol.clients.client import connect_to
from wirelab.study import ClosedLoad, Workload, load_study
from wirelab.verify import Verification, verify
from wirelab.verify.findings.finding_reasons import NotBound

COMPOSED = [name for name in CONTENDERS if name.endswith(("-naive", "-rounds", "-gzip"))]
WIRES = [name for name in load_study("wires").contenders if name not in OWN]
"""The same contenders, reached in other ways."""
FIRST_VISITS = ClosedLoad(
    kind="closed", title="a new connection for every request", clients=1, reuse_connections=False
)

SERVICES = [
    name
    if name in ("rest-chi-services", "graphql-apollo-services", "grpc-aio-services")
    else pytest.param(
        name, marks=pytest.mark.thorough(reason="each stack and each protocol is tested without it")
    )
    for name, contender in CONTENDERS.items()
    if contender.services
]


def verified(started: RunningContender, dataset: Dataset) -> Verification:
    """Verify a contender on a store with the generated rows, which that changes."""
    name, protocol = started.contender.id, started.contender.protocol
    in_dialect = CODECS.domain_of(name)
    workloads = {
        operation.name: Workload(
            title=operation.summary, operation=operation.name, state=STATE, parameter_sets=5
        )
        for operation in in_dialect.operations.values()
        if operation.effect == "read" and protocol in operation.bindings
    }
    with connect_to(CODECS.endpoint(name, started.address), 30.0) as client:
        changed = replace(dataset, domain=in_dialect)
        return verify(name, CODECS.codec(name), client, changed, workloads)


def errors_of(found: Verification) -> list[str]:
    return [str(each) for each in found.findings if not isinstance(each.reason, NotBound)]


@contextmanager
def or_skipped(name: str, store: Database, log: Path) -> Iterator[RunningContender]:
    try:
        with running(name, store, log) as started:
            yield started
    except MissingProgramError as error:
        pytest.skip(str(error))


@pytest.mark.usefixtures("generated")
def test_nothing_is_found(contender: RunningContender, dataset: Dataset) -> None:
    assert_nothing_is_found(contender, dataset)


@pytest.mark.usefixtures("generated")
@pytest.mark.parametrize("name", COMPOSED)
def test_a_variant_answers_correctly_and_differs_as_declared(
    name: str, store: Database, postgresql: Store, dataset: Dataset, tmp_path: Path
) -> None:
    with or_skipped(name, store, tmp_path / "log") as started:
        assert_nothing_is_found(started, dataset)
        if name.endswith("-gzip"):
            assert_answers_are_compressed(started)
        if name.endswith("-naive"):
            refill(store, dataset)
            taken, orders, lines = statements_of_composed_query(started, postgresql, dataset)
            assert taken == 3 + orders + lines  # user, addresses, orders


def assert_nothing_is_found(started: RunningContender, dataset: Dataset) -> None:
    result = verified(started, dataset)

    assert errors_of(result) == []
    reads = {"list_products", "read_product", "list_orders"}
    assert {plan.workload for plan in result.plans} >= reads
    for plan in result.plans:
        hashed = [request.expectation.body_xxh3 for each in plan.rounds for request in each]
        assert None not in hashed  # held against its hash under load
    if started.contender.id.endswith("-rounds"):
        by_workload = {plan.workload: plan for plan in result.plans}
        assert len(by_workload["list_products"].rounds) == 2
        assert len(by_workload["list_orders"].rounds) == 2
    assert dataset.records == ROWS


@pytest.mark.usefixtures("generated")
@pytest.mark.parametrize("name", WIRES)
def test_first_visits_get_the_verified_answers_and_resume_sessions_where_declared(
    name: str, store: Database, dataset: Dataset, tmp_path: Path
) -> None:
    settings = CONTENDERS[name].settings

    with or_skipped(name, store, tmp_path / "log") as started:
        found = verified(started, dataset)
        refill(store, dataset)
        reads = [plan for plan in found.plans if plan.workload in {"list_products", "read_product"}]
        endpoint = CODECS.endpoint(name, started.address)
        target = engine_target(name, reads, endpoint, load=FIRST_VISITS, seed=1)
        job = Job(targets=(target,), stop=Stop(transactions=20), output=tmp_path)
        result = run_engine(job, tmp_path).only

    assert errors_of(found) == []
    assert (result.counts.succeeded, result.counts.failed) == (20, 0), result.mismatches
    assert (result.tls is not None) == ("tls" in settings)
    if result.tls is not None:
        assert (result.tls.version, result.tls.handshakes) == ("TLSv1_3", 20)
        # There is nothing yet that the first of them could resume.
        assert result.tls.resumed == (19 if settings.get("sessions") == "resumed" else 0)


@pytest.mark.usefixtures("generated")
@pytest.mark.parametrize("name", SERVICES)
def test_verification_of_three_services_at_orders_finds_nothing(
    name: str, store: Database, dataset: Dataset, tmp_path: Path
) -> None:
    with or_skipped(name, store, tmp_path / "log") as started:
        result = verified(started, dataset)

    assert errors_of(result) == []
    assert {plan.workload for plan in result.plans} == {"list_orders", "read_order", "read_history"}
    unbound = {each.operation for each in result.findings}
    assert {"list_products", "login"} <= unbound
    assert not unbound & {"checkout", "list_orders"}
