"""How much to measure: what a group took, and how the same time would resolve the most."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.bundles.circumstances import Circumstances
from tests.support.bundles.models import models_of
from tests.support.bundles.small import write_small
from tests.support.wording import assert_worded
from wirelab.analysis import Analysis, analyse
from wirelab.analysis.answers.effort import Effort
from wirelab.analysis.conditions import recommended

TWO = models_of("rest-flask", "grpc-grpcio")


def measured(folder: Path, happens: Circumstances, **options: Any) -> Analysis:
    return analyse(write_small(folder, happens, models=TWO, **options))


def effort(analysis: Analysis) -> Effort:
    (found,) = analysis.procedure.efforts
    return found


def test_the_time_of_a_group_is_distinguished_from_that_of_its_slices(tmp_path: Path) -> None:
    found = effort(measured(tmp_path, Circumstances()))

    assert (found.group, found.blocks, found.permutations) == ("fetch_one-sequential", 6, 20)
    # Three servers, 20 requests of 1.0 to 1.5 ms in each slice, with guard and drain.
    assert found.permutation_s == pytest.approx(0.1, rel=0.2)
    assert found.block_s == pytest.approx(20 - 20 * found.permutation_s)


def test_the_time_of_starts_excludes_the_slices_of_all_sessions(
    tmp_path: Path,
) -> None:
    groups = (("graphql-graphene",), ("grpc-grpcio",))
    bundle = write_small(tmp_path, Circumstances(groups=groups))
    slices = bundle.slices()
    recorded = slices[slices["recorded"]]
    took_ns = recorded["guard_ns"] + recorded["drain_ns"]
    took_ns += recorded["ended_ns"] - recorded["started_ns"]

    found = effort(analyse(bundle))

    assert set(recorded["session"]) == {1, 2}
    assert found.permutations == 20
    assert found.permutation_s == pytest.approx(took_ns.sum() / 1e9 / 6 / 20)
    assert found.block_s == pytest.approx(20 - took_ns.sum() / 1e9 / 6)


def test_starts_that_differ_need_more_blocks_instead_of_longer_ones(tmp_path: Path) -> None:
    starts, slices = Circumstances(start_noise=0.1), Circumstances(start_noise=0, slice_noise=0.2)
    analysis = measured(tmp_path / "starts", starts)
    apart = effort(analysis)
    alike = effort(measured(tmp_path / "slices", slices))

    assert apart.optimal_permutations is not None
    assert apart.optimal_permutations < 20
    assert alike.optimal_permutations is None or alike.optimal_permutations > 40
    conditions = analysis.procedure.conditions
    assert conditions.items() >= dict(recommended([apart])).items()
    assert f"its {apart.permutations} permutations" in " ".join(conditions.values())


def test_only_another_number_of_permutations_is_recommended() -> None:
    best, short, unlimited, single = (
        Effort(
            "", blocks=6, block_s=1.0, permutation_s=0.2, permutations=20, optimal_permutations=n
        )
        for n in (20, 31, None, 1)
    )

    assert dict(recommended([best])) == {}
    others = ([best, short], [single], [unlimited])
    assert_worded("\n".join(f"{key}: {text}" for it in others for key, text in recommended(it)))
