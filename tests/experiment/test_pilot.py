"""Rates from capacities: the same for all contenders of a place, below what the slowest can do."""

from dataclasses import replace
from pathlib import Path

import pytest

from wirelab.bundle import Bundle, PilotRecord
from wirelab.experiment import Observer, plan_study, resume_study, run_study
from wirelab.experiment.pilot import Rates
from wirelab.schedule import needs_pilot, schedule
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


def rate_at(rates: Rates, cell: Cell) -> float | None:
    load = rates.study_for([cell]).loads[cell.load]
    assert isinstance(load, OpenLoad)
    return load.rate_per_s


def test_all_contenders_of_a_place_get_the_share_of_the_smallest_capacity(sliwa: Study) -> None:
    slow = replace(CELL, contender="graphql-spring")
    rates = Rates.of(sliwa, [found(CELL, 900.0), found(slow, 301.4)])

    assert rate_at(rates, CELL) == rate_at(rates, slow) == 151.0
    assert rate_at(rates, replace(CELL, twin=True)) == 151.0


def test_places_do_not_share_a_rate(sliwa: Study) -> None:
    large = replace(CELL, workload="large")
    rates = Rates.of(sliwa, [found(CELL, 900.0), found(large, 20.0)])

    assert (rate_at(rates, CELL), rate_at(rates, large)) == (450.0, 10.0)


def test_a_closed_load_stays_as_it_is(sliwa: Study) -> None:
    closed = replace(CELL, load="fifty-users")

    assert Rates.of(sliwa, [found(CELL, 900.0)]).study_for([closed]) == sliwa


def test_every_load_of_a_group_gets_its_rate(sliwa: Study) -> None:
    closed = replace(CELL, load="fifty-users")

    for cells in ([CELL, closed], [closed, CELL]):
        load = Rates.of(sliwa, [found(CELL, 900.0)]).study_for(cells).loads[CELL.load]
        assert isinstance(load, OpenLoad)
        assert load.rate_per_s == 450.0


def test_places_that_are_compared_have_the_rate_of_the_slowest(sliwa: Study) -> None:
    container = replace(CELL, environment="container")
    rates = Rates.of(sliwa, [found(CELL, 900.0), found(container, 301.4)])

    for cells in ([CELL, container], [container, CELL]):
        load = rates.study_for(cells).loads[CELL.load]
        assert isinstance(load, OpenLoad)
        assert load.rate_per_s == 151.0


def test_twins_and_closed_loads_need_no_pilot_and_the_estimate_counts_it(sliwa: Study) -> None:
    only = ("medium", "arrivals", "rest-spring")
    plan = schedule(sliwa, "open", 1, only)
    asked = [cell for cell in plan.cells if needs_pilot(sliwa, cell)]
    one_run = plan.estimated_seconds / (len(plan.runs) + 1)

    assert asked == [CELL]
    assert not needs_pilot(sliwa, replace(CELL, load="fifty-users"))
    assert one_run * len(plan.runs) < plan.estimated_seconds


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
