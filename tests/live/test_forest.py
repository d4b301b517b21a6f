"""Forest plots of comparisons so far: what is in their rows, and what is decided."""

from pathlib import Path

import pytest

from tests.support.bundles.until_decided import EQUAL, ROUGH, THREE, FabricatedStudy
from tests.support.wording import assert_worded
from wirelab.analysis import analyse
from wirelab.experiment.events import ComparisonsUpdated
from wirelab.live.courses import RatioCourse, StudyNames
from wirelab.live.forest import TRAIL, Courses, forests, found_so_far
from wirelab.study import Cell


def courses_of(study: FabricatedStudy) -> tuple[StudyNames, Courses]:
    courses: dict[tuple[Cell, Cell], RatioCourse] = {}
    for event in study.heard.of(ComparisonsUpdated):
        for each in event.comparisons:
            courses.setdefault((each.a, each.b), RatioCourse(each)).add(each)
    return StudyNames(study.bundle.path), courses


def test_rows_say_what_the_report_says(tmp_path: Path) -> None:
    study = FabricatedStudy(tmp_path, workloads=("fetch_one", "insert_one"))
    study.measure()
    names, courses = courses_of(study)
    found = forests(names, courses)
    analysis = analyse(study.bundle)

    assert [each.setting for each in found] == [each.title for each in analysis.settings]
    said = {(pair.a, pair.b): str(pair.verdict) for pair in analysis.pairs}
    rows = [row for forest in found for row in forest.rows if row.latest.is_question]
    assert {(row.latest.a, row.latest.b): row.latest.verdict for row in rows} == said
    assert all(row.sign and row.style for row in rows)
    for forest in found:
        assert forest.relative_to == analysis.labels[study.study.baseline]
        first = [row.label for row in forest.rows if row.is_first]
        assert first == ["GraphQL", "gRPC", "REST (twin)"]
        assert [row.label for row in forest.rows if not row.is_first] == ["gRPC vs GraphQL"]


def test_intervals_narrow_behind_the_latest_one(tmp_path: Path) -> None:
    study = FabricatedStudy(tmp_path, models=EQUAL, happens=ROUGH)
    study.measure(12)
    (forest,) = forests(*courses_of(study))

    for row in forest.rows:
        assert row.latest.low is not None
        assert row.latest.high is not None
        widths = [high / low for low, high in (*row.trail, (row.latest.low, row.latest.high))]
        assert len(row.trail) == TRAIL
        assert widths[-1] < widths[0]


@pytest.mark.parametrize("count", [2, 3])
def test_what_is_decided_is_a_sentence(tmp_path: Path, count: int) -> None:
    study = FabricatedStudy(tmp_path, models=dict(list(THREE.items())[:count]))
    study.measure(1)
    assert found_so_far(*courses_of(study)).startswith("No verdict yet")

    study.measure()
    assert_worded(found_so_far(*courses_of(study)))
