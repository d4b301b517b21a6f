"""What contenders sustain, in a report: verdicts by it, overload, all forms of the report."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from wirelab.analysis import Analysis, analyse
from wirelab.analysis.answers import sentences
from wirelab.analysis.matrix import matrix_of
from wirelab.analysis.synopsis import synopsis_of
from wirelab.browse.glance import glance_at
from wirelab.bundle import Bundle
from wirelab.report import render_html, render_markdown, terminal_view, to_csv, to_json
from wirelab.report.sustained import sustained_views

from .models import models_of
from .synthetic import edit_runs, write_bundle

RATES = {"rest-flask": 500.0, "graphql-graphene": 250.0, "grpc-grpcio": 800.0}
GOALS = [(0.5, 990.0, 1010.0), (0.05, 900.0, 920.0)]
UNFINISHED: dict[str, tuple[float | None, float | None]] = {
    "graphql-graphene": (240.0, 280.0),
    "grpc-grpcio": (None, None),
}
"""The contenders whose search ran out of time, and the bounds for the second goal until then."""


def trial(rate: int, *, good: int, errors: dict[str, int]) -> dict[str, Any]:
    """Make a trial of a second."""
    judged = {"due": rate, "good": good, "loss_ratio": 1 - good / rate, "is_kept": not errors}
    return {
        "rate_per_s": rate,
        "seconds": 1.0,
        "judged": judged,
        "p99_us": 1000.0,
        "failed": sum(errors.values()),
        "never_sent": rate // 5,
        "errors": errors,
    }


def with_capacity(content: dict[str, Any]) -> None:
    """Write into a run what a contender sustains: a little more in each block."""
    cell, block = content["run"]["cell"], content["run"]["block"]
    rate = RATES[cell["contender"]] * (1 + block / 500)
    asked = trial(round(2 * rate), good=round(0.6 * rate), errors={"timeout": 150, "status": 250})
    content["capacity"] = {
        "objective": "p99<50ms",
        "rate_per_s": rate,
        "trials": [trial(round(rate), good=round(rate), errors={})],
        "overload": [{"times": 2.0, "trial": asked, "recovery_s": 0.4 if block > 3 else None}],
        "ended": "it was killed" if cell["contender"] == "grpc-grpcio" and block == 6 else "",
        "search": None if block > 1 or cell["twin"] else _search(UNFINISHED.get(cell["contender"])),
    }


def _search(unfinished: tuple[float | None, float | None] | None) -> dict[str, Any]:
    """Make a search; of an unfinished one, these are the bounds for the second goal so far."""
    goals: list[dict[str, Any]] = [
        {
            "exceed_ratio": ratio,
            "lower_per_s": low,
            "upper_per_s": high,
            "throughput_per_s": low,
            "outcome": "found",
        }
        for ratio, low, high in GOALS
    ]
    if unfinished is not None:
        low_so_far, high_so_far = unfinished
        goals[1] |= {
            "lower_per_s": low_so_far,
            "upper_per_s": high_so_far,
            "throughput_per_s": None,
            "outcome": "unfinished",
        }
    return {
        "format": "wirelab-capacity/1",
        "interrupted": False,
        "out_of_time": unfinished is not None,
        "url": "",
        "load": "",
        "objective": "p99<50ms",
        "allowed_loss_ratio": 0.01,
        "trial_s": 1.0,
        "duration_sum_s": 21.0,
        "seed": 1,
        "seconds": 30.0,
        "ladder": [],
        "goals": goals,
        "trials": [],
        "change": 1.0,
        "warnings": ["the engine was busy"],
    }


def write_capacities(folder: Path) -> Bundle:
    """Fabricate six blocks of the design that asks for capacities."""
    bundle = write_bundle(
        folder,
        requests=300,
        design="capacity",
        workloads=("fetch_one",),
        loads=("sustained",),
        models=models_of(*RATES),
    )
    edit_runs(bundle, with_capacity)
    return bundle


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """What such a bundle says."""
    return analyse(write_capacities(tmp_path_factory.mktemp("capacity") / "bundle"))


def test_contenders_are_judged_by_what_they_sustain(found: Analysis) -> None:
    (setting,) = found.settings
    verdicts = {
        row.summary.cell.contender: row.against_baseline.verdict.words
        for row in setting.rows
        if row.against_baseline and row.against_baseline.verdict
    }

    assert [row.summary.label for row in setting.rows] == ["gRPC", "REST", "GraphQL"]
    assert verdicts == {"grpc-grpcio": "clearly more", "graphql-graphene": "clearly less"}
    (answer,) = (it for it in sentences(found) if it.decided)
    assert answer.sentence.startswith("To fetch one game, gRPC sustains most (806/s")
    assert "1.60× the rate of REST" in answer.sentence
    assert found.noise.largest is not None  # by the twin, as with any metric


def test_the_matrix_shows_rates_and_signs_that_point_up_for_more(found: Analysis) -> None:
    matrix = matrix_of(found)
    cells = {cell.column.contender: cell for row in matrix.judged for cell in row.cells}

    assert cells["rest-flask"].shown == "503/s"
    assert cells["grpc-grpcio"].words == "1.60 times as much"
    assert dict(matrix.legend)["▲"] == "clearly more"
    (more, less) = (
        tally
        for tally in glance_at(synopsis_of(found)).tallies
        if tally.words.endswith("ly more") or tally.words.endswith("ly less")
    )
    assert {(it.sign, it.style) for it in (more, less)} == {("▲", "good"), ("▼", "bad")}


def test_overload_is_summed_up(found: Analysis) -> None:
    rest = next(
        row.summary.sustained for row in found.settings[0].rows if row.summary.label == "REST"
    )

    assert rest is not None
    assert rest.strict_per_s == (900.0, 920.0)
    (twice,) = rest.overload
    assert twice.good_share == pytest.approx(0.6, rel=0.01)
    assert twice.failed == ("status", "timeout")
    assert twice.failed_share == pytest.approx(0.4, rel=0.01)
    assert twice.never_sent_share == pytest.approx(0.2, rel=0.01)
    assert twice.recovery_s is None  # in three of six blocks it was not itself again
    cautions = {it.title: it.detail for it in found.cautions}
    assert "it was killed" in cautions["A contender stopped under overload"]
    assert "the engine was busy" in cautions["A capacity search gave a warning"]


def test_bounds_of_a_search_that_ran_out_of_time_are_called_so(found: Analysis) -> None:
    (view,) = sustained_views(found)
    shown = {row[0]: row[-1] for row in view.rows}
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(terminal_view(found))
    (caution,) = (it for it in found.cautions if it.title == "A capacity search ran out of time")

    assert shown == {
        "REST": "900 to 920",
        "GraphQL": "240 to 280 so far",
        "gRPC": "none so far",
    }
    for form in (render_html(found), render_markdown(found), console.export_text()):
        assert "240 to 280 so far" in form
        assert caution.title in form
    assert "GraphQL" in caution.detail
    assert "gRPC" in caution.detail
    assert "REST" not in caution.detail
    rows = json.loads(to_json(found))["settings"][0]["rows"]
    outcomes = {
        row["summary"]["label"]: row["summary"]["sustained"]["strict_outcome"] for row in rows
    }
    assert outcomes == {"REST": "found", "GraphQL": "unfinished", "gRPC": "unfinished"}


def test_the_time_of_trials_is_not_called_that_of_starts(found: Analysis) -> None:
    assert found.efforts == ()
    assert "time of a block" not in found.conditions


def test_all_forms_of_the_report_have_it(found: Analysis) -> None:
    (view,) = sustained_views(found)
    page, text = render_html(found), render_markdown(found)

    assert view.rows[0][0] == "gRPC"
    assert view.rows[1][-1] == "900 to 920"
    assert view.overload[0][-1] == "not in 10 s"
    for form in (page, text):
        assert "900 to 920" in form
        assert "not in 10 s" in form
    assert "rate relative" in page
    assert "time relative" not in page
    rows = to_csv(found).splitlines()
    assert float(
        dict(zip(*(row.split(",") for row in rows[:2]), strict=True))["capacity_per_s"]
    ) == pytest.approx(805.6, abs=2)
    summaries = [row["summary"] for row in json.loads(to_json(found))["settings"][0]["rows"]]
    assert [it["sustained"]["objective"] for it in summaries] == 3 * ["p99<50ms"]
