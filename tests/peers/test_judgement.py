"""States, ratios and verdicts."""

import pytest

from benches.peers.goal import Goal, LimitGoal, RatioGoal
from benches.peers.judgement import Comparison, Outcome, Ratio
from benches.peers.result import Run
from benches.peers.state import state_of
from tests.peers.rows import fidelity, not_built, run

SLOW = (6.2, 6.3)


def ratio_of(runs: list[Run]) -> Ratio:
    ratio = Comparison(runs).ratio("http1-small", "wirelab-load", "floor")
    assert ratio is not None
    return ratio


def judge(comparison: Comparison, goal: Goal) -> Outcome:
    (outcome,) = comparison.judge([goal])
    return outcome


def test_the_states_are_those_of_both_probes() -> None:
    assert state_of(run("wrk", 0, 7, probes=(5.0, 5.6)), 5.0) == "fast"
    assert state_of(run("wrk", 0, 7, probes=(5.85, 6.4)), 5.0) == "slow"
    assert state_of(run("wrk", 0, 7, probes=(5.0, 6.4)), 5.0) == "mixed"
    assert state_of(run("wrk", 0, 7, probes=(5.7, 5.7)), 5.0) == "mixed"


def test_a_ratio_compares_rounds_and_leaves_out_those_in_different_states() -> None:
    runs = [
        *(run("wirelab-load", round_, 6.3) for round_ in range(3)),
        *(run("floor", round_, 6.0) for round_ in range(3)),
        run("wirelab-load", 3, 7.875, probes=SLOW),
        run("floor", 3, 7.5, probes=SLOW),
        run("wirelab-load", 4, 7.8, probes=SLOW),
        run("floor", 4, 6.0),
        run("wirelab-load", 5, 7.0, probes=(5.0, 6.3)),
        run("floor", 5, 7.0, probes=(5.0, 6.3)),
    ]

    ratio = ratio_of(runs)

    assert ratio.pairs == 4
    assert ratio.value == pytest.approx(1.05)
    assert ratio.low == pytest.approx(1.05)


def test_without_the_state_the_same_runs_would_mislead() -> None:
    runs = [
        run("wirelab-load", 0, 7.5, probes=SLOW),
        run("floor", 0, 6.0),
        run("wirelab-load", 1, 6.0),
        run("floor", 1, 6.0),
    ]
    ratio = ratio_of(runs)
    assert ratio.value == pytest.approx(1.0)
    assert ratio.pairs == 1
    assert ratio.low is None


def test_the_last_attempt_counts() -> None:
    runs = [run("floor", 0, 9.0), run("floor", 0, 6.0, attempt=2), run("wirelab-load", 0, 6.0)]
    assert ratio_of(runs).value == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("ours", "goal", "verdict"),
    [
        (6.3, RatioGoal("http1-small", "floor", 1.06), "met"),
        (6.3, RatioGoal("http1-small", "floor", 1.04), "missed"),
        (6.0, RatioGoal("http1-small", "floor", 1.0), "met"),
        (6.0, RatioGoal("http1-small", "floor", 1.0, strictly=True), "missed"),
        (6.0, RatioGoal("http1-small", "wrk", 1.0), "not measured"),
    ],
)
def test_a_ratio_goal(ours: float, goal: RatioGoal, verdict: str) -> None:
    comparison = Comparison([run("wirelab-load", 0, ours), run("floor", 0, 6.0)])
    assert judge(comparison, goal).verdict == verdict


def test_a_goal_of_a_missing_feature_is_neither_met_nor_missed() -> None:
    comparison = Comparison([not_built("wirelab-load"), run("wrk", 0, 9.0)])
    outcome = judge(comparison, RatioGoal("http1-small", "wrk", 1.0))
    assert outcome.verdict == "not built"
    assert outcome.reason.startswith("target.tls")


def test_the_reason_for_a_missing_ratio_is_reported() -> None:
    comparison = Comparison([run("wirelab-load", 0, 6.0), run("wrk", 0, 9.0, probes=SLOW)])
    outcome = judge(comparison, RatioGoal("http1-small", "wrk", 1.0))
    assert outcome.verdict == "not measured"
    assert "state" in outcome.reason


@pytest.mark.parametrize(
    ("reported_us", "verdict"), [(15.0, "met"), (19.0, "missed"), (-3.0, "missed")]
)
def test_a_distance_from_the_truth_counts_on_both_sides(reported_us: float, verdict: str) -> None:
    runs = [
        run("wirelab-load", round_, 6, case="schedule", p50_us=reported_us, fidelity=fidelity())
        for round_ in range(3)
    ]
    goal = LimitGoal("schedule", "wirelab-load", "reported p50 − true p50, µs", 10)
    assert judge(Comparison(runs), goal).verdict == verdict


def test_the_middle_round_decides_about_a_limit() -> None:
    runs = [
        run("wirelab-load", round_, 6, case="schedule", fidelity=seen)
        for round_, seen in enumerate(fidelity(schedule_error_p99_us=us) for us in (40, 900, 45))
    ]
    goal = LimitGoal("schedule", "wirelab-load", "schedule error p99, µs", 50)
    outcome = judge(Comparison(runs), goal)
    assert (outcome.verdict, outcome.value) == ("met", 45)


def test_memory_is_judged_in_megabytes() -> None:
    goal = LimitGoal("memory", "wirelab-load", "peak memory, MB", 64)
    runs = [run("wirelab-load", 0, 6, case="memory", memory_peak_bytes=64_000_001)]
    assert judge(Comparison(runs), goal).verdict == "missed"
    assert judge(Comparison([]), goal).verdict == "not measured"
