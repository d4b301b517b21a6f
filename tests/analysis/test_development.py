"""Several bundles of one study: what became of each cell, and what is refused."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lxml import html
from typer.testing import CliRunner

from tests.support.bundles.models import Model
from tests.support.bundles.small import THREE, printed, write_small
from tests.support.requests import problems_of
from tests.support.wording import assert_worded
from wirelab.analysis import Analysis, analyse
from wirelab.analysis.development import Agreement, Development, MetricCourse, development
from wirelab.analysis.differences import RecordDifference
from wirelab.analysis.synopsis import synopsis_of
from wirelab.bundle import Bundle
from wirelab.cli import app
from wirelab.report.development import development_view


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bundle, Bundle, Bundle]:
    """One as ever, one of another seed, one in which gRPC has become slow."""
    slow = {**THREE, "grpc-grpcio": replace(THREE["grpc-grpcio"], latency_us=[2300] * 4)}
    folder = tmp_path_factory.mktemp("bundles")

    def write(name: str, seed: int, models: Mapping[str, Model]) -> Bundle:
        return write_small(folder / name, requests=200, models=models, seed=seed)

    return write("a", 1, THREE), write("b", 2, THREE), write("c", 4, slow)


@pytest.fixture(scope="module")
def analyses(bundles: tuple[Bundle, Bundle, Bundle]) -> list[Analysis]:
    """In the order in which they were made."""
    found = [analyse(bundle) for bundle in bundles]
    return [created(each, f"2026-11-2{day}T09:00:00Z") for day, each in enumerate(found)]


def created(analysis: Analysis, moment: str) -> Analysis:
    return replace(analysis, info=analysis.info.model_copy(update={"created_utc": moment}))


def side_by_side(analyses: Sequence[Analysis]) -> Development:
    return development([synopsis_of(each) for each in analyses])


def course(courses: tuple[MetricCourse, ...], contender: str) -> MetricCourse:
    return next(each for each in courses if each.contender == contender)


def test_a_verdict_that_changed_is_found_and_no_other(analyses: list[Analysis]) -> None:
    found = side_by_side(analyses)

    assert {each.contender: (each.change, each.agreement) for each in found.courses} == {
        "grpc-grpcio": ("verdict changed", Agreement.OPPOSED),
        "graphql-graphene": ("", Agreement.SAME),
        "rest-flask": ("", None),
    }
    assert course(found.courses, "rest-flask").is_baseline
    assert found.agreements == {Agreement.SAME: 1, Agreement.OPPOSED: 1}
    assert_worded(found.sentence)


def test_bundles_are_sorted_by_time(analyses: list[Analysis]) -> None:
    found, expected = side_by_side(analyses[::-1]), side_by_side(analyses)

    assert [edition.created_utc for edition in found.editions] == [
        each.info.created_utc for each in analyses
    ]
    assert found.courses == expected.courses


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        (["20 09:00:00", "21 09:00:00", "22 09:00:00"], ["20", "21", "22"]),
        (["20 09:00:00", "20 09:07:30", "21 09:00:00"], ["20 09:00", "20 09:07", "21 09:00"]),
        (["20 09:00:00", "20 09:00:30", "21 09:00:00"], None),
    ],
    ids=["days", "minutes", "seconds"],
)
def test_bundles_are_distinguished_by_days_or_times(
    analyses: list[Analysis], times: list[str], expected: list[str] | None
) -> None:
    dated = zip(analyses, times, strict=True)
    found = side_by_side([created(each, f"2026-11-{it.replace(' ', 'T')}Z") for each, it in dated])

    assert found.moments == tuple(f"2026-11-{it}" for it in expected or times)


@pytest.mark.parametrize("width", [60, 80, 140])
def test_a_terminal_shows_every_bundle_and_no_broken_line(
    analyses: list[Analysis], width: int
) -> None:
    found = side_by_side(
        [
            created(each, f"2026-11-2{day}T09:0{number}:00Z")
            for day in range(3)
            for number, each in enumerate(analyses)
        ]
    )

    text = printed(development_view(found), width=width)

    assert all(len(line) <= width for line in text.splitlines())
    assert "…" not in text
    assert text.count("09:0") == 9
    for row in ("GraphQL", "gRPC"):
        cells = [line for line in text.splitlines() if line.startswith(f"  {row} ")]
        assert sum(line.count("×") for line in cells) == 9


def test_a_repeated_bundle_has_no_changes(analyses: list[Analysis]) -> None:
    found = side_by_side(analyses[:2])

    assert_worded(found.sentence)
    assert found.notes == ()
    assert found.agreements == {Agreement.SAME: 2}


def test_a_cell_missing_from_a_bundle_has_no_step(analyses: list[Analysis]) -> None:
    first, *others = analyses
    without = replace(
        first,
        settings=tuple(
            replace(s, rows=tuple(r for r in s.rows if r.summary.label != "gRPC"))
            for s in first.settings
        ),
    )

    steps = course(side_by_side([without, *others]).courses, "grpc-grpcio").steps

    assert steps[0] is None
    assert steps[1] is not None


def test_other_differences_are_noted(analyses: list[Analysis]) -> None:
    first, second, _ = analyses
    elsewhere = replace(second, host={"cpu": {"model": "Another", "logical": 8}})

    (note,) = side_by_side([first, elsewhere]).notes

    assert_worded(note)


def with_flask(analysis: Analysis, **changes: Any) -> Analysis:
    """Change the record of a contender."""
    record = analysis.contenders["rest-flask"].model_copy(update=changes)
    return replace(analysis, contenders={**analysis.contenders, "rest-flask": record})


def test_every_differing_fact_is_listed(analyses: list[Analysis]) -> None:
    first, second, _ = analyses
    packages = second.contenders["rest-flask"].versions["native"]
    versions = {"native": {**packages, "flask": "4.0.0", "greenlet": "3.1"}}
    changed = with_flask(second, versions=versions, settings={"workers": 8})
    contenders = {name: it for name, it in changed.contenders.items() if name != "grpc-grpcio"}
    host = {**first.host, "kernel": "Linux 7.0", "cpu": {"frequency_mhz": 2100}}

    found = side_by_side([first, replace(changed, contenders=contenders, host=host)]).differences

    assert [each for each in found if each.subject != "machine"] == [
        RecordDifference("execution", "seed", ("1", "2")),
        RecordDifference("REST", "workers", ("1", "8")),
        RecordDifference("REST", "threads", ("4", "")),
        RecordDifference("REST", "flask", (packages["flask"], "4.0.0")),
        RecordDifference("REST", "greenlet", ("", "3.1")),
        RecordDifference("gRPC", "contender", ("grpc-grpcio", "")),
    ]
    assert RecordDifference("machine", "kernel", ("Linux 6.1", "Linux 7.0")) in found
    assert not any("frequency" in each.fact for each in found)


def test_versions_that_differ_between_environments_are_named_with_them(
    analyses: list[Analysis],
) -> None:
    first, second, _ = analyses
    versions = {"native": {"flask": "3.1"}, "container": {"flask": "3.0"}}

    found = side_by_side([first, with_flask(second, versions=versions)]).differences

    (difference,) = [each for each in found if each.fact == "flask"]
    assert difference.values[1] == "native 3.1, container 3.0"


@pytest.mark.parametrize("key", ["study", "metric", "baseline"])
def test_bundles_of_other_studies_metrics_and_baselines_are_refused(
    analyses: list[Analysis], key: str
) -> None:
    first, second, _ = (synopsis_of(each) for each in analyses)
    other: dict[str, Any] = {key: "another"}

    (problem,) = problems_of(development, [replace(first, **other), second])

    assert (problem.key, problem.value) == (key, "another")
    assert problem.expected.startswith(getattr(second, key))
    assert_worded(problem)


def test_a_comparison_in_one_bundle_only_is_not_called_unchanged(
    analyses: list[Analysis],
) -> None:
    first, second, _ = (synopsis_of(each) for each in analyses)
    settings = tuple(replace(each, key="another", title="another") for each in second.settings)

    found = development([first, replace(second, settings=settings)])

    assert_worded(found.sentence)


def test_the_command_writes_a_page_and_json(
    bundles: tuple[Bundle, Bundle, Bundle], tmp_path: Path
) -> None:
    paths = [str(bundle.path) for bundle in (bundles[0], bundles[2])]

    result = CliRunner().invoke(app, ["report", *paths, "--output", str(tmp_path / "out")])

    assert result.exit_code == 0
    assert "verdict changed" in result.output
    page = html.document_fromstring((tmp_path / "out" / "development.html").read_text())
    assert "verdict changed in 1" in page.xpath("string(//p[@class='lead'])")
    assert not page.xpath("//script")
    assert len(page.xpath("//table[contains(@class, 'courses')]/tbody/tr")) == 3
    assert len(page.xpath("//*[@class='strip']")) == 2
    assert "1 decided differently" in page.xpath("string(//ul[@class='counts'])")
    (seeds,) = page.xpath("//table[@class='differences']//tr[td[1]='seed']")
    assert [cell.text for cell in seeds] == ["execution", "seed", "1", "4"]
    printed = json.loads((tmp_path / "out" / "development.json").read_text())
    assert printed["format"] == "wirelab-development/1"
    assert {"subject": "execution", "fact": "seed", "values": ["1", "4"]} in printed["differences"]
    steps = next(c for c in printed["courses"] if c["contender"] == "grpc-grpcio")["steps"]
    assert [step["verdict"] for step in steps] == ["clearly faster", "clearly slower"]


def test_the_command_prints_the_json_that_it_writes(
    bundles: tuple[Bundle, Bundle, Bundle], tmp_path: Path
) -> None:
    paths = [str(bundle.path) for bundle in bundles[:2]]

    result = CliRunner().invoke(app, ["report", *paths, "--output", str(tmp_path), "--json"])

    assert json.loads(result.stdout) == json.loads((tmp_path / "development.json").read_text())
