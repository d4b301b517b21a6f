"""How long slices last."""

import pytest

from wirelab.engine.events import Warm
from wirelab.experiment.blocks.slicing import PermutationStream, SliceShape, shape_slices
from wirelab.study import ClosedLoad, Slices


def warm(target: int, *, per_s: float, mean_us: float) -> Warm:
    return Warm(
        target=target,
        seconds=1.0,
        transactions=round(per_s),
        failed=0,
        errors={},
        status=None,
        mean_us=mean_us,
        median_us=mean_us,
        p99_us=2 * mean_us,
    )


def shape_for(clients: int, *rates_per_s: float, **slices: object) -> SliceShape:
    load = ClosedLoad(title="users", kind="closed", clients=clients)
    found = {
        at: warm(at, per_s=rate, mean_us=1e6 * clients / rate)
        for at, rate in enumerate(rates_per_s)
    }
    return shape_slices(Slices.model_validate(slices), [load] * len(found), found, 1)


@pytest.mark.parametrize(
    ("clients", "rates_per_s", "seconds", "transactions"),
    [
        (1, (10_000.0, 1_000.0), 0.05, None),  # the least duration
        (1, (1_000.0, 100.0), 0.2, None),  # 20 transactions of the slowest
        (1, (1_000.0, 8.0), None, 8),  # as many as fit into the longest slice
        (1, (1_000.0, 0.1), None, 1),
        (50, (1_000.0, 100.0), 0.5, None),  # one transaction of each client
        (50, (1_000.0, 10.0), None, 50),  # one of each, even if the slice is longer than planned
    ],
)
def test_the_slowest_contender_sets_the_duration(
    clients: int, rates_per_s: tuple[float, ...], seconds: float | None, transactions: int | None
) -> None:
    shape = shape_for(clients, *rates_per_s)

    assert shape.seconds == (None if seconds is None else pytest.approx(seconds))
    assert shape.transactions == transactions


def test_a_queue_forms_before_a_slice_begins() -> None:
    """Each client is served twice before anything counts: the guard is two response times."""
    shape = shape_for(50, 1_000.0, 100.0)

    assert shape.guards_us == (100_000, 1_000_000)


def test_slices_by_count_continue_behind_what_the_warm_up_sent() -> None:
    shape = shape_for(1, 1_000.0, 8.0)
    assert shape.transactions == 8

    stream = PermutationStream(1, 0, 10, place=7)

    firsts = [{each.first for each in turns} for turns in stream.take(3, [0, 1], shape)]
    assert firsts == [{7}, {5}, {3}]
    assert stream.place == 1
