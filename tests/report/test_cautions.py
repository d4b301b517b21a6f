"""Threats to validity: each is found where it is, and none where nothing is wrong."""

import operator
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from wirelab.analysis import Analysis, analyse, lint
from wirelab.bundle import Bundle, Finding, RunRecord

from .synthetic import copy_of, edit_runs, write_bundle


def titles(analysis: Analysis) -> dict[str, str]:
    return {caution.title: caution.severity for caution in analysis.cautions}


def test_a_good_bundle_is_left_in_peace(analysis: Analysis) -> None:
    assert "serious" not in titles(analysis).values()


def set_busy(result: dict[str, Any]) -> None:
    result["engine"]["busy_share"] = 0.93


def set_lag(result: dict[str, Any]) -> None:
    result["offered_rate_per_s"] = 100.0
    result["latency_us"]["lag"]["p99"] = 5000.0


def set_little(result: dict[str, Any]) -> None:
    result["little_closure"] = 0.8


def set_failed(result: dict[str, Any]) -> None:
    result["counts"]["failed"] = 1


def set_steal(run: dict[str, Any]) -> None:
    run["steal_share"] = 0.04


def set_others(run: dict[str, Any]) -> None:
    run["context"]["other_share"] = 0.4


@pytest.mark.parametrize(
    ("file", "change", "found"),
    [
        ("result.json", set_busy, "serious: The load generator was busy"),
        ("result.json", set_lag, "serious: The load generator lagged behind its schedule"),
        ("result.json", set_little, "serious: Little's law does not close"),
        ("result.json", set_failed, "minor: Transactions failed in runs that count"),
        ("run.json", set_steal, "serious: Other guests took CPU time of the host (steal)"),
        ("run.json", set_others, "serious: Other programs used the machine"),
    ],
)
def test_trouble_in_a_single_run_is_found(
    bundle: Bundle,
    tmp_path: Path,
    file: str,
    change: Callable[[dict[str, Any]], None],
    found: str,
) -> None:
    spoiled = copy_of(bundle, tmp_path / "bundle")
    chosen = spoiled.run_records()[0].run.id
    edit_runs(spoiled, file, change, where=lambda record: record.run.id == chosen)

    details = {f"{c.severity}: {c.title}": c.detail for c in analyse(spoiled).cautions}

    assert "1 " in details[found]


def test_ticks_of_a_short_window_accuse_nobody(bundle: Bundle, tmp_path: Path) -> None:
    spoiled = copy_of(bundle, tmp_path / "bundle")
    chosen = spoiled.run_records()[0].run.id

    def shorten(result: dict[str, Any]) -> None:
        result["window"]["duration_s"] = 0.02

    edit_runs(spoiled, "run.json", set_others, where=lambda record: record.run.id == chosen)
    edit_runs(spoiled, "result.json", shorten, where=lambda record: record.run.id == chosen)

    analysis = analyse(spoiled)

    assert "Other programs used the machine" not in {c.title for c in analysis.cautions}
    assert analysis.conditions["other programs"].startswith("at most 0.4")


def scale(bundle: Bundle, factor: Callable[[RunRecord], float]) -> None:
    """Multiply every run's mean by a factor of its own."""
    for record in bundle.run_records():

        def stretch(result: dict[str, Any], by: float = factor(record)) -> None:
            result["latency_us"]["response"]["mean"] *= by

        edit_runs(bundle, "result.json", stretch, where=partial(operator.eq, record))


def test_drift_over_the_session_is_found(tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path / "bundle", blocks=8, requests=200, workloads=("fetch_one",))
    scale(bundle, lambda record: 1.1**record.run.block)

    found = next(c for c in analyse(bundle).cautions if "drifted" in c.title)

    assert "rank correlation 1.00" in found.detail


def test_a_twin_that_differs_from_itself_undoes_the_study(bundle: Bundle, tmp_path: Path) -> None:
    spoiled = copy_of(bundle, tmp_path / "bundle")
    scale(spoiled, lambda record: 1.2 if record.run.cell.twin else 1.0)

    analysis = analyse(spoiled)

    assert titles(analysis)["The method fails on this machine"] == "serious"
    assert not analysis.noise.check.reliable
    assert {item.rule: item.kept for item in lint(analysis)}[
        "The noise of the machine was measured (A/A)"
    ] is False


def test_few_blocks_and_few_samples_are_found(few: Bundle) -> None:
    analysis = analyse(few)

    assert titles(analysis)["Too few blocks for a verdict"] == "serious"
    assert "as few as 200 requests: p90, p95, p99 and p99.9 are" in next(
        c.detail for c in analysis.cautions if c.title.startswith("Few samples")
    )
    kept = {item.rule: item.kept for item in lint(analysis)}
    assert kept["Differences are stated by a test on independent runs"] is False
    assert kept["Tails are shown, where there are enough requests to know them"] is False


def test_runs_that_do_not_count_are_found_with_their_reason(faulty: Bundle) -> None:
    found = next(c for c in analyse(faulty).cautions if "not count" in c.title)

    assert found.title == "20 runs do not count"
    assert found.severity == "serious"
    assert found.detail.endswith("and 19 more like it")
    assert "busy 91 %" in found.detail


def test_an_unfinished_study_says_so(bundle: Bundle, tmp_path: Path) -> None:
    unfinished = copy_of(bundle, tmp_path / "bundle")
    for record in unfinished.run_records()[100:]:
        folder = unfinished.path / "runs" / record.folder_name
        folder.rename(folder.with_name(f".partial-{folder.name}"))

    analysis = analyse(unfinished)

    assert analysis.validity.missing == 44
    assert titles(analysis)["The study is not complete"] == "serious"
    assert {item.rule: item.kept for item in lint(analysis)}[
        "Every planned run is accounted for"
    ] is False


def test_what_verification_found_is_passed_on(bundle: Bundle, tmp_path: Path) -> None:
    refused = copy_of(bundle, tmp_path / "bundle")
    refused.write_findings(
        [
            Finding(severity="error", where="soap-lxml read /name", reason="differs"),
            Finding(severity="warning", where="rest-flask", reason="peculiar"),
        ]
    )

    found = {c.title: c for c in analyse(refused).cautions}

    assert found["Verification refused a contender"].severity == "serious"
    assert "soap-lxml read /name" in found["Verification refused a contender"].detail
    assert found["Verification found peculiarities"].severity == "minor"


def test_the_lint_is_clean_for_a_good_bundle(analysis: Analysis) -> None:
    assert [item.rule for item in lint(analysis) if not item.kept] == []
