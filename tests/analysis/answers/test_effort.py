"""How much to measure: what a group took, and how the same time would resolve the most."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.bundles.circumstances import Circumstances
from tests.support.bundles.models import models_of
from tests.support.bundles.synthetic import write_bundle
from wirelab.analysis import analyse
from wirelab.analysis.answers.effort import Effort
from wirelab.analysis.conditions import recommended

TWO = models_of("rest-flask", "grpc-grpcio")


def effort(folder: Path, happens: Circumstances, **options: Any) -> Effort:
    bundle = write_bundle(
        folder / "bundle", workloads=("fetch_one",), models=TWO, happens=happens, **options
    )
    (found,) = analyse(bundle).procedure.efforts
    return found


def test_the_time_of_a_group_is_distinguished_from_that_of_its_slices(tmp_path: Path) -> None:
    found = effort(tmp_path, Circumstances(), blocks=6, requests=400, permutations=20)

    assert found.group == "fetch_one-sequential"
    assert found.blocks == 6
    assert found.permutations == 20
    # Three servers, 20 requests of 1.0 to 1.5 ms in each slice, with guard and drain.
    assert found.permutation_s == pytest.approx(0.1, rel=0.2)
    assert found.block_s == pytest.approx(20 - 20 * found.permutation_s)


def test_the_time_of_starts_excludes_the_slices_of_all_sessions(
    tmp_path: Path,
) -> None:
    bundle = write_bundle(
        tmp_path / "bundle",
        workloads=("fetch_one",),
        models=models_of("rest-flask", "graphql-graphene", "grpc-grpcio"),
        happens=Circumstances(groups=(("graphql-graphene",), ("grpc-grpcio",))),
        requests=400,
    )
    slices = bundle.slices()
    recorded = slices[slices["recorded"]]
    took_ns = recorded["guard_ns"] + recorded["drain_ns"]
    took_ns += recorded["ended_ns"] - recorded["started_ns"]

    (found,) = analyse(bundle).procedure.efforts

    assert set(recorded["session"]) == {1, 2}
    assert found.permutations == 20
    assert found.permutation_s == pytest.approx(took_ns.sum() / 1e9 / 6 / 20)
    assert found.block_s == pytest.approx(20 - took_ns.sum() / 1e9 / 6)


def test_starts_that_differ_need_more_blocks_instead_of_longer_ones(tmp_path: Path) -> None:
    apart = effort(tmp_path / "starts", Circumstances(start_noise=0.1), requests=400)
    alike = effort(
        tmp_path / "slices", Circumstances(start_noise=0.0, slice_noise=0.2), requests=400
    )

    assert apart.optimal_permutations is not None
    assert apart.optimal_permutations < 20
    assert alike.optimal_permutations is None or alike.optimal_permutations > 40


def test_the_report_states_the_cost_of_blocks_and_a_better_design(
    tmp_path: Path,
) -> None:
    bundle = write_bundle(
        tmp_path / "bundle",
        workloads=("fetch_one",),
        models=TWO,
        happens=Circumstances(start_noise=0.1),
        requests=400,
    )
    analysis = analyse(bundle)
    (spent,) = analysis.procedure.efforts
    output = analysis.procedure.conditions

    assert f"its {spent.permutations} permutations" in output["time of a block"]
    assert output["narrowest intervals in the same time"] == (
        f"{spent.optimal_permutations} permutations a block"
    )


def test_only_another_number_of_permutations_is_recommended() -> None:
    best, short, unlimited, single = (
        Effort(
            "", blocks=6, block_s=1.0, permutation_s=0.2, permutations=20, optimal_permutations=n
        )
        for n in (20, 31, None, 1)
    )

    assert dict(recommended([best])) == {}
    assert list(dict(recommended([best, short])).values()) == ["31 permutations a block"]
    assert list(dict(recommended([single])).values()) == ["1 permutation a block"]
    assert list(dict(recommended([unlimited])).values()) == ["longer blocks instead of more blocks"]
