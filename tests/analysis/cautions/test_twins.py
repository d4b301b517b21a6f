"""What reports say about the baseline's twin: its scatter, and how much it differs."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.bundles.circumstances import Circumstances
from tests.support.bundles.small import broken_rules, stretched, the, write_small
from tests.support.bundles.synthetic import stretch
from tests.support.wording import assert_worded
from wirelab.analysis import analyse
from wirelab.analysis.analysing import evidence_of
from wirelab.analysis.cautions.scatter import StartsDiffer
from wirelab.analysis.cautions.twins import MethodFails, NoTwin, TwinDiffers, twins
from wirelab.bundle import Bundle, RunRecord


def test_the_scatter_of_a_twin_is_not_that_of_the_baseline(three: Bundle, tmp_path: Path) -> None:
    def factor(run: RunRecord) -> float:
        is_baseline = run.run.cell.contender == "rest-flask"
        return 3.0 if is_baseline and run.run.block == (2 if run.run.cell.twin else 5) else 1.0

    own, twin = the(StartsDiffer, stretched(three, tmp_path, factor)).places

    assert (own.label, twin.label) == ("REST", "REST (twin)")
    assert "block 5 took" in own.figures
    assert "block 2 took" in twin.figures


def test_a_baseline_that_differs_from_its_twin_is_serious(tmp_path: Path) -> None:
    spoiled = write_small(tmp_path, workloads=("fetch_one", "insert_one"))
    stretch(spoiled, lambda run: 1.2 if run.run.cell.twin else 1.0)

    analysis = analyse(spoiled)

    found = the(MethodFails, analysis)
    assert (found.severity, found.differing, found.twins) == ("serious", 2, 2)
    assert (analysis.noise.check.false_positives, analysis.noise.check.comparisons) == (2, 2)
    assert not analysis.noise.check.reliable
    assert_worded(broken_rules(analysis))


@pytest.mark.parametrize(("baseline", "is_measured"), [("rest-flask", True), ("grpc", False)])
def test_a_study_without_a_twin_does_not_know_what_it_resolves(
    three: Bundle, baseline: str, is_measured: bool
) -> None:
    evidence = evidence_of(three)
    study = evidence.study.model_copy(update={"baseline": baseline})
    noise = replace(evidence.noise, resolutions=())

    assert list(twins(replace(evidence, study=study, noise=noise))) == [
        NoTwin(baseline, is_measured)
    ]


def test_one_difference_between_baseline_and_twin_may_be_chance(
    three: Bundle, tmp_path: Path
) -> None:
    analysis = stretched(three, tmp_path, lambda run: 1.2 if run.run.cell.twin else 1.0)

    found = the(TwinDiffers, analysis)
    assert (found.severity, found.twins) == ("minor", 1)
    ((setting, twin),) = found.differing
    assert setting == "Fetch one game"
    assert twin.interval95 is not None
    assert twin.interval95.low > 1
    assert analysis.noise.check.reliable


def test_a_twin_that_differs_by_less_than_the_margin_is_within_it(tmp_path: Path) -> None:
    spoiled = write_small(tmp_path, Circumstances(start_noise=0.001))
    stretch(spoiled, lambda run: 0.98 if run.run.cell.twin else 1.0)

    found = the(TwinDiffers, analyse(spoiled))

    ((_, twin),) = found.differing
    assert found.margin_ratio == 0.05
    assert 1 / 1.05 < twin.ratio < 1.05


def test_all_twins_count_for_the_chance_of_a_false_alarm(tmp_path: Path) -> None:
    workloads = ("insert_one", "fetch_one", "fetch_hundred", "control")
    spoiled = write_small(tmp_path, workloads=workloads)
    stretch(
        spoiled,
        lambda run: 1.2 if run.run.cell.twin and run.run.cell.workload == "fetch_one" else 1.0,
    )

    found = the(TwinDiffers, analyse(spoiled))

    assert (len(found.differing), found.twins) == (1, 4)
