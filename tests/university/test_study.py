"""The study lingbm-2022 from its files to a report, in a design of the test's own: real servers,
a mix, several clients, another pool, and a generic server, over the smallest data.
"""

import shutil
from collections import Counter
from itertools import accumulate

import pandas as pd
import pytest

from wirelab.analysis import analyse
from wirelab.domain_file import load_domain
from wirelab.errors import MissingProgramError
from wirelab.experiment.context import StudyOutcome
from wirelab.experiment.events import Observer
from wirelab.experiment.study import run_study
from wirelab.lab.contenders.build import build
from wirelab.lab.contenders.contender import load_contenders
from wirelab.lab.errors import BuildError
from wirelab.planning.plan import plan_study
from wirelab.report import render_html
from wirelab.study import find_study

TINY = """
[design.tiny]
summary = "a little of everything"
blocks = 1
warm_up = { repetitions = 1 }
slices = { permutations = 2, repetitions = 1 }
data = { state = "scale_1", instances = 2 }

[design.tiny.experiment.mixed]
title = "E1"
where.contender = ["graphql-node-naive", "graphql-node-batching"]
where.workload = "mixed"
where.load = "one-client"

[design.tiny.experiment.clients]
title = "E5"
where.contender = "graphql-node-batching"
where.workload = "qt11_clients"
where.load = ["one-client", "two-clients"]
together = ["load"]
slices = { permutations = 2, milliseconds = 100 }

[design.tiny.experiment.pool]
title = "E5, another pool"
where.contender = "graphql-node-batching-pool-2"
where.workload = "qt11_clients"
where.load = "two-clients"
separate = true
window = { seconds = 0.4 }

[design.tiny.experiment.generic]
title = "E6"
where = { contender = "graphql-postgraphile", workload = "qt1", load = "one-client" }

[design.paper]
"""
TIMES = {"start_ns": 1, "end_ns": -1}
"""By column: what each does to the number of requests under way. They count from their slice on."""
CONTENDERS = ["graphql-node-naive", "graphql-node-batching-pool-2", "graphql-postgraphile"]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> StudyOutcome:
    folder = tmp_path_factory.mktemp("lingbm")
    known = load_contenders(load_domain("university"))
    try:
        for name in CONTENDERS:
            build(known[name], folder / "build.log")
    except (BuildError, MissingProgramError) as error:
        pytest.skip(f"a server cannot be built here: {error}")
    study = folder / "study"
    shutil.copytree(find_study("lingbm-2022"), study)
    file = study / "study.toml"
    file.write_text(file.read_text().replace("\n[design.paper]\n", TINY, 1))
    return run_study(plan_study(study, "tiny", 1), folder / "bundle", observer=Observer())


def samples(outcome: StudyOutcome, contender: str, workload: str, load: str) -> pd.DataFrame:
    """Return what was sent in the run of one cell, in the order of its beginning."""
    (run,) = (
        each.run
        for block in outcome.bundle.last_attempts()
        for each in block.runs
        if not each.run.cell.twin
        and (each.run.cell.contender, each.run.cell.workload, each.run.cell.load)
        == (contender, workload, load)
    )
    return outcome.bundle.samples(run.id).sort_values(["slice", "start_ns"])


def sent_queries(outcome: StudyOutcome, contender: str) -> list[tuple[str, int]]:
    """Return the queries of the mixed workload in their order."""
    sent = samples(outcome, contender, "mixed", "one-client")
    return list(zip(sent["operation"].astype(str), sent["parameter_set"], strict=True))


def in_flight(sent: pd.DataFrame) -> int:
    """Return how many requests of a slice were under way at one time at most."""
    most = 0
    for _, turn in sent.groupby("slice"):
        began, ended = ([(at, by) for at in turn[name]] for name, by in TIMES.items())
        most = max(most, *accumulate(change for _, change in sorted([*began, *ended])))
    return most


def test_all_of_it_runs_and_every_answer_is_correct(outcome: StudyOutcome) -> None:
    bundle = outcome.bundle
    measured = [(block, run) for block in bundle.last_attempts() for run in block.runs]
    cells = {
        (run.run.cell.registration, run.run.cell.workload, run.run.cell.load) for _, run in measured
    }

    assert (outcome.refused, outcome.interrupted) == ([], False)
    assert [block.failures for block in bundle.last_attempts() if block.failures] == []
    counts = [bundle.result(block, run).counts for block, run in measured]
    assert all(count.succeeded == count.transactions > 0 for count in counts)
    assert cells == {
        ("graphql-node-naive", "mixed", "one-client"),
        ("graphql-node-naive~twin", "mixed", "one-client"),
        ("graphql-node-batching", "mixed", "one-client"),
        ("graphql-node-batching", "qt11_clients", "one-client"),
        ("graphql-node-batching", "qt11_clients", "two-clients"),
        ("graphql-node-batching-pool-2", "qt11_clients", "two-clients"),
        ("graphql-postgraphile", "qt1", "one-client"),
    }
    assert bundle.check() == []


def test_a_mix_sends_every_query_equally_often_in_one_order_for_all(outcome: StudyOutcome) -> None:
    naive = sent_queries(outcome, "graphql-node-naive")
    times = Counter(naive)

    assert {operation for operation, _ in times} == {f"qt{number}" for number in range(1, 17)}
    assert set(times.values()) == {2}
    half = len(naive) // 2
    assert naive[:half] == naive[half:]
    assert naive[:half] != sorted(naive[:half])
    assert sent_queries(outcome, "graphql-node-batching") == naive


@pytest.mark.parametrize(("load", "clients"), [("one-client", 1), ("two-clients", 2)])
def test_the_number_of_clients_is_that_of_the_load(
    outcome: StudyOutcome, load: str, clients: int
) -> None:
    sent = samples(outcome, "graphql-node-batching", "qt11_clients", load)

    assert in_flight(sent) == clients


def test_an_experiment_defines_how_long_its_cells_are_measured(outcome: StudyOutcome) -> None:
    sent = samples(outcome, "graphql-postgraphile", "qt1", "one-client")

    assert Counter(sent["parameter_set"]) == {0: 2, 1: 2}  # two permutations of one each
    swept = samples(outcome, "graphql-node-batching-pool-2", "qt11_clients", "two-clients")
    assert 0.2e9 < swept["start_ns"].max() - swept["start_ns"].min() < 1.5e9


def test_another_pool_is_another_contender_and_is_reported_as_one(outcome: StudyOutcome) -> None:
    settings = {
        name: contender.settings["pool_size"]
        for name, contender in outcome.bundle.contenders.items()
    }

    assert settings["graphql-node-batching-pool-2"] == 2
    assert settings["graphql-node-batching"] == 10


def test_the_report_draws_measured_beside_published_values(outcome: StudyOutcome) -> None:
    analysis = analyse(outcome.bundle)
    drawn = {each.chart.source: each for each in analysis.figures.charts}
    page = render_html(analysis)

    assert {"Section 6.2.1", "Figure 10c", "Figure 11"} <= set(drawn)
    mixed = {point.series: point for point in drawn["Section 6.2.1"].points}
    assert sorted(round(p.published or 0, 3) for p in mixed.values()) == [0.333, 1.215]
    clients = [point.x for point in drawn["Figure 10c"].points]
    assert sorted(map(float, filter(None, clients))) == [1, 2]
    assert drawn["Figure 10c"].published_as == ""
    assert "Figure 10c: QT11" in page
