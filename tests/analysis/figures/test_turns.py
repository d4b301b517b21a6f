"""The slices of a session as matrices: who had which turn, and what it took."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.support.bundles.slices import GRPC, LOADS, REST, SOAP, session
from wirelab.analysis.figures.turns import CELL_COLUMNS, SessionTurns, sessions_of

TIMES = {REST: [100.0, 200.0, 400.0], GRPC: [50.0, 100.0, 100.0]}


def test_ratios_are_taken_permutation_by_permutation() -> None:
    turns = session(TIMES)

    assert turns.cells == (REST, GRPC)
    assert np.exp(turns.log_ratios("latency_typical_us", REST, GRPC)) == pytest.approx([2, 2, 4])
    assert turns.log_times("latency_typical_us").shape == (3, 2)


def test_typical_mean_and_throughput_are_kept_apart() -> None:
    turns = session(TIMES, mean_us={cell: [3 * t for t in times] for cell, times in TIMES.items()})

    assert np.exp(turns.logs("latency_typical_us", REST)) == pytest.approx([100, 200, 400])
    assert np.exp(turns.logs("latency_mean_us", REST)) == pytest.approx([300, 600, 1200])
    rates = np.exp(turns.logs("throughput_per_s", REST))
    assert rates == pytest.approx([1e6 / 300, 1e6 / 600, 1e6 / 1200])


def test_the_throughput_of_clients_follows_from_their_mean_time() -> None:
    four = replace(REST, load="u4")
    turns = session({four: [100.0], GRPC: [50.0]}, mean_us={four: [150.0], GRPC: [50.0]})

    # Little's law: four clients, each of which answers for 150 µs and thinks for 50.
    assert np.exp(turns.logs("throughput_per_s", four)) == pytest.approx([4 / 200e-6])


def test_the_throughput_of_a_schedule_is_counted_without_failures() -> None:
    scheduled = replace(REST, load="arrivals")
    turns = session({scheduled: [100.0, 200.0], GRPC: [50.0, 50.0]})
    turns.table.loc[0, "failed"] = 15

    # 20 transactions in 50 ms.
    assert np.exp(turns.logs("throughput_per_s", scheduled)) == pytest.approx([100, 400])


def test_a_slice_without_an_answer_has_no_value_and_neither_has_its_ratio() -> None:
    turns = session(TIMES)
    turns.table.loc[
        (turns.table["cell"] == GRPC) & (turns.table["permutation"] == 2), "median_us"
    ] = np.nan

    ratios = turns.log_ratios("latency_typical_us", REST, GRPC)

    assert math.isnan(ratios[1])
    assert np.exp(ratios[[0, 2]]) == pytest.approx([2, 4])
    assert turns.is_complete  # it had its turn


def test_the_order_contains_the_columns_of_each_permutation() -> None:
    turns = session(TIMES, order=[(GRPC, REST), (REST, GRPC), (GRPC, REST)])

    first = turns.cells.index(GRPC)
    assert turns.order.tolist() == [[first, 1 - first], [1 - first, first], [first, 1 - first]]


def test_a_contender_without_further_turns_makes_the_session_incomplete() -> None:
    turns = session(TIMES, order=[(GRPC, REST), (REST,), (REST,)])

    assert not turns.is_complete
    assert np.isnan(turns.logs("latency_typical_us", GRPC)).tolist() == [False, True, True]


def test_the_stolen_share_is_that_of_all_slices_of_a_permutation() -> None:
    turns = session(TIMES, stolen=[0.0, 0.25, 0.5])

    assert turns.stolen_shares.tolist() == pytest.approx([0.0, 0.25, 0.5])


def test_the_time_of_slices_includes_guards_and_drains() -> None:
    assert session(TIMES).seconds == pytest.approx(3 * 2 * 0.056)


def _slices(*sessions: SessionTurns) -> pd.DataFrame:
    tables = []
    for turns in sessions:
        levels = pd.DataFrame(
            [[getattr(cell, name) for name in CELL_COLUMNS] for cell in turns.table["cell"]],
            columns=CELL_COLUMNS,
        )
        table = turns.table.drop(columns="cell").join(levels)
        tables.append(
            table.assign(block=turns.block, group=turns.group, session=turns.session, recorded=True)
        )
    return pd.concat(tables, ignore_index=True)


def test_sessions_are_distinguished_by_block_group_and_number() -> None:
    slices = _slices(
        session({REST: [1.0], GRPC: [2.0]}, number=1),
        session({REST: [1.0], SOAP: [2.0]}, number=2),
        session({REST: [1.0], GRPC: [2.0]}, block=2),
    )
    valid = list(zip(slices["run_id"], slices["session"], strict=True))

    found = list(sessions_of(slices, valid, LOADS))

    assert [(each.block, each.session, set(each.cells)) for each in found] == [
        (1, 1, {REST, GRPC}),
        (1, 2, {REST, SOAP}),
        (2, 1, {REST, GRPC}),
    ]


def test_rehearsals_and_runs_that_do_not_count_are_left_out() -> None:
    slices = _slices(session(TIMES))
    slices.loc[slices["permutation"] == 1, "recorded"] = False

    (found,) = sessions_of(slices, [("rest", 1)], LOADS)

    assert found.cells == (REST,)
    assert sorted(found.table["permutation"]) == [2, 3]


def test_without_slices_there_are_no_sessions() -> None:
    assert list(sessions_of(pd.DataFrame(), [("rest", 1)], LOADS)) == []
