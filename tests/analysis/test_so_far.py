"""The blocks so far are compared as the report compares them."""

from pathlib import Path

import pytest
from wirelab.live.intervals import BlocksSoFar

from tests.support.bundles.capacities import RATES, write_capacities
from tests.support.bundles.synthetic import write_bundle
from wirelab.analysis import analyse
from wirelab.bundle import Bundle


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    return write_bundle(tmp_path_factory.mktemp("so-far") / "bundle", blocks=6, requests=200)


@pytest.fixture(scope="module")
def so_far(bundle: Bundle) -> BlocksSoFar:
    found = BlocksSoFar(bundle.path)
    for block in sorted(found.finished()):
        found.read(block)
    return found


def test_intervals_after_the_last_block_equal_the_report(
    bundle: Bundle, so_far: BlocksSoFar
) -> None:
    courses = {(it.setting, it.who): it.steps for it in so_far.courses()}
    compared = 0
    for setting in analyse(bundle).settings:
        for row in setting.rows:
            if row.against_baseline is None:
                continue
            count, ratio, low, high = courses[setting.title, row.summary.cell.contender][-1]
            comparison = row.against_baseline.comparison
            assert comparison.interval95 is not None
            assert count == comparison.blocks
            assert ratio == pytest.approx(comparison.ratio)
            assert low == pytest.approx(comparison.interval95.low)
            assert high == pytest.approx(comparison.interval95.high)
            compared += 1

    assert compared >= 16


def test_capacities_are_compared_as_the_report_compares_them(tmp_path: Path) -> None:
    bundle = write_capacities(tmp_path / "bundle")
    found = BlocksSoFar(bundle.path)
    for block in sorted(found.finished()):
        found.read(block)
    courses = {it.who: it.steps for it in found.courses()}
    (setting,) = analyse(bundle).settings
    compared = {
        row.summary.cell.contender: row.against_baseline.comparison
        for row in setting.rows
        if row.against_baseline is not None
    }

    assert found.metric_title == "requests per second within the objective"
    assert set(compared) == {"grpc-grpcio", "graphql-graphene"}
    for name, comparison in compared.items():
        count, ratio, low, high = courses[name][-1]
        assert count == comparison.blocks == 6
        assert ratio == pytest.approx(comparison.ratio)
        assert ratio == pytest.approx(RATES[name] / RATES["rest-flask"])  # more is above one
        assert comparison.interval95 is not None
        assert low == pytest.approx(comparison.interval95.low)
        assert high == pytest.approx(comparison.interval95.high)
    assert courses["rest-flask~twin"][-1][1] == pytest.approx(1.0)


def test_the_first_block_has_no_interval_and_the_twin_has_a_course(so_far: BlocksSoFar) -> None:
    narrowed = []
    for course in so_far.courses():
        assert [step[0] for step in course.steps] == [1, 2, 3, 4, 5, 6]
        assert course.steps[0][2:] == (None, None)
        widths = [high / low for _, _, low, high in course.steps if low and high]
        narrowed.append(widths[-1] < widths[0])
    assert sum(narrowed) > 0.75 * len(narrowed)  # two blocks may agree by accident
    assert any(course.who.endswith("~twin") for course in so_far.courses())


def test_a_missing_block_changes_nothing(so_far: BlocksSoFar) -> None:
    before = so_far.courses()
    so_far.read("b99-nothing")

    assert so_far.courses() == before


def test_colours_are_those_of_the_report(bundle: Bundle, so_far: BlocksSoFar) -> None:
    assert so_far.palette.variables(0).count("--c") == len(bundle.contenders)
    assert set(so_far.labels) == set(bundle.contenders)
