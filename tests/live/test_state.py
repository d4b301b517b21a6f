"""Events of a study folded into figures."""

from typing import Any

import pytest

from wirelab.live.history import MOST_BINS, History
from wirelab.live.state import LiveState


def turn(who: str, **changes: Any) -> dict[str, Any]:
    """A slice of 50 ms with ten transactions of 4 ms, and a guard of 50 ms."""
    return {
        "who": who,
        "transactions": 10,
        "failed": 0,
        "errors": {},
        "seconds": 0.05,
        "whole_s": 0.1,
        "mean_us": 4000.0,
        "p50_us": 4000.0,
        "p90_us": 5000.0,
        "p99_us": 9000.0,
        "cpu_us": {"contender": 30_000.0, "store": None},
        **changes,
    }


def send_event(state: LiveState, at: float, event: str, **what: Any) -> None:
    state.take({"event": event, "at": at, **what})


@pytest.fixture
def state() -> LiveState:
    made = LiveState()
    send_event(made, 100.0, "bundle", path="/bundle", expected_s=60.0, at_least=False)
    return made


def test_stages_count_their_steps_and_estimate_the_remaining_time(state: LiveState) -> None:
    send_event(state, 100.0, "phase", text="Setting up", steps=4)
    send_event(state, 100.0, "step", text="building a")
    send_event(state, 103.0, "step", text="building b")
    stage = state.stages[0]
    assert (stage.done, stage.step) == (1, "building b")
    assert stage.seconds_left(103.0) == pytest.approx(9.0)

    send_event(state, 110.0, "phase", text="Measuring", steps=6)
    assert (stage.done, stage.seconds(200.0), stage.seconds_left(200.0)) == (4, 10.0, None)
    measuring = state.stages[1]
    assert measuring.seconds_left(110.0) is None
    block = {"id": "b1", "number": 1, "group": "reads", "attempt": 1}
    send_event(state, 110.0, "block", **block)
    assert measuring.seconds_left(120.0) == pytest.approx(50.0)  # as planned
    send_event(state, 130.0, "block_finished", id="b1", seconds=20.0, invalid={"r": "it died"})
    assert measuring.seconds_left(130.0) == pytest.approx(100.0)  # as it turned out
    assert state.runs_invalid == 1
    assert list(state.notes) == ["not counted: r: it died"]


def test_a_block_that_is_repeated_counts_once(state: LiveState) -> None:
    send_event(state, 100.0, "phase", text="Measuring", steps=2)
    for attempt in (1, 2):
        send_event(state, 100.0, "block", id="b1", number=1, group="g", attempt=attempt)
        send_event(state, 101.0, "block_finished", id="b1", seconds=1.0, invalid={})
    assert (state.stages[0].done, state.blocks_finished) == (1, {"b1"})


def test_turns_become_rates_percentiles_errors_and_costs(state: LiveState) -> None:
    first = turn("rest", p99_us=10_000.0)
    second = turn("rest", transactions=30, failed=3, errors={"timeout": 3}, p99_us=20_000.0)
    send_event(state, 101.0, "turns", turns=[first, second])

    tally = state.tallies["rest"]
    assert tally.rate() == pytest.approx(40 / 0.1)
    assert tally.typical("p99_us") == pytest.approx(15_000.0)
    assert (tally.transactions, tally.failed, tally.errors["timeout"]) == (40, 3, 3)
    assert tally.duration_s == pytest.approx(37 * 0.004)
    assert state.cpu_s["rest", "contender"] == pytest.approx(0.06)
    assert ("rest", "store") not in state.cpu_s  # it was gone
    series = state.history.since(0, 101.5)
    assert series["rate/rest"] == [None, pytest.approx(400.0)]
    assert series["cpu/rest/contender"] == [None, pytest.approx(0.3)]


def test_the_activity_is_removed_when_the_block_ends(state: LiveState) -> None:
    send_event(state, 100.0, "phase", text="Measuring", steps=2)
    send_event(state, 100.0, "block", id="b1", number=1, group="g", attempt=1)
    send_event(state, 101.0, "doing", text="trial 7 of 18\x1b")
    assert state.doing == "trial 7 of 18\\x1b"

    send_event(state, 102.0, "block_finished", id="b1", seconds=2.0, invalid={})
    assert state.doing == ""


def test_a_slice_without_any_success_has_no_percentiles(state: LiveState) -> None:
    nothing = {"mean_us": None, "p50_us": None, "p90_us": None, "p99_us": None}
    send_event(state, 101.0, "turns", turns=[turn("rest", failed=10, **nothing)])

    assert state.tallies["rest"].typical("p50_us") is None
    assert state.tallies["rest"].duration_s == 0


def test_current_figures_are_those_of_the_current_block(state: LiveState) -> None:
    send_event(state, 101.0, "turns", turns=[turn("rest")])
    send_event(state, 102.0, "block", id="b2", number=2, group="g", attempt=1)

    assert state.tallies["rest"].rate() is None
    assert state.tallies["rest"].transactions == 10


def test_a_history_of_hours_keeps_its_size_and_its_means() -> None:
    history = History(0.0)
    hours = 4 * 3600
    for second in range(hours):
        history.add(second, "rate/a", 10.0 + second % 2)

    series = history.since(0, hours)["rate/a"]
    assert len(series) <= MOST_BINS
    assert history.width_s == 32
    assert set(series[:-1]) == {10.5}


def test_gaps_are_not_filled() -> None:
    history = History(0.0)
    history.add(0.5, "rate/a", 6.0, 2.0)
    history.add(3.5, "rate/a", 8.0)

    assert history.since(0, 4.2)["rate/a"] == [3.0, None, None, 8.0, None]
    assert history.since(3, 4.2)["rate/a"] == [8.0, None]
