"""What contenders sustain, in a report: verdicts by it, overload, all forms of the report."""

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from tests.statistics.constructed import known
from tests.support.bundles.capacities import WARNING, write_capacities
from tests.support.bundles.small import printed, the
from tests.support.bundles.synthetic import copy_of, edit_runs
from tests.support.wording import assert_worded
from wirelab.analysis import Analysis, Setting, analyse
from wirelab.analysis.answers.questions import sentences
from wirelab.analysis.cautions.capacities import (
    SearchUnfinished,
    SearchWarned,
    StoppedUnderOverload,
)
from wirelab.analysis.cautions.runs import RunsDoNotCount
from wirelab.analysis.matrix import matrix_of
from wirelab.analysis.synopsis import synopsis_of
from wirelab.browse.glance import glance_at
from wirelab.bundle import Bundle
from wirelab.bundle.run_reasons import NoCapacity
from wirelab.report import render_html, render_markdown, terminal_view, to_csv, to_json
from wirelab.report.sustained import SustainedView, sustained_views


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """What such a bundle says."""
    return analyse(write_capacities(tmp_path_factory.mktemp("capacity") / "bundle"))


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """A bundle of one contender, which is compared with none."""
    return write_capacities(tmp_path_factory.mktemp("capacity") / "bundle", "rest-flask")


def changed(one: Bundle, folder: Path, change: Callable[[dict[str, Any]], None]) -> Analysis:
    """What it says with changes of its runs."""
    bundle = copy_of(one, folder / "bundle")
    edit_runs(bundle, change)
    return analyse(bundle)


def sentence_of(found: Analysis) -> str:
    (answer,) = (it for it in sentences(found) if it.decided)
    return answer.sentence


def test_contenders_are_judged_by_their_sustained_rates(found: Analysis) -> None:
    (setting,) = found.settings
    verdicts = {
        row.summary.cell.contender: row.against_baseline.verdict.words
        for row in setting.rows
        if row.against_baseline and row.against_baseline.verdict
    }

    assert [row.summary.label for row in setting.rows] == ["gRPC", "REST", "GraphQL"]
    assert verdicts == {"grpc-grpcio": "clearly more", "graphql-graphene": "clearly less"}
    assert_worded(sentence_of(found))
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


def test_a_contender_that_is_compared_with_none_has_a_capacity_and_no_verdict(one: Bundle) -> None:
    found = analyse(one)
    (view,) = sustained_views(found)

    assert not found.compares
    assert view.headings == ("contender", "sustains a second", "if 5 % may miss")
    assert [len(row) for row in view.rows] == [3]
    assert_worded(sentence_of(found))
    page = html.fromstring(render_html(found))
    for script in page.xpath("//script | //style"):
        script.drop_tree()
    text, markdown = page.text_content(), render_markdown(found)
    for form in (text, markdown, printed(terminal_view(found))):
        for word in ("verdict", "practically the same", "cannot tell", "relative to"):
            assert word not in form.lower()
    assert "this implementation" in text
    assert SustainedView.overload_sentence in markdown
    assert "in brackets" not in markdown


def test_blocks_whose_trials_all_met_the_objective_are_stated(one: Bundle, tmp_path: Path) -> None:
    def without_value(content: dict[str, Any]) -> None:
        if content["run"]["block"] > 4:
            content["status"] = "invalid"
            content["capacity"]["rate_per_s"] = None

    assert_worded(sentence_of(changed(one, tmp_path, without_value)))


def test_a_block_below_the_capacity_does_not_suggest_a_higher_one(
    one: Bundle, tmp_path: Path
) -> None:
    def without_value(content: dict[str, Any]) -> None:
        if content["run"]["block"] == 1:
            content["status"] = "invalid"
            content["capacity"]["rate_per_s"] = None
            for each in content["capacity"]["trials"]:
                each["rate_per_s"] -= 100

    found = changed(one, tmp_path, without_value)
    (view,) = sustained_views(found)

    assert_worded(sentence_of(found))
    assert the(RunsDoNotCount, found).remedy == "more blocks"
    assert view.rows[0][-1] == "not known"


