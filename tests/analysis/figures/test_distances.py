"""A distance between two cells, split into its causes."""

import pandas as pd
import pytest

from wirelab.analysis.figures.distances import split_distances
from wirelab.analysis.values import RunValues
from wirelab.study import Cell, load_study

STUDY = load_study("muppaneni")
TIMES_US = {
    ("grpc-aio", "interactions", "hundred-users"): 100.0,
    ("rest-fastapi", "interactions", "hundred-users"): 110.0,
    ("grpc-aio", "interactions_shown", "hundred-users"): 50.0,
    ("rest-fastapi", "interactions_shown", "hundred-users"): 110.0,
    ("rest-fastapi-rounds", "interactions_shown", "hundred-users"): 330.0,
    ("rest-fastapi-rounds", "interactions_shown", "hundred-users-reconnecting"): 396.0,
}
"""Mean response times; every block takes longer than the one before."""


def cell(contender: str, workload: str, load: str, environment: str = "native") -> Cell:
    return Cell(contender, workload, "postgresql", environment, load)


def values_of(times_us: dict[Cell, float]) -> RunValues:
    blocks = range(1, 7)
    return RunValues(
        {
            each: pd.DataFrame(
                {"latency_mean_us": [time * k for k in blocks], "machine": ""}, index=[*blocks]
            )
            for each, time in times_us.items()
        },
        {},
        (),
        STUDY.baseline,
    )


def by_cell(**change: str) -> dict[Cell, float]:
    return {cell(*key, **change): time for key, time in TIMES_US.items()}


def test_each_cause_has_its_factor_and_the_product_is_the_whole() -> None:
    times_us = by_cell()

    (found,) = split_distances(STUDY, [*times_us], values_of(times_us))

    assert "Python" in found.title
    assert [part.comparison.ratio for part in found.parts] == pytest.approx([1.1, 2.0, 3.0, 1.2])
    assert found.whole.ratio == pytest.approx(7.92)
    assert found.whole.blocks == 6
    assert all(part.cause in found.sentence for part in found.parts)


@pytest.mark.parametrize("missing", [*TIMES_US])
def test_a_distance_of_which_a_cell_is_missing_is_left_out(missing: tuple[str, str, str]) -> None:
    times_us = by_cell()
    del times_us[cell(*missing)]

    assert split_distances(STUDY, [*times_us], values_of(times_us)) == ()


def test_cells_of_two_places_are_not_mixed() -> None:
    times_us = by_cell()
    far = cell("rest-fastapi-rounds", "interactions_shown", "hundred-users-reconnecting")
    times_us[cell(far.contender, far.workload, far.load, "native-1-cpu")] = times_us.pop(far)

    assert split_distances(STUDY, [*times_us], values_of(times_us)) == ()
