"""Who gets more blocks after a look: precision and time decide, never significance."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scipy.special import stdtrit

from tests.study.builder import given, study_of
from tests.support.bundles.models import models_of
from tests.support.bundles.synthetic import edit_runs, write_bundle
from wirelab.experiment.blocks.looks import GroupSoFar, next_look, too_wide
from wirelab.experiment.blocks.queue import most_variable
from wirelab.statistics import compare, decide
from wirelab.study import Design, load_study
from wirelab.terminal import words

MARGIN = 0.05


def design(**keys: object) -> Design:
    return study_of(given().design(**keys).raw).designs["smoke"]


def group(half_width: float | None, blocks: int = 6, seconds: float = 10.0) -> GroupSoFar:
    """Return a group whose widest interval is so wide after these blocks."""
    if half_width is None:
        return GroupSoFar(blocks, None, seconds)
    quantile = float(stdtrit(blocks - 1, 0.975))
    deviation = math.log1p(half_width) * math.sqrt(blocks) / quantile
    return GroupSoFar(blocks, deviation, seconds)


def test_without_looks_and_budget_there_are_no_further_blocks() -> None:
    assert next_look(design(), MARGIN, 1, {"fetch": group(0.5)}, None) == {}


def test_only_groups_with_a_wide_interval_continue_and_only_as_far_as_needed() -> None:
    planned = design(looks=[12, 24], precision=0.02)
    groups = {"narrow": group(0.019), "wide": group(0.025), "widest": group(0.2)}

    # 0.025 is expected to fall to 0.0199 with eight blocks; 0.2 would need hundreds.
    assert next_look(planned, MARGIN, 1, groups, None) == {"wide": 8, "widest": 12}
    assert next_look(planned, MARGIN, 2, {"widest": group(0.1, 12)}, None) == {"widest": 24}


def test_there_are_three_looks_at_most() -> None:
    planned = design(looks=[12, 24], precision=0.02)

    assert next_look(planned, MARGIN, 3, {"wide": group(0.1, 24)}, None) == {}


def test_a_group_without_an_interval_continues() -> None:
    planned = design(looks=[12], precision=0.02)

    assert next_look(planned, MARGIN, 1, {"fetch": group(None, 1)}, None) == {"fetch": 12}


def test_a_time_budget_goes_where_intervals_are_widest_and_half_is_kept_for_the_last_look() -> None:
    planned = design(budget_minutes=10)
    groups = {"narrow": group(0.03), "wide": group(0.06)}

    # 100 s now: ten blocks. The wide group needs all of them to become as narrow as the other.
    assert next_look(planned, MARGIN, 1, groups, 200.0) == {"wide": 16}
    assert next_look(planned, MARGIN, 2, {"wide": group(0.037, 16)}, 100.0) == {"wide": 26}


def test_without_a_precision_half_the_margin_is_narrow_enough() -> None:
    planned = design(budget_minutes=10)

    assert next_look(planned, MARGIN, 1, {"fetch": group(0.0249)}, 1000.0) == {}
    assert next_look(planned, MARGIN, 1, {"fetch": group(0.026)}, 1000.0) == {"fetch": 7}


@pytest.mark.parametrize("left", [0.0, 19.0])
def test_a_block_that_does_not_fit_is_not_begun(left: float) -> None:
    groups = {"fetch": group(0.5)}

    assert next_look(design(budget_minutes=10), MARGIN, 1, groups, left) == {}


@pytest.mark.parametrize("deviation", [None, 0.5])
def test_a_group_whose_blocks_take_no_time_gets_no_more_of_them(deviation: float | None) -> None:
    groups = {"unusable": GroupSoFar(6, deviation, 0.0)}

    assert next_look(design(budget_minutes=10), MARGIN, 1, groups, 200.0) == {}
    assert next_look(design(looks=[12], precision=0.02), MARGIN, 1, groups, None) == {}


def test_cells_that_cannot_be_measured_need_no_more_blocks(tmp_path: Path) -> None:
    bundle = write_bundle(
        tmp_path / "bundle",
        blocks=3,
        requests=20,
        permutations=2,
        workloads=("fetch_one", "fetch_hundred"),
        environments=("native", "container"),
        models=models_of("rest-flask", "grpc-grpcio"),
    )
    one, hundred = (f"{name}-postgresql-sequential" for name in ("fetch_one", "fetch_hundred"))

    def skip(run: dict[str, Any]) -> None:
        run["status"] = "skipped"

    edit_runs(bundle, skip, where=lambda it: it.run.cell.environment == "container")
    without_containers = most_variable(bundle, bundle.schedule)
    edit_runs(bundle, skip, where=lambda it: it.run.cell.workload == "fetch_one")

    assert without_containers.keys() == {one, hundred}
    assert all(it.comparison.standard_deviation for it in without_containers.values())
    assert most_variable(bundle, bundle.schedule).keys() == {hundred}


def test_further_blocks_come_with_what_their_intervals_are_too_wide_for(tmp_path: Path) -> None:
    bundle = write_bundle(
        tmp_path / "bundle",
        requests=20,
        permutations=2,
        workloads=("fetch_one",),
        models=models_of("rest-flask", "grpc-grpcio"),
    )
    study = load_study(bundle.study_folder)
    (pair,) = most_variable(bundle, bundle.schedule).values()
    noisy = compare([0.2, -0.2, 0.2, -0.2, 0.2, -0.2], margin_ratio=study.margin)
    verdict = decide(noisy, p_holm=noisy.p_value)
    undecided = replace(pair, comparison=noisy, verdict=verdict)
    by_margin, by_precision = design(budget_minutes=10), design(looks=[12], precision=0.02)

    found = too_wide(by_margin, study, [undecided]).replace(words.NO_BREAK, " ")

    assert found == (
        "intervals are wider than ±2.5 %, which it takes to show whether a difference is within the"
        f" margin of ±5.0 %: gRPC against REST at “{study.workloads['fetch_one'].title}” (±26 %;"
        f" about {verdict.blocks_needed} blocks of this length would probably suffice)"
    )
    assert verdict.reason.endswith(verdict.enough_blocks), "one source for the number of blocks"
    assert (
        too_wide(by_precision, study, [pair])
        .replace(words.NO_BREAK, " ")
        .startswith(
            "intervals are wider than ±2.0 %, which the design requires: gRPC against REST at "
        )
    )
    without = replace(pair, comparison=compare([0.2]), verdict=None)
    assert too_wide(by_precision, study, [without]).endswith(" (no interval yet)")