def test_a_terminal_counts_the_runs_that_do_not_count_once(one: Bundle, tmp_path: Path) -> None:
    def without_value(content: dict[str, Any]) -> None:
        content["status"] = "invalid" if content["run"]["block"] == 1 else "skipped"
        content["reasons"] = [NoCapacity(of="no rate").model_dump(mode="json")]
        content["capacity"] |= {"rate_per_s": None, "overload": []}

    text = printed(terminal_view(changed(one, tmp_path, without_value)))

    assert re.findall(r"(\S+) runs? do(?:es)? not count", text) == ["12"]  # with the twin's


@pytest.mark.parametrize(("has_trials", "has_rate"), [(False, False), (True, False), (True, True)])
def test_a_report_describes_only_what_was_done(
    one: Bundle, tmp_path: Path, *, has_trials: bool, has_rate: bool
) -> None:
    def without_value(content: dict[str, Any]) -> None:
        if not has_rate:
            content["status"] = "invalid"
            content["capacity"] |= {"rate_per_s": None, "overload": []}
        if not has_trials:
            content["capacity"]["trials"] = []

    found = changed(one, tmp_path, without_value)
    page = html.fromstring(render_html(found)).text_content()

    assert bool(found.settings) is has_rate
    assert_worded("\n".join(found.procedure.sentences))
    for form in (page, render_markdown(found)):
        assert all(sentence in form for sentence in found.procedure.sentences)
        assert ("Every result holds" in form) is has_rate


def test_names_are_not_broken_in_narrow_tables(found: Analysis) -> None:
    def renamed(setting: Setting) -> Setting:
        rows = (
            replace(row, summary=replace(row.summary, label=f"localhost-808{number}"))
            for number, row in enumerate(setting.rows)
        )
        return replace(setting, rows=tuple(rows))

    shown = replace(found, settings=tuple(map(renamed, found.settings)))
    text = printed(terminal_view(shown), width=50)
    begins = Counter(line.split(" ")[0] for line in text.splitlines())

    # Of both tables: of sustained rates, and of overload.
    assert [begins[f"localhost-808{number}"] for number in range(3)] == [2, 2, 2]


def test_overload_is_summarised(found: Analysis) -> None:
    (rest,) = (
        known(row.summary.sustained)
        for row in found.settings[0].rows
        if row.summary.label == "REST"
    )

    assert rest.strict_per_s == (900.0, 920.0)
    (twice,) = rest.overload
    assert twice.good_share == pytest.approx(0.6, rel=0.01)
    assert twice.failed == ("status", "timeout")
    assert twice.failed_share == pytest.approx(0.4, rel=0.01)
    assert twice.never_sent_share == pytest.approx(0.2, rel=0.01)
    assert twice.recovery_s is None  # in three of six blocks it was not itself again
    assert str(the(StoppedUnderOverload, found).reason) == "it was killed"
    warned = [each for each in found.cautions if isinstance(each, SearchWarned)]
    assert {each.warning for each in warned} == {WARNING}


def test_bounds_of_a_search_that_ran_out_of_time_are_marked(found: Analysis) -> None:
    (view,) = sustained_views(found)
    shown = {row[0]: row[-1] for row in view.rows}
    texts = render_html(found), render_markdown(found)
    caution = the(SearchUnfinished, found)

    assert shown == {
        "REST": "900 to 920",
        "GraphQL": "240 to 280 so far",
        "gRPC": "none so far",
    }
    for form in (*texts, printed(terminal_view(found))):
        assert "240 to 280 so far" in form
    assert all(caution.title in form for form in texts)
    assert [place.label for place in caution.places] == ["GraphQL", "gRPC"]
    assert caution.option == "search_seconds"
    rows = json.loads(to_json(found))["settings"][0]["rows"]
    outcomes = {
        row["summary"]["label"]: row["summary"]["sustained"]["strict_outcome"] for row in rows
    }
    assert outcomes == {"REST": "found", "GraphQL": "unfinished", "gRPC": "unfinished"}


def test_the_time_of_trials_is_not_reported_as_time_of_starts(found: Analysis) -> None:
    assert found.procedure.efforts == ()


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
