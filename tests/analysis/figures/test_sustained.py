"""What contenders sustain, in a report: verdicts by it, overload, all forms of the report."""

import io
import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lxml import html
from rich.console import Console

from tests.support.bundles.capacities import write_capacities
from tests.support.bundles.small import the
from tests.support.bundles.synthetic import edit_runs
from wirelab.analysis import Analysis, Setting, analyse
from wirelab.analysis.answers.questions import sentences
from wirelab.analysis.cautions.capacities import (
    SearchUnfinished,
    SearchWarned,
    StoppedUnderOverload,
)
from wirelab.analysis.matrix import matrix_of
from wirelab.analysis.synopsis import synopsis_of
from wirelab.browse.glance import glance_at
from wirelab.bundle.run_reasons import NoCapacity
from wirelab.report import render_html, render_markdown, terminal_view, to_csv, to_json
from wirelab.report.sustained import sustained_views


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """What such a bundle says."""
    return analyse(write_capacities(tmp_path_factory.mktemp("capacity") / "bundle"))


def test_contenders_are_judged_by_their_sustained_rates(found: Analysis) -> None:
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
    assert cells["grpc-grpcio"].words == "clearly more"
    assert dict(matrix.legend)["▲"] == "clearly more"
    (more, less) = (
        tally
        for tally in glance_at(synopsis_of(found)).tallies
        if tally.words.endswith("ly more") or tally.words.endswith("ly less")
    )
    assert {(it.sign, it.style) for it in (more, less)} == {("▲", "good"), ("▼", "bad")}


def test_a_contender_that_is_compared_with_none_has_a_capacity_and_no_verdict(
    tmp_path: Path,
) -> None:
    found = analyse(write_capacities(tmp_path / "bundle", "rest-flask"))
    (view,) = sustained_views(found)
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(terminal_view(found))

    assert not found.compares
    assert view.headings == ("contender", "sustains a second", "if 5 % may miss")
    assert [len(row) for row in view.rows] == [3]
    sentence = "REST at “Fetch one game” sustains 503/s within p99<50ms (95\u00a0% interval "
    answer = next(it for it in sentences(found) if it.decided)
    assert answer.sentence.startswith(sentence)
    assert answer.sentence.endswith(", from 6 blocks).")
    page = html.fromstring(render_html(found))
    for script in page.xpath("//script | //style"):
        script.drop_tree()
    for form in (page.text_content(), render_markdown(found), console.export_text()):
        for word in ("verdict", "practically the same", "cannot tell", "relative to"):
            assert word not in form.lower()


def test_blocks_whose_trials_all_met_the_objective_are_stated(tmp_path: Path) -> None:
    def without_value(content: dict[str, Any]) -> None:
        if content["run"]["block"] > 4:
            content["status"] = "invalid"
            content["capacity"]["rate_per_s"] = None

    bundle = write_capacities(tmp_path / "bundle", "rest-flask")
    edit_runs(bundle, without_value)
    answer = next(it for it in sentences(analyse(bundle)) if it.decided)

    assert "from 4 of 6 blocks; --blocks 9 makes it narrower); in 2 further blocks, all" in (
        answer.sentence
    )
    assert answer.sentence.endswith("met it, at up to 506/s, so the capacity may be higher.")


def test_a_block_below_the_capacity_does_not_suggest_a_higher_one(tmp_path: Path) -> None:
    def without_value(content: dict[str, Any]) -> None:
        if content["run"]["block"] == 1:
            content["status"] = "invalid"
            content["capacity"]["rate_per_s"] = None
            for each in content["capacity"]["trials"]:
                each["rate_per_s"] -= 100

    bundle = write_capacities(tmp_path / "bundle", "rest-flask")
    edit_runs(bundle, without_value)
    found = analyse(bundle)
    answer = next(it for it in sentences(found) if it.decided)
    (caution,) = (it for it in found.cautions if it.title.endswith("not count"))
    (view,) = sustained_views(found)

    assert re.search(r"in 1 further block, all trials met it, at up to 40\d/s\.$", answer.sentence)
    assert caution.detail.endswith(
        "What to do: measure more blocks, each of which tries other rates"
    )
    assert view.rows[0][-1] == "not known"
    assert "not known if that block does not count" in view.sentence


