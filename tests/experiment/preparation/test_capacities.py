"""Rates from capacities: the same for all contenders of a place, below what the slowest can do."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tests.support.bundles.samples import create
from wirelab.bundle import Bundle, PilotRecord
from wirelab.errors import LabError
from wirelab.experiment.context import RunContext, StudyOutcome
from wirelab.experiment.events import Observer
from wirelab.experiment.preparation import capacities
from wirelab.experiment.preparation.capacities import find_capacities, pending_pilots
from wirelab.experiment.preparation.rates import Rates
from wirelab.experiment.study import resume_study, run_study
from wirelab.lab.errors import StoreError
from wirelab.lab.stores.store import Restored
from wirelab.planning.plan import PlannedStudy, plan_study
from wirelab.planning.schedule import Run, needs_pilot, schedule
from wirelab.study import Cell, OpenLoad, Study, load_study

CELL = Cell("rest-spring", "medium", "postgresql", "native", "arrivals")
OPEN = """
[load.half]
title = "half of what is possible"
kind = "constant"
share_of_capacity = 0.5
connections = 4
"""


@pytest.fixture(scope="module")
def sliwa() -> Study:
    return load_study("sliwa-2021")


def found(cell: Cell, throughput_per_s: float) -> PilotRecord:
    return PilotRecord(
        cell=cell,
        clients=50,
        transactions=1000,
        throughput_per_s=throughput_per_s,
        latency_mean_us=1e6,
    )


def rate_at(rates: Rates, *cells: Cell) -> float | None:
    load = rates.study_for(cells).loads[CELL.load]
    assert isinstance(load, OpenLoad)
    return load.rate_per_s


def test_all_contenders_of_a_place_get_the_share_of_the_smallest_capacity(sliwa: Study) -> None:
    slow = replace(CELL, contender="graphql-spring")
    rates = Rates.from_records(sliwa, [found(CELL, 900.0), found(slow, 301.4)])

    assert rate_at(rates, CELL) == rate_at(rates, slow) == 151.0
    assert rate_at(rates, replace(CELL, twin=True)) == 151.0


def test_places_do_not_share_a_rate(sliwa: Study) -> None:
    large = replace(CELL, workload="large")
    rates = Rates.from_records(sliwa, [found(CELL, 900.0), found(large, 20.0)])

    assert (rate_at(rates, CELL), rate_at(rates, large)) == (450.0, 10.0)


def test_a_closed_load_is_unchanged(sliwa: Study) -> None:
    assert Rates.from_records(sliwa, [found(CELL, 900.0)]).study_for([CLOSED]) == sliwa


CLOSED = replace(CELL, load="fifty-users")
CONTAINER = replace(CELL, environment="container")


@pytest.mark.parametrize(("beside", "rate_per_s"), [(CLOSED, 450.0), (CONTAINER, 151.0)])
def test_loads_that_are_compared_have_the_rate_of_the_slowest_place(
    sliwa: Study, beside: Cell, rate_per_s: float
) -> None:
    rates = Rates.from_records(sliwa, [found(CELL, 900.0), found(CONTAINER, 301.4)])

    for cells in ([CELL, beside], [beside, CELL]):
        assert rate_at(rates, *cells) == rate_per_s


def test_twins_and_closed_loads_need_no_pilot_and_the_estimate_counts_it(sliwa: Study) -> None:
    only = ("medium", "arrivals", "rest-spring")
    plan = schedule(sliwa, "open", 1, only)
    pilot_cells = [cell for cell in plan.cells if needs_pilot(sliwa, cell)]
    one_run = plan.estimated_seconds / (len(plan.runs) + 1)

    assert pilot_cells == [CELL]
    assert not needs_pilot(sliwa, CLOSED)
    assert one_run * len(plan.runs) < plan.estimated_seconds


def test_a_contender_that_joins_a_measured_group_changes_no_rate(sliwa: Study) -> None:
    late = replace(CELL, contender="graphql-spring")
    plan = schedule(sliwa, "open", 1, ("medium", "arrivals", "rest-spring", "graphql-spring"))
    records = [found(CELL, 900.0)]

    assert set(pending_pilots(sliwa, plan, [], ()).values()) == {CELL, late}
    assert list(pending_pilots(sliwa, plan, records, ()).values()) == [late]
    assert pending_pilots(sliwa, plan, records, {plan.blocks[0].id}) == {}
    assert set(pending_pilots(sliwa, plan, [], {plan.blocks[0].id}).values()) == {CELL, late}


@dataclass
class Ending:
    """A laboratory whose only store ends during some pilots: True in the script."""

    script: list[bool]
    restarted: list[str] = field(default_factory=list)
    has_ended: bool = False

    @property
    def stores(self) -> "Ending":
        return self

    def why_failed(self) -> dict[str, str]:
        return {"postgresql": "it ended"} if self.has_ended else {}

    def restart(self, store: str) -> Restored:
        self.has_ended = False
        self.restarted.append(store)
        return Restored(None, copied=True, seconds=0.1)  # type: ignore[arg-type]

    def measure(self, _: RunContext, run: Run, folder: Path) -> PilotRecord:
        self.has_ended = self.script.pop(0)
        if self.has_ended:
            raise StoreError("the store ended")
        return found(run.cell, 900.0)


def context_of(
    sliwa: Study, folder: Path, laboratory: Ending, monkeypatch: pytest.MonkeyPatch
) -> RunContext:
    """Return what is known before two capacities are measured."""
    monkeypatch.setattr(capacities, "measure_capacity", laboratory.measure)
    plan = schedule(sliwa, "open", 1, ("medium", "arrivals", "rest-spring", "graphql-spring"))
    planned = PlannedStudy(sliwa, None, {}, plan)  # type: ignore[arg-type]
    bundle = create(folder / "bundle", blocks=1)
    return RunContext(planned, bundle, laboratory, Observer(), StudyOutcome(bundle))  # type: ignore[arg-type]


def test_a_store_that_ends_during_a_pilot_costs_one_attempt(
    sliwa: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laboratory = Ending([True, False, False])
    context = context_of(sliwa, tmp_path, laboratory, monkeypatch)

    find_capacities(context, ())

    assert laboratory.restarted == ["postgresql"]
    assert context.unusable == {}
    assert len(context.bundle.pilot_records) == 2


def test_a_store_that_ends_twice_during_a_pilot_costs_no_capacity_found_before(
    sliwa: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = context_of(sliwa, tmp_path, Ending([False, True, True]), monkeypatch)

    with pytest.raises(LabError, match="the store ended"):
        find_capacities(context, ())

    assert len(context.bundle.pilot_records) == 1


def test_a_pilot_comes_before_the_blocks_and_stays_in_the_bundle(study: Path) -> None:
    text = (study / "study.toml").read_text()
    (study / "study.toml").write_text(text.replace("[design.smoke]", f"{OPEN}\n[design.smoke]"))
    planned = plan_study(study, "smoke", 1, ("good", "half"))
    folder = study.parent / "bundle"

    outcome = run_study(planned, folder, observer=Observer())

    (record,) = outcome.bundle.pilot_records
    assert (record.cell.contender, record.clients) == ("good", 4)
    assert outcome.bundle.check() == []
    runs = outcome.bundle.metrics()
    assert runs.drop_duplicates(["block", "twin"]).shape[0] == 4
    assert set(runs["offered_rate_per_s"]) == {float(f"{record.throughput_per_s / 2:.3g}")}
    events = [event["event"] for event in Bundle.open(folder).events()]
    assert "verified" in events

    resume_study(folder, observer=Observer())
    assert Bundle.open(folder).pilot_records == [record]
