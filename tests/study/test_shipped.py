"""Designs of shipped studies: they take as long as they say, and allow verdicts."""

import pytest

from wirelab.analysis.comparing import method_of
from wirelab.planning.plan import plan_study
from wirelab.study import family, load_study


@pytest.mark.parametrize(
    ("name", "design", "minutes"),
    [
        ("kaminski-2022", "smoke", 4.5),
        ("lingbm-2022", "smoke", 10.3),
        ("muppaneni", "smoke", 6),
        ("muppaneni", "replication", 150),
        ("muppaneni", "connections", 35),
        ("quina-mera-2025", "smoke", 10.3),
        ("sliwa-2021", "smoke", 5),
        ("sliwa-2021", "replication", 100),
        ("sliwa-2021", "open", 28),
    ],
)
def test_a_design_keeps_within_its_time_and_allows_verdicts(
    name: str, design: str, minutes: float
) -> None:
    plan = plan_study(name, design, 1).schedule

    assert min(plan.repetitions.values()) >= method_of(plan, load_study(name).metric).least_blocks
    assert plan.estimated_seconds < 60 * minutes
    assert family(load_study(name), plan.cells)