def test_a_terminal_counts_the_runs_that_do_not_count_once(tmp_path: Path) -> None:
    def without_value(content: dict[str, Any]) -> None:
        content["status"] = "invalid" if content["run"]["block"] == 1 else "skipped"
        content["reasons"] = [NoCapacity(of="no rate").model_dump(mode="json")]
        content["capacity"] |= {"rate_per_s": None, "overload": []}

    bundle = write_capacities(tmp_path / "bundle", "rest-flask")
    edit_runs(bundle, without_value)
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(terminal_view(analyse(bundle)))

    assert re.findall(r"\S+ runs? do(?:es)? not count", console.export_text()) == [
        "12 runs do not count"
    ]  # with those of the twin


@pytest.mark.parametrize("has_trials", [False, True])
def test_a_report_without_a_capacity_describes_only_what_was_done(
    tmp_path: Path, has_trials: bool
) -> None:
    def without_value(content: dict[str, Any]) -> None:
        content["status"] = "invalid"
        content["capacity"] |= {"rate_per_s": None, "overload": []}
        if not has_trials:
            content["capacity"]["trials"] = []

    bundle = write_capacities(tmp_path / "bundle", "rest-flask")
    edit_runs(bundle, without_value)
    page = html.fromstring(render_html(found := analyse(bundle))).text_content()

    assert not found.settings
    for form in (page, render_markdown(found)):
        assert ("ran in random order; the capacity is the rate" in form) is has_trials
        assert "Response times are those at half" not in form
        assert "Every result holds" not in form


def test_a_report_about_one_contender_speaks_of_one_implementation(tmp_path: Path) -> None:
    found = analyse(write_capacities(tmp_path / "bundle", "rest-flask"))

    assert "Every result holds for this implementation on this machine" in render_html(found)
    assert "Response times are those at half of it." in found.procedure.sentences


def test_the_markdown_explains_its_columns_and_no_others(tmp_path: Path) -> None:
    shown = render_markdown(analyse(write_capacities(tmp_path / "bundle", "rest-flask")))

    assert "Recovery is the time from the end of the overload until a trial" in shown
    assert "in brackets" not in shown


def test_names_are_not_broken_in_narrow_tables(found: Analysis) -> None:
    def renamed(setting: Setting) -> Setting:
        rows = (
            replace(row, summary=replace(row.summary, label=f"localhost-808{number}"))
            for number, row in enumerate(setting.rows)
        )
        return replace(setting, rows=tuple(rows))

    console = Console(width=50, record=True, file=io.StringIO())
    console.print(terminal_view(replace(found, settings=tuple(map(renamed, found.settings)))))
    begins = Counter(line.split(" ")[0] for line in console.export_text().splitlines())

    # Of both tables: of sustained rates, and of overload.
    assert [begins[f"localhost-808{number}"] for number in range(3)] == [2, 2, 2]


def test_overload_is_summarised(found: Analysis) -> None:
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
    assert str(the(StoppedUnderOverload, found).reason) == "it was killed"
    warned = [each for each in found.cautions if isinstance(each, SearchWarned)]
    assert {each.warning for each in warned} == {"the engine was busy"}


def test_bounds_of_a_search_that_ran_out_of_time_are_marked(found: Analysis) -> None:
    (view,) = sustained_views(found)
    shown = {row[0]: row[-1] for row in view.rows}
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(terminal_view(found))
    caution = the(SearchUnfinished, found)

    assert shown == {
        "REST": "900 to 920",
        "GraphQL": "240 to 280 so far",
        "gRPC": "none so far",
    }
    for form in (render_html(found), render_markdown(found), console.export_text()):
        assert "240 to 280 so far" in form
    assert all(caution.title in form for form in (render_html(found), render_markdown(found)))
    assert [place.label for place in caution.places] == ["GraphQL", "gRPC"]
    assert caution.option == "search_seconds"
    rows = json.loads(to_json(found))["settings"][0]["rows"]
    outcomes = {
        row["summary"]["label"]: row["summary"]["sustained"]["strict_outcome"] for row in rows
    }
    assert outcomes == {"REST": "found", "GraphQL": "unfinished", "gRPC": "unfinished"}


def test_the_time_of_trials_is_not_reported_as_time_of_starts(found: Analysis) -> None:
    assert found.procedure.efforts == ()
    assert "time of a block" not in found.procedure.conditions


def test_every_format_of_the_report_contains_sustained_rates(found: Analysis) -> None:
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
