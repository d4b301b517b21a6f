"""The laboratory's own verification finds no deviation, at any size."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.bank.conftest import Named
from tests.bank.standing import BANK, CONTENDERS, STATE, running
from wirelab.domain import Dataset
from wirelab.errors import MissingProgramError
from wirelab.lab.running import RunningContender
from wirelab.lab.store import Database
from wirelab.lab.stores import open_store
from wirelab.protocol import get
from wirelab.protocol.client import connect
from wirelab.study import Study, Workload, load_study
from wirelab.verify import Verification, verify

LARGEST = 100_000
PATIENCE_S = 120.0
RESTORED_S = 2.0


@pytest.fixture(scope="module")
def study() -> Study:
    return load_study("quina-mera-2025")


def verified(
    running: RunningContender, dataset: Dataset, workloads: Mapping[str, Workload]
) -> Verification:
    contender = running.contender
    codec = get(contender.protocol).bind(BANK, contender.path)
    with connect(codec.transport, running.address, contender.path, PATIENCE_S) as client:
        return verify(contender.id, codec, client, dataset, workloads)


def up_to(study: Study, largest: int) -> dict[str, Workload]:
    """The workloads of one size each that ask for no more records, and the control."""
    sizes = {name: each.parameters.get("records", 0) for name, each in study.workloads.items()}
    return {
        name: study.workloads[name]
        for name, size in sizes.items()
        if isinstance(size, int) and size <= largest
    }


def test_nothing_is_found_up_to_ten_thousand_records(
    contender: RunningContender, dataset: Dataset, study: Study
) -> None:
    workloads = up_to(study, 10_000)
    assert len(workloads) == 16 + 1

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
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Database, Dataset]]:
    folder = tmp_path_factory.mktemp("large")
    rows = Dataset.generate(BANK, LARGEST, 1, folder)
    with open_store("postgresql", log_path=folder / "log") as opened:
        opened.prepare(BANK, STATE, rows)
        yield opened.restore(STATE, "tests").database, rows


@pytest.mark.slow
@pytest.mark.parametrize("name", CONTENDERS)
def test_nothing_is_found_with_a_hundred_thousand_records(
    name: str, large: tuple[Database, Dataset], study: Study, tmp_path: Path
) -> None:
    """Of three tables: every field of the other queries is among theirs."""
    workloads = {"cu4": study.workloads[f"cu4_{LARGEST}"]}

    database, dataset = large
    try:
        with running(name, database, tmp_path / "log") as contender:
            result = verified(contender, dataset, workloads)
    except MissingProgramError as error:
        pytest.skip(str(error))

    assert [str(finding) for finding in result.findings] == []
    (plan,) = result.plans
    expected = plan.rounds[0][0].expectation
    assert expected.body_xxh3 is not None, "held against its hash under load"
