"""The laboratory's own verification finds no deviation, at any size."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from tests.bank.standing import BANK
from tests.support.filling import refill
from tests.support.standing import Named
from wirelab.domain import Dataset, Reference, load_reference
from wirelab.domain.model import Operation
from wirelab.lab.contenders.running import RunningContender
from wirelab.lab.stores.store import Database
from wirelab.protocol import get
from wirelab.protocol.base import Codec
from wirelab.protocol.clients.base import Client
from wirelab.protocol.clients.client import connect
from wirelab.study import Study, Workload, load_study
from wirelab.verify import Verification, verify
from wirelab.verify.reference.comparison import ReferenceComparison

SMALLER = 1000
LARGEST_INSERTION = "cu1_10000"
LARGEST = 100_000
PATIENCE_S = 120.0


class AnsweringOnce(Reference):
    """A reference that computes each answer once for all contenders: the largest takes seconds."""

    def __init__(self, reference: Reference) -> None:
        self._reference = reference
        self._answers: dict[str, object] = {}

    def call(self, operation: str, parameters: dict[str, object]) -> object:
        asked = f"{operation} {parameters}"
        if asked not in self._answers:
            self._answers[asked] = self._reference.call(operation, parameters)
        return self._answers[asked]

    def require_repeatable(self, operation: Operation, parameters: dict[str, object]) -> None:
        self._reference.require_repeatable(operation, parameters)


@pytest.fixture(scope="module")
def study() -> Study:
    return load_study("quina-mera-2025")


@contextmanager
def connected(running: RunningContender) -> Iterator[tuple[Codec[Any], Client]]:
    contender = running.contender
    codec = get(contender.protocol).bind(BANK, contender.path)
    with connect(codec.transport, running.address, contender.path, PATIENCE_S) as client:
        yield codec, client


def verified(
    running: RunningContender, dataset: Dataset, workloads: Mapping[str, Workload]
) -> Verification:
    with connected(running) as (codec, client):
        return verify(running.contender.id, codec, client, dataset, workloads)


def smaller(study: Study) -> dict[str, Workload]:
    """The workloads of one size each up to `SMALLER`, the largest insertion, and the control."""
    sizes = {name: each.parameters.get("records", 0) for name, each in study.workloads.items()}
    return {
        name: study.workloads[name]
        for name, size in sizes.items()
        if isinstance(size, int) and (size <= SMALLER or name == LARGEST_INSERTION)
    }


def test_nothing_is_found_with_each_operation(
    contender: RunningContender, dataset: Dataset, study: Study
) -> None:
    workloads = smaller(study)
    assert len(workloads) == 13 + 1

    result = verified(contender, dataset, workloads)

    assert [str(finding) for finding in result.findings] == []
    assert {plan.workload for plan in result.plans} == set(workloads)
    for plan in result.plans:
        hashed = plan.rounds[0][0].expectation.body_xxh3 is not None
        assert hashed == (plan.operation != "insert_movements")


def test_a_use_case_is_planned_with_every_size(
    contender_named: Named, dataset: Dataset, study: Study
) -> None:
    workloads = {"cu1": study.workloads["cu1"]}

    result = verified(contender_named("rest-nestjs"), dataset, workloads)

    assert [str(finding) for finding in result.findings] == []
    bodies = [plan.rounds[0][0].request.body for plan in result.plans]
    assert [body.count(b'"accountId"') for body in bodies] == [1, 100, 1000, 10_000]
    assert [plan.parameter_set for plan in result.plans] == [0, 1, 2, 3]


@pytest.fixture(scope="module")
def large(
    store: Database, dataset: Dataset, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Reference]:
    """What is right to answer while the store holds 100,000 movements."""
    rows = Dataset.generate(BANK, LARGEST, 1, tmp_path_factory.mktemp("large"))
    refill(store, rows)
    yield AnsweringOnce(load_reference(BANK, rows))
    refill(store, dataset)


@pytest.mark.slow
def test_nothing_is_found_with_a_hundred_thousand_records(
    contender: RunningContender, large: Reference, study: Study
) -> None:
    """Of three tables: every field of the other queries is among theirs.

    That equal answers have equal bytes, so that they are held against a hash, smaller ones show.
    """
    workload = study.workloads[f"cu4_{LARGEST}"]
    operation = BANK.operations[workload.operation]

    with connected(contender) as (codec, client):
        comparison = ReferenceComparison(contender.contender.id, codec, client, large)
        agreed = comparison.compare(operation, dict(workload.parameters))

    assert [str(finding) for finding in comparison.findings] == []
    assert agreed is not None
    assert agreed.refusal is None
