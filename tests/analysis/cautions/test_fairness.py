"""Turns are fair unless a contender slows others down, or works out of turn."""

import itertools

import numpy as np
import pandas as pd
import pytest

from tests.statistics.constructed import known
from tests.support.bundles.slices import GRPC, LOADS, REST, SOAP, noisy, session, values_of
from wirelab.analysis.cautions.fairness import check_fairness
from wirelab.analysis.figures.turns import SessionTurns
from wirelab.study import Cell

CELLS = (REST, GRPC, SOAP)
TYPICAL = {REST: 100.0, GRPC: 80.0, SOAP: 150.0}
METRIC = "latency_typical_us"


def measured(after_soap: float = 0.0, *, blocks: int = 6, seed: int = 1) -> list[SessionTurns]:
    """Return sessions in which contenders after SOAP take longer, by this much on the log scale."""
    random = np.random.default_rng(seed)
    sessions = []
    for block in range(1, blocks + 1):
        orders = [tuple(CELLS[place] for place in random.permutation(3)) for _ in range(30)]
        times = {cell: noisy(TYPICAL[cell], random) for cell in CELLS}
        turns = [(number, cell) for number, order in enumerate(orders) for cell in order]
        for (_, before), (number, cell) in itertools.pairwise(turns):
            if before == SOAP:
                times[cell][number] *= np.exp(after_soap)
        sessions.append(session(times, order=orders, block=block))
    return sessions


def test_fair_turns_raise_no_caution() -> None:
    (found,) = check_fairness(values_of(*measured()), METRIC)

    assert found.group == "fetch"
    assert set(found.cells) == set(CELLS)
    assert found.carry_over is not None
    assert not found.carries_over


def test_a_contender_that_slows_down_its_successors_is_found_and_measured() -> None:
    (found,) = check_fairness(values_of(*measured(after_soap=0.06)), METRIC)

    assert found.carries_over
    effects = dict(zip(found.cells, known(found.carry_over).after, strict=True))
    worst = max(effects, key=lambda cell: effects[cell].value)
    assert worst == SOAP
    # Effects add up to zero: SOAP's is 0.06 above that of each of the two others.
    others = [effects[cell].value for cell in (REST, GRPC)]
    assert effects[SOAP].value - sum(others) / 2 == pytest.approx(0.06, abs=0.02)


@pytest.mark.parametrize(
    ("idle", "busy"),
    [
        ({REST: 0.002, GRPC: 0.03, SOAP: 0.2}, {SOAP: 0.2, GRPC: 0.03}),
        ({REST: 0.002}, {}),  # it is not known of the others
        (dict.fromkeys(CELLS, 0.004), {}),
    ],
)
def test_contenders_that_work_out_of_turn_are_named_busiest_first(
    idle: dict[Cell, float | None], busy: dict[Cell, float]
) -> None:
    sessions = measured()
    index = pd.Index(range(1, len(sessions) + 1), name="block")
    runs = {cell: pd.DataFrame({"idle_cpu_share": idle.get(cell)}, index=index) for cell in CELLS}

    (found,) = check_fairness(values_of(*sessions, runs=runs), METRIC)

    assert list(found.busy) == list(busy)
    assert found.busy == pytest.approx(busy)


def test_a_block_that_a_contender_left_early_is_ignored() -> None:
    sessions = measured(after_soap=0.06)
    table = sessions[0].table
    left = (table["cell"] == GRPC) & (table["permutation"] > 4)
    sessions[0] = SessionTurns(1, "fetch", 1, table[~left], LOADS)

    (found,) = check_fairness(values_of(*sessions), METRIC)

    assert known(found.carry_over).blocks == 5


def test_one_block_gives_no_carry_over() -> None:
    (found,) = check_fairness(values_of(*measured(blocks=1)), METRIC)

    assert found.carry_over is None
    assert not found.carries_over
