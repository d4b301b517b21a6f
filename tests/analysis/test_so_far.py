"""The blocks so far are compared as the report compares them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.bundles.capacities import write_capacities
from tests.support.bundles.synthetic import write_bundle
from tests.support.bundles.until_decided import FabricatedStudy
from wirelab.analysis import Analysis, analyse
from wirelab.analysis.so_far import ComparisonsSoFar, PairSoFar
from wirelab.bundle import Bundle
from wirelab.planning.schedule import Block
from wirelab.study import load_study


def fixed(folder: Path) -> Bundle:
    return write_bundle(folder, blocks=6, requests=200)


def until_decided(folder: Path) -> Bundle:
    study = FabricatedStudy(folder, lost={"grpc-grpcio": [2]})
    study.measure()
    return study.bundle


def read(bundle: Bundle, *blocks: Block) -> dict[frozenset[object], PairSoFar]:
    """Compare with all blocks of a bundle, or with some, in this order."""
    study = load_study(bundle.study_folder).in_design(bundle.schedule.design)
    so_far = ComparisonsSoFar(bundle, study, bundle.schedule)
    for block in blocks or bundle.schedule.blocks:
        so_far.read(block)
    return {frozenset((pair.a, pair.b)): pair for pair in so_far.pairs()}


@pytest.fixture(
    scope="module", params=[fixed, until_decided, write_capacities], ids=lambda it: it.__name__
)
def bundle(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    write: Callable[[Path], Bundle] = request.param
    return write(tmp_path_factory.mktemp("so-far") / "bundle")


@pytest.fixture(scope="module")
def analysis(bundle: Bundle) -> Analysis:
    return analyse(bundle)


def test_after_the_last_block_comparisons_and_verdicts_are_those_of_the_report(
    bundle: Bundle, analysis: Analysis
) -> None:
    pairs = read(bundle)
    reported = [
        *analysis.pairs,
        *(
            row.against_baseline
            for setting in analysis.settings
            for row in setting.rows
            if row.against_baseline is not None
        ),
    ]

    assert len(reported) >= 4
    for judged in reported:
        pair = pairs[frozenset((judged.a, judged.b))]
        ours, theirs = pair.comparison, judged.comparison
        if pair.a != judged.a:
            assert ours.ratio == pytest.approx(1 / theirs.ratio)
            continue
        assert (ours.blocks, ours.dropped_blocks) == (theirs.blocks, theirs.dropped_blocks)
        assert ours.ratio == pytest.approx(theirs.ratio)
        assert ours.interval95 == pytest.approx(theirs.interval95)
        if pair.verdict is not None:
            assert judged.verdict is not None
            assert str(pair.verdict) == str(judged.verdict)
    is_decidable = bundle.schedule.until_decided
    assert {pair.verdict is not None for pair in pairs.values()} == {False, is_decidable}
    twins = [pair for pair in pairs.values() if pair.a.twin or pair.b.twin]  # of no question
    assert twins
    assert {pair.verdict for pair in twins} == {None}


def test_blocks_count_up_to_the_first_that_is_missing(bundle: Bundle) -> None:
    """On a cluster, a later block may end before an earlier one."""
    blocks = [
        each for each in bundle.schedule.blocks if each.group == bundle.schedule.blocks[0].group
    ]
    first, second, third, *_ = sorted(blocks, key=lambda each: each.number)

    def counted(*read_so_far: Block) -> int:
        pairs = read(bundle, *read_so_far).values()
        found = (it for it in pairs if it.groups == (first.group,))
        return max(it.comparison.blocks + it.comparison.dropped_blocks for it in found)

    assert counted(first, third) == 1
    assert counted(first, third, second) == 3
