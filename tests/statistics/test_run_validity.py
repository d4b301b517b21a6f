"""Each limit of a valid run, on both sides."""

from dataclasses import replace

import pytest

from wirelab.statistics import LIMITS, BrokenRule, Rule, RunFigures, broken_rules

GOOD = RunFigures(
    transactions=10_000,
    failed=0,
    little_closure=0.998,
    lag_p50_us=20.0,
    latency_p50_us=1500.0,
    generator_busy_share=0.4,
    ceiling_share=0.3,
)


def test_a_good_run_breaks_no_rule() -> None:
    assert broken_rules(GOOD) == ()


def test_unknown_values_break_no_rule() -> None:
    assert broken_rules(RunFigures(transactions=1, failed=0)) == ()


@pytest.mark.parametrize(
    ("change", "allowed", "broken"),
    [
        ({"failed": 11}, {"failed": 10}, BrokenRule(Rule.FAILURES, 0.0011, 0.001)),
        ({"failed": 10_000}, {"failed": 0}, BrokenRule(Rule.SUCCESS, 0, 0)),
        ({"transactions": 0}, {"transactions": 1}, BrokenRule(Rule.SUCCESS, 0, 0)),
        (
            {"little_closure": 0.965},
            {"little_closure": 0.975},
            BrokenRule(Rule.LITTLE, 0.965, LIMITS.little_gap_share),
        ),
        (
            {"little_closure": 1.035},
            {"little_closure": 1.025},
            BrokenRule(Rule.LITTLE, 1.035, LIMITS.little_gap_share),
        ),
        (
            {"lag_p50_us": 1001.0},
            {"lag_p50_us": 1000.0},
            BrokenRule(Rule.SCHEDULE, 1001, LIMITS.lag_us),
        ),
        (
            {"lag_p50_us": 2600.0, "latency_p50_us": 50_000.0},
            {"lag_p50_us": 2500.0, "latency_p50_us": 50_000.0},
            BrokenRule(Rule.SCHEDULE, 2600, 2500),
        ),
        (
            {"generator_busy_share": 0.86},
            {"generator_busy_share": 0.85},
            BrokenRule(Rule.GENERATOR, 0.86, 0.85),
        ),
        ({"ceiling_share": 0.80}, {"ceiling_share": 0.79}, BrokenRule(Rule.CEILING, 0.8, 0.8)),
    ],
)
def test_each_limit(
    change: dict[str, float], allowed: dict[str, float], broken: BrokenRule
) -> None:
    assert broken_rules(replace(GOOD, **change)) == (broken,)  # type: ignore[arg-type]
    assert broken_rules(replace(GOOD, **allowed)) == ()  # type: ignore[arg-type]


def test_every_broken_rule_is_given() -> None:
    bad = replace(GOOD, failed=500, ceiling_share=0.9, generator_busy_share=1.0)

    assert len(broken_rules(bad)) == 3
