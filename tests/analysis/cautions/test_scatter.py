"""Times that differ between blocks: of all contenders, of a server, of a start, of a twin."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.bundles.circumstances import Circumstances
from tests.support.bundles.small import kinds, small, stretched, the, write_small
from tests.support.bundles.synthetic import copy_of, leave_running
from tests.support.wording import assert_worded
from wirelab.analysis import analyse
from wirelab.analysis.cautions.scatter import (
    SharedScatter,
    StartsDiffer,
    TimesDiffer,
    TwinsDiffer,
    common_factors,
)
from wirelab.analysis.cautions.servers import Uncontrolled
from wirelab.bundle import Bundle, RunRecord


@pytest.fixture
def running(three: Bundle, tmp_path: Path) -> Bundle:
    """A bundle that says of its servers that wirelab did not start them."""
    bundle = copy_of(three, tmp_path / "running")
    leave_running(bundle, "fresh_start")
    return bundle


def test_servers_whose_starts_differ_are_named(tmp_path: Path) -> None:
    analysis = small(tmp_path, Circumstances(start_noise=0.25))

    found = the(StartsDiffer, analysis)

    assert (found.severity, found.measure, found.without_common) == ("minor", "typical", True)
    assert not any("block" in place.figures for place in found.places)
    assert found.more == "measure more blocks"
    assert analysis.noise.margin_ratio == 0.05  # whatever the noise


def test_what_permutations_explain_is_no_difference_between_starts(tmp_path: Path) -> None:
    """Blocks of few slices that vary by half differ by far more than 10 %, as they must."""
    noisy = Circumstances(start_noise=0.0, permutation_noise=0.0, slice_noise=0.5)

    analysis = small(tmp_path, noisy, permutations=4)

    assert StartsDiffer not in kinds(analysis)


def test_servers_that_wirelab_did_not_start_have_no_starts_that_differ(tmp_path: Path) -> None:
    bundle = write_small(tmp_path, Circumstances(start_noise=0.25))
    leave_running(bundle, "fresh_start")

    analysis = analyse(bundle)

    assert StartsDiffer not in kinds(analysis)
    labels = {place.label for place in the(TimesDiffer, analysis).places}
    assert "GraphQL" in labels
    assert "REST" not in labels  # since it differs from its twin, which is the same server
    everyone = ("REST", "GraphQL", "gRPC")
    assert the(Uncontrolled, analysis).contenders == {"fresh_start": everyone}


def test_a_block_in_which_a_server_was_slow_is_named(three: Bundle, tmp_path: Path) -> None:
    def factor(run: RunRecord) -> float:
        return 3.0 if is_slow(run, block=2) else 1.0

    (place,) = the(StartsDiffer, stretched(three, tmp_path, factor)).places

    assert place.label == "gRPC"
    assert_worded(place.figures)


def is_slow(run: RunRecord, block: int, contender: str = "grpc-grpcio") -> bool:
    return run.run.cell.contender == contender and run.run.block == block


def test_a_block_that_was_slow_for_all_is_no_difference_between_starts(
    three: Bundle, tmp_path: Path
) -> None:
    analysis = stretched(three, tmp_path, lambda run: 2.0 if run.run.block == 2 else 1.0)

    assert StartsDiffer not in kinds(analysis)
    ((setting, block, factor),) = the(SharedScatter, analysis).settings
    assert (setting, block) == ("Fetch one game", 2)
    assert factor == pytest.approx(2.0, rel=0.06)


def test_a_slow_start_in_another_block_than_a_slow_machine_is_named_by_itself(
    three: Bundle, tmp_path: Path
) -> None:
    def factor(run: RunRecord) -> float:
        return (2.0 if run.run.block == 2 else 1.0) * (3.0 if is_slow(run, block=5) else 1.0)

    analysis = stretched(three, tmp_path, factor)

    assert [block for _, block, _ in the(SharedScatter, analysis).settings] == [2]
    (place,) = the(StartsDiffer, analysis).places
    assert place.label == "gRPC"
    assert "; block 5 took" in place.figures


def test_a_running_baseline_that_differs_from_its_twin_within_blocks_did_not_change(
    running: Bundle, tmp_path: Path
) -> None:
    """Both are the same server, so neither it nor the machine explains the difference."""
    analysis = stretched(
        running, tmp_path, lambda run: 2.0 if run.run.cell.twin and run.run.block % 2 else 1.0
    )

    assert {StartsDiffer, TimesDiffer, SharedScatter}.isdisjoint(kinds(analysis))
    ((setting, spread),) = the(TwinsDiffer, analysis).settings
    assert setting == "Fetch one game"
    assert spread == pytest.approx(0.35, abs=0.05)


def test_a_running_baseline_that_changes_as_its_twin_changed_itself(
    running: Bundle, tmp_path: Path
) -> None:
    analysis = stretched(
        running, tmp_path, lambda run: 2.0 if is_slow(run, 4, "rest-flask") else 1.0
    )

    assert {StartsDiffer, TwinsDiffer, SharedScatter}.isdisjoint(kinds(analysis))
    places = the(TimesDiffer, analysis).places
    assert [place.label for place in places] == ["REST", "REST (twin)"]


def test_a_server_and_its_twin_alone_are_not_all_contenders(three: Bundle) -> None:
    """One running server that was slow says nothing about others."""
    summaries = {
        row.summary.cell: row.summary
        for setting in analyse(three).settings
        for row in setting.rows
        if row.is_baseline
    }
    cell, summary = next(iter(summaries.items()))
    slow = replace(summary, run_times_us={1: 100.0, 2: 300.0, 3: 100.0})
    both = {cell: slow, replace(cell, twin=True): slow}

    assert common_factors(both, running=[cell.contender]) == {1: 1.0, 2: 1.0, 3: 1.0}
    assert common_factors(both, running=[]) == pytest.approx({1: 1.0, 2: 3.0, 3: 1.0})
