"""What reports say about the baseline's twin: its scatter, and how much it differs."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.report.circumstances import Circumstances
from tests.report.small import detail, titles, write_small
from tests.report.synthetic import copy_of, stretch
from wirelab.analysis import Analysis, analyse, lint
from wirelab.analysis.cautions.twins import twin_cautions
from wirelab.bundle import Bundle, RunRecord


def test_the_scatter_of_a_twin_is_not_that_of_the_baseline(three: Bundle, tmp_path: Path) -> None:
    spoiled = copy_of(three, tmp_path / "bundle")

    def factor(run: RunRecord) -> float:
        is_baseline = run.run.cell.contender == "rest-flask"
        return 3.0 if is_baseline and run.run.block == (2 if run.run.cell.twin else 5) else 1.0

    stretch(spoiled, factor)

    found = detail(analyse(spoiled), "Starts of the same server differ a lot")

    assert re.search(r": REST at “Fetch one game” \([^;]+; block 5 took", found)
    assert re.search(r"; REST \(twin\) at “Fetch one game” \([^;]+; block 2 took", found)


def test_a_baseline_that_differs_from_its_twin_is_serious(tmp_path: Path) -> None:
    spoiled = write_small(tmp_path, workloads=("fetch_one", "insert_one"))
    stretch(spoiled, lambda run: 1.2 if run.run.cell.twin else 1.0)

    analysis = analyse(spoiled)

    assert titles(analysis)["The method fails on this machine"] == "serious"
    assert detail(analysis, "The method fails on this machine").endswith("and measure again")
    assert (analysis.noise.check.false_positives, analysis.noise.check.comparisons) == (2, 2)
    assert not analysis.noise.check.reliable
    assert {item.rule: item.kept for item in lint(analysis)}[
        "The resolution of the settings was measured (A/A)"
    ] is False


@pytest.mark.parametrize(
    ("baseline", "remedy"),
    [
        ("rest-flask", "remove twins = false from the experiments of the design"),
        ("grpc", "measure the baseline, grpc, too, since the twin repeats it"),
    ],
)
def test_without_a_twin_a_report_says_how_to_get_one(
    analysis: Analysis, baseline: str, remedy: str
) -> None:
    noise = replace(analysis.noise, resolutions=())
    titles = {run.cell: "Fetch one game" for run in analysis.schedule.runs}

    (caution,) = twin_cautions(noise, titles, baseline)

    assert caution.title == "No twin was measured"
    assert caution.detail.endswith(f" is unknown. What to do: {remedy}")


def test_one_difference_between_baseline_and_twin_may_be_chance(
    three: Bundle, tmp_path: Path
) -> None:
    spoiled = copy_of(three, tmp_path / "bundle")
    stretch(spoiled, lambda run: 1.2 if run.run.cell.twin else 1.0)

    analysis = analyse(spoiled)

    title = "The baseline differs significantly from its twin"
    assert titles(analysis)[title] == "minor"
    assert analysis.noise.check.reliable
    assert re.fullmatch(
        r"1 of 1 twin \(at “Fetch one game” by \+\d\d\s% \[\+\d\d\s%, \+\d\d\s%\]\); by chance"
        r" alone, at least one does so in 5\.0\s% of such studies\. What to do: measure again; a"
        r" difference that recurs is not chance",
        detail(analysis, title),
    )


def test_a_twin_that_differs_by_less_than_the_margin_is_within_it(tmp_path: Path) -> None:
    spoiled = write_small(tmp_path, Circumstances(start_noise=0.001))
    stretch(spoiled, lambda run: 0.98 if run.run.cell.twin else 1.0)

    found = detail(analyse(spoiled), "The baseline differs significantly from its twin")

    change = r"−[\d.]+\s%"
    assert re.search(
        rf" by {change} \[{change}, {change}\], within the margin of ±5\.0\s%\);", found
    )


def test_the_chance_of_a_false_alarm_is_that_of_all_twins(analysis: Analysis) -> None:
    found = detail(analysis, "The baseline differs significantly from its twin")

    assert found.startswith("1 of 4 twins (")
    assert " in 19\u00a0% of such studies. What to do: " in found
