"""Times that differ between blocks: of all contenders, of a server, of a start, of a twin."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.report.circumstances import Circumstances
from tests.report.small import detail, small, titles, write_small
from tests.report.synthetic import stretch
from wirelab.analysis import analyse
from wirelab.analysis.cautions.scatter import common_factors
from wirelab.bundle import Bundle, RunRecord

FOR_ALL = "Some blocks were slower or faster for all contenders"
STARTS = "Starts of the same server differ a lot"
SERVERS = "Response times differ a lot between blocks"
TWINS = "The baseline and its twin differ within blocks"


def leave_running(bundle: Bundle) -> None:
    """Change what the bundle says of its servers: wirelab did not start them."""
    file = bundle.path / "contenders.json"
    records = json.loads(file.read_text())
    for record in records.values():
        record["not_controlled"] = ["fresh_start"]
    file.write_text(json.dumps(records))


def test_servers_whose_starts_differ_are_named(tmp_path: Path) -> None:
    analysis = small(tmp_path, Circumstances(start_noise=0.25))

    assert titles(analysis)["Starts of the same server differ a lot"] == "minor"
    assert analysis.noise.margin_ratio == 0.05  # whatever the noise
    found = detail(analysis, "Starts of the same server differ a lot")
    assert found.startswith(
        "standard deviation of the typical response time between blocks, as a share of it,"
        " without what all contenders of a block have in common: "
    )
    assert "; block" not in found
    assert found.endswith(" What to do: measure more blocks")


def test_servers_that_wirelab_did_not_start_have_no_starts_that_differ(tmp_path: Path) -> None:
    bundle = write_small(tmp_path, Circumstances(start_noise=0.25))
    leave_running(bundle)

    analysis = analyse(bundle)

    assert "Starts of the same server differ a lot" not in titles(analysis)
    found = detail(analysis, "Response times differ a lot between blocks")
    assert ": GraphQL at “Fetch one game” (" in found
    assert "REST" not in found, "since it differs from its twin, which is the same server"
    assert found.endswith(
        ". wirelab did not restart these servers: they, their other load or their machines changed"
        " meanwhile. What to do: end what else uses them, and measure more blocks"
    )
    not_controlled = detail(analysis, "wirelab did not control everything")
    assert not_controlled.startswith("wirelab did not start REST, GraphQL and gRPC: ")


def test_a_block_in_which_a_server_was_slow_is_named(tmp_path: Path) -> None:
    spoiled = write_small(tmp_path)
    (block,) = (each for each in spoiled.block_records() if each.block.number == 2)
    slow = next(run.run for run in block.runs if run.run.cell.contender == "grpc-grpcio")
    stretch(spoiled, lambda run: 3.0 if run.run == slow else 1.0)

    found = detail(analyse(spoiled), "Starts of the same server differ a lot")

    assert re.fullmatch(
        r".*: gRPC at “Fetch one game” \(\d+\s%; block 2 took 3\.\d+\sms,"
        r" the 5 others between \S+\s[mµ]s and 1\.\d+\sms\)\."
        r" Each block starts the servers afresh. What to do: measure more blocks",
        found,
    )


def test_a_block_that_was_slow_for_all_is_no_difference_between_starts(tmp_path: Path) -> None:
    spoiled = write_small(tmp_path)
    stretch(spoiled, lambda run: 2.0 if run.run.block == 2 else 1.0)

    analysis = analyse(spoiled)

    assert STARTS not in titles(analysis)
    assert titles(analysis)[FOR_ALL] == "minor"
    assert re.fullmatch(
        r"“Fetch one game” \(most in block 2, in which each took at least (1\.9|2\.0)\d× the time"
        r" of its median block\)\. The speed of the machine may have changed\. Contenders are"
        r" compared within blocks, so this affects no comparison, only absolute times. What to do"
        r" about those: end other programs, and measure more blocks",
        detail(analysis, FOR_ALL),
    )


def test_a_slow_start_in_another_block_than_a_slow_machine_is_named_by_itself(
    tmp_path: Path,
) -> None:
    spoiled = write_small(tmp_path)

    def factor(run: RunRecord) -> float:
        slow_start = run.run.block == 5 and run.run.cell.contender == "grpc-grpcio"
        return (2.0 if run.run.block == 2 else 1.0) * (3.0 if slow_start else 1.0)

    stretch(spoiled, factor)
    analysis = analyse(spoiled)

    assert "block 2, in which each took at least" in detail(analysis, FOR_ALL)
    found = detail(analysis, STARTS)
    assert ": gRPC at “Fetch one game” (" in found
    assert "; block 5 took" in found
    assert "REST" not in found
    assert "GraphQL" not in found


def test_a_running_baseline_that_differs_from_its_twin_within_blocks_did_not_change(
    tmp_path: Path,
) -> None:
    """Both are the same server, so neither it nor the machine explains the difference."""
    spoiled = write_small(tmp_path)
    leave_running(spoiled)
    stretch(spoiled, lambda run: 2.0 if run.run.cell.twin and run.run.block % 2 else 1.0)

    analysis = analyse(spoiled)

    assert {STARTS, SERVERS, FOR_ALL}.isdisjoint(titles(analysis))
    found = detail(analysis, TWINS)
    assert re.match(
        r"standard deviation of the ratio of their times between blocks: “Fetch one game”"
        r" \(3\d\s%\). Both are the same server in the same blocks, ",
        found,
    )
    assert found.endswith(
        " What to do: measure more blocks; if the address has several processes or hosts, measure"
        " one of them"
    )


def test_a_running_baseline_that_changes_as_its_twin_changed_itself(tmp_path: Path) -> None:
    spoiled = write_small(tmp_path)
    leave_running(spoiled)

    def factor(run: RunRecord) -> float:
        return 2.0 if run.run.cell.contender == "rest-flask" and run.run.block == 4 else 1.0

    stretch(spoiled, factor)
    analysis = analyse(spoiled)

    assert {STARTS, TWINS, FOR_ALL}.isdisjoint(titles(analysis))
    found = detail(analysis, SERVERS)
    assert ": REST at “Fetch one game” (" in found
    assert "; REST (twin) at “Fetch one game” (" in found


def test_a_server_and_its_twin_alone_are_not_all_contenders(tmp_path: Path) -> None:
    """One running server that was slow says nothing about others."""
    spoiled = write_small(tmp_path)
    summaries = {
        row.summary.cell: row.summary
        for setting in analyse(spoiled).settings
        for row in setting.rows
        if row.is_baseline
    }
    cell, summary = next(iter(summaries.items()))
    slow = replace(summary, run_times_us={1: 100.0, 2: 300.0, 3: 100.0})
    both = {cell: slow, replace(cell, twin=True): slow}

    assert common_factors(both, running=[cell.contender]) == {1: 1.0, 2: 1.0, 3: 1.0}
    assert common_factors(both, running=[]) == pytest.approx({1: 1.0, 2: 3.0, 3: 1.0})
