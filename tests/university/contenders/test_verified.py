"""The laboratory's own verification, over what the generator makes, finds nothing wrong."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

import pytest
from _pytest.mark.structures import ParameterSet

from tests.university.contenders.standing import (
    ALL_CONTENDERS,
    CONTENDERS,
    OF_THE_DOMAIN,
    ONE_OF_EACH_STACK,
    UNIVERSITY,
    VARIANTS,
    Standing,
    rows_replaced,
)
from wirelab.domain.dataset import Dataset
from wirelab.domain.model import Domain
from wirelab.domain.reference import Reference, load_reference
from wirelab.installation.programs import cache_folder
from wirelab.lab.stores.store import Database
from wirelab.protocol.clients.client import connect
from wirelab.protocol.registry import get
from wirelab.verify import verify
from wirelab.verify.reference.comparison import ReferenceComparison

SMALLEST = "scale_1"
SETS = 3
"""Number of parameter sets for each query in the smallest state, where all contenders are."""
FEWER = 2
"""Their number in the other states, where one of each stack is, without literals."""
WITH_OTHER_ANSWERS = [name for name, contender in VARIANTS.items() if contender.dialect]


@dataclass(frozen=True)
class Workload:
    """A workload as a study would state it."""

    operation: str
    parameter_sets: int
    parameters: dict[str, object] = field(default_factory=dict)
    instances: bool = False
    instances_from: str = ""
    inline: bool = False


def cases() -> Iterator[ParameterSet]:
    """Yield every state with every contender that is verified in it."""
    for state in (SMALLEST, "scale_5", "scale_5_indexed"):
        for name in (*CONTENDERS, *WITH_OTHER_ANSWERS):
            reason = ""
            if state == "scale_5_indexed":
                reason = "the same rows and answers, found by another way"
            elif state == "scale_5" and name not in ONE_OF_EACH_STACK:
                reason = "the same resolvers as at scale factor 1"
            marks = [pytest.mark.thorough(reason=reason)] if reason else []
            yield pytest.param(state, name, marks=marks)


@dataclass(frozen=True)
class State:
    """The rows of a state, and the reference of the domain's own schema over them."""

    rows: Dataset
    reference: Reference


@pytest.fixture(scope="module")
def in_state(store: Database) -> Iterator[Callable[[str], State]]:
    """States by name: all contenders find the rows of one until another is asked for."""
    found: dict[str, State] = {}
    with ExitStack() as stack:

        def in_state(name: str) -> State:
            if name not in found:
                stack.close()
                found.clear()
                records = UNIVERSITY.states[name].records
                generated = Dataset.generate(UNIVERSITY, records, 0, cache_folder())
                stack.enter_context(rows_replaced(store, name, generated))
                found[name] = State(generated, load_reference(UNIVERSITY, generated))
            return found[name]

        yield in_state


def unattended(rows: Dataset) -> list[int]:
    """Return the universities at which no current graduate student has studied."""
    attended = {row["undergraduateDegreeFrom"] for row in rows.tables["graduatestudent"]}
    return sorted({row["nr"] for row in rows.tables["university"]} - attended)


def workloads_of(
    domain: Domain, rows: Dataset, sets: int, *, literals: bool
) -> dict[str, Workload]:
    """Return a workload for each query that the domain offers, and one with literals if wanted."""
    offered = [each for each in domain.operations.values() if each.bindings]
    workloads = {
        each.name: Workload(each.name, min(sets, different(rows.draw(each, sets, seed=1))))
        for each in offered
    }
    if literals:
        # Other texts of the same queries, so one of each shows how its values are written.
        names = list(workloads)
        workloads |= {f"{each} with literals": Workload(each, 1, inline=True) for each in names}
    return workloads


def different(parameters: list[dict[str, object]]) -> int:
    """Return the number of different parameter sets: some queries have the same in all."""
    return len({repr(each) for each in parameters})


@pytest.mark.slow
@pytest.mark.parametrize(("state", "name"), list(cases()))
def test_nothing_is_found(
    state: str,
    name: str,
    in_state: Callable[[str], State],
    contender_named: Callable[[str], Standing],
) -> None:
    contender = ALL_CONTENDERS[name]
    in_dialect = UNIVERSITY.in_dialect(contender.dialect)
    here = in_state(state)
    dataset = replace(here.rows, domain=in_dialect)
    smallest = state == SMALLEST
    workloads = workloads_of(in_dialect, dataset, SETS if smallest else FEWER, literals=smallest)
    codec = get(contender.protocol).bind(in_dialect, contender.path)
    running = contender_named(name).running
    with connect(codec.transport, running.address, codec.path) as client:
        result = verify(name, codec, client, dataset, workloads)
        if name in OF_THE_DOMAIN and (nobodys := unattended(dataset)):
            # A university without former students has no average age; no workload requests it.
            comparison = ReferenceComparison(name, codec, client, here.reference)
            agreed = comparison.compare(in_dialect.operations["qt16"], {"universityID": nobodys[0]})
            assert agreed is not None, comparison.findings
            assert agreed.refusal == "not_found"

    offered = {workload.operation for workload in workloads.values()}
    found = [str(it) for it in result.findings if it.operation in offered]
    assert found == []
    assert {plan.workload for plan in result.plans} == set(workloads)
    assert len(result.plans) == sum(workload.parameter_sets for workload in workloads.values())
