"""Engine and system under test are kept apart."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.support.wording import assert_worded
from wirelab.lab.processes.cpu import CpuPlan, format_cpus, parse_cpus, plan_cpus, read_siblings

ALONE: dict[int, frozenset[int]] = {}
PAIRS = {cpu: frozenset({cpu % 4, cpu % 4 + 4}) for cpu in range(8)}


@pytest.mark.parametrize(
    ("usable", "siblings", "plan"),
    [
        ([0, 1], ALONE, CpuPlan(engine=(1,), system=(0,))),
        (range(4), ALONE, CpuPlan(engine=(3,), system=(0, 1, 2))),
        ([2, 5, 7], ALONE, CpuPlan(engine=(7,), system=(2, 5))),
        (range(8), PAIRS, CpuPlan(engine=(3, 7), system=(0, 1, 2, 4, 5, 6))),
    ],
    ids=["two", "many", "only usable ones", "both threads"],
)
def test_the_last_core_is_the_engines(
    usable: Sequence[int], siblings: Mapping[int, frozenset[int]], plan: CpuPlan
) -> None:
    assert plan_cpus(usable, siblings) == plan


@pytest.mark.parametrize(
    ("usable", "siblings", "engine", "system"), [([0, 4], PAIRS, 4, 0), ([3], ALONE, 3, 3)]
)
def test_what_one_core_must_share_has_a_warning(
    usable: Sequence[int], siblings: Mapping[int, frozenset[int]], engine: int, system: int
) -> None:
    plan = plan_cpus(usable, siblings)

    assert (plan.engine, plan.system) == ((engine,), (system,))
    assert_worded(plan.warning)


@pytest.mark.parametrize(
    ("text", "cpus"), [("0", (0,)), ("0-3", (0, 1, 2, 3)), ("0,2-3,8\n", (0, 2, 3, 8)), ("", ())]
)
def test_the_kernels_notation(text: str, cpus: tuple[int, ...]) -> None:
    assert parse_cpus(text) == cpus
    assert parse_cpus(format_cpus(cpus)) == cpus


def test_siblings_are_read_from_the_kernel(tmp_path: Path) -> None:
    topology = tmp_path / "cpu0" / "topology"
    topology.mkdir(parents=True)
    (topology / "thread_siblings_list").write_text("0,4\n")

    assert read_siblings([0, 1], tmp_path) == {0: frozenset({0, 4}), 1: frozenset({1})}
