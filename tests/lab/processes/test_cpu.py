"""Engine and system under test are kept apart."""

from pathlib import Path

import pytest

from tests.support.wording import assert_worded
from wirelab.lab.processes.cpu import CpuPlan, format_cpus, parse_cpus, plan_cpus, read_siblings

ALONE: dict[int, frozenset[int]] = {}
PAIRS = {cpu: frozenset({cpu % 4, cpu % 4 + 4}) for cpu in range(8)}


def test_two_cores_one_each() -> None:
    assert plan_cpus([0, 1], ALONE) == CpuPlan(engine=(1,), system=(0,))


def test_many_cores_the_last_for_the_engine() -> None:
    assert plan_cpus(range(4), ALONE) == CpuPlan(engine=(3,), system=(0, 1, 2))


def test_only_what_the_process_may_use() -> None:
    assert plan_cpus([2, 5, 7], ALONE) == CpuPlan(engine=(7,), system=(2, 5))


def test_the_engine_takes_a_core_with_both_its_threads() -> None:
    assert plan_cpus(range(8), PAIRS) == CpuPlan(engine=(3, 7), system=(0, 1, 2, 4, 5, 6))


def test_hyper_threads_of_one_core_are_divided_with_a_warning() -> None:
    plan = plan_cpus([0, 4], PAIRS)

    assert (plan.engine, plan.system) == ((4,), (0,))
    assert "only physical core" in plan.warning


def test_a_single_cpu_is_shared_with_a_warning() -> None:
    plan = plan_cpus([3], ALONE)

    assert plan.engine == plan.system == (3,)
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
