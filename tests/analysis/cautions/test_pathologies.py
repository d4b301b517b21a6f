"""Pathologies that show in the figures of a run alone."""

import math
from collections.abc import Sequence

import pandas as pd
import pytest

from tests.support.wording import assert_worded
from wirelab.analysis.cautions.caution import At, Caution
from wirelab.analysis.cautions.generator import CeilingUnknown, NearCeiling, find_ceilings
from wirelab.analysis.cautions.pathologies import find_pathologies
from wirelab.study import Cell, ClosedLoad


def found_in(
    quantiles_us: Sequence[float], first_byte_us: float, *, busy: float = 0.1, ceiling: float = 0.1
) -> list[Caution]:
    """What is found of a contender with these figures at p50, p90, p95 and p99."""
    cell = Cell("a", "w", "own", "native", "many", "none")
    names = ("p50", "p90", "p95", "p99")
    frame = pd.DataFrame(
        {
            **{f"service_{name}_us": [us] for name, us in zip(names, quantiles_us, strict=True)},
            **{f"first_byte_{name}_us": [first_byte_us] for name in names},
            "transactions": [1000],
            "connections": [64],
            "engine_busy_share": [busy],
            "context_ceiling_share": [ceiling],
        }
    )
    load = ClosedLoad(kind="closed", title="many", clients=64)

    def at(cell: Cell, figures: str) -> At:
        return At(cell.contender, cell.workload, figures)

    found = find_pathologies({cell: frame}, {"many": load}, at)
    return [*found, *find_ceilings({cell: frame}, at)]


@pytest.mark.parametrize(
    ("quantiles_us", "found"),
    [
        ([900.0, 1500.0, 41_000.0, 43_000.0], True),
        ([41_000.0, 41_500.0, 43_000.0, 60_000.0], True),
        ([23_800.0, 35_000.0, 38_400.0, 44_600.0], False),  # a tail that passes by, of two rounds
        ([900.0, 1500.0, 30_000.0, 39_000.0], False),
    ],
)
def test_a_plateau_begins_with_a_jump(quantiles_us: list[float], found: bool) -> None:
    assert bool(found_in(quantiles_us, first_byte_us=800.0)) == found


@pytest.mark.parametrize(
    ("busy", "ceiling", "kind", "percent"),
    [(0.7, 0.66, NearCeiling, "66"), (0.63, math.nan, CeilingUnknown, "63")],
)
def test_a_generator_near_its_ceiling_or_busy_if_that_is_unknown(
    busy: float, ceiling: float, kind: type[NearCeiling | CeilingUnknown], percent: str
) -> None:
    """From figures alone: which server brings the generator there depends on the machine."""
    (found,) = found_in([900.0] * 4, first_byte_us=800.0, busy=busy, ceiling=ceiling)

    assert isinstance(found, kind)
    (place,) = found.places
    assert percent in place.figures
    assert_worded(place)
