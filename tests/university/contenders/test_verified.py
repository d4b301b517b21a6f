"""The laboratory's own verification, over what the generator makes, finds nothing wrong."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from tests.support.standing import started_once
from tests.university.contenders.standing import (
    ALL_CONTENDERS,
    CONTENDERS,
    OF_THE_DOMAIN,
    ONE_OF_EACH_STACK,
    UNIVERSITY,
    VARIANTS,
    standing,
)
from wirelab.domain.dataset import Dataset
from wirelab.domain.reference import load_reference
from wirelab.lab.store import Database
from wirelab.lab.stores import open_store
from wirelab.protocol.client import connect
from wirelab.protocol.registry import get
from wirelab.verify import verify
from wirelab.verify.comparison import Comparison

Filled = Callable[[str], tuple[Database, Dataset]]

SETS = {"scale_1": 3}
"""Number of parameter sets for each query, by state."""
FEWER = 2
"""Their number in the other states, with the same resolvers."""
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
    for state in ("scale_1", "scale_5", "scale_5_indexed"):
        for name in (*CONTENDERS, *WITH_OTHER_ANSWERS):
            reason = ""
            if state == "scale_5_indexed":
                reason = "the same rows and answers, found by another way"
            elif state == "scale_5" and name not in ONE_OF_EACH_STACK:
                reason = "the same resolvers as at scale factor 1"
            marks = [pytest.mark.thorough(reason=reason)] if reason else []
            yield pytest.param(state, name, SETS.get(state, FEWER), marks=marks)


@contextmanager
def filled(state: str, folder: Path) -> Iterator[tuple[Database, Dataset]]:
    """Fill a store with the rows of a state."""
    folder.mkdir()
    rows = Dataset.generate(UNIVERSITY, UNIVERSITY.states[state].records, 0, folder)
    with open_store("postgresql", log_path=folder / "log") as store:
        store.prepare(UNIVERSITY, state, rows)
        yield store.restore(state, "tests").database, rows


@pytest.fixture(scope="module")
def filled_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    """Filled stores by state, each filled when first asked for."""
    folder = tmp_path_factory.mktemp("generated")
    with started_once(lambda state: filled(state, folder / state)) as named:
        yield named


def unattended(rows: Dataset) -> list[int]:
    """Return the universities at which no current graduate student has studied."""
    attended = {row["undergraduateDegreeFrom"] for row in rows.tables["graduatestudent"]}
    return sorted({row["nr"] for row in rows.tables["university"]} - attended)


@pytest.mark.slow
@pytest.mark.parametrize(("state", "name", "sets"), list(cases()))
def test_nothing_is_found(
    state: str, name: str, sets: int, filled_once: Filled, tmp_path: Path
) -> None:
    store, rows = filled_once(state)
    contender = ALL_CONTENDERS[name]
    in_dialect = UNIVERSITY.in_dialect(contender.dialect)
    offered = [each for each, it in in_dialect.operations.items() if it.bindings]
    workloads = {each: Workload(each, sets) for each in offered}
    # Literals are other texts of the same queries, so one of each shows how its values are written.
    workloads |= {f"{each} with literals": Workload(each, 1, inline=True) for each in offered}
    codec = get(contender.protocol).bind(in_dialect, contender.path)
    with (
        standing(contender, store, tmp_path / "log") as running,
        connect(codec.transport, running.running.address, codec.path) as client,
    ):
        result = verify(name, codec, client, replace(rows, domain=in_dialect), workloads)
        if name in OF_THE_DOMAIN and (nobodys := unattended(rows)):
            # A university without former students has no average age; no workload requests it.
            comparison = Comparison(name, codec, client, load_reference(in_dialect, rows))
            agreed = comparison.compare(in_dialect.operations["qt16"], {"universityID": nobodys[0]})
            assert agreed is not None, comparison.findings
            assert agreed.refusal == "not_found"

    not_offered = in_dialect.operations.keys() - set(offered)
    found = [str(it) for it in result.findings if it.operation not in not_offered]
    assert found == []
    assert {plan.workload for plan in result.plans} == set(workloads)
    assert len(result.plans) == (sets + 1) * len(offered)
