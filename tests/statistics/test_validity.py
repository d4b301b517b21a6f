"""Each limit of a valid run, on both sides; the table of percentiles that may be shown."""

from dataclasses import replace

import pytest

from wirelab.statistics import (
    LIMITS,
    BrokenRule,
    Reporting,
    Rule,
    RunFigures,
    broken_rules,
    minimum_requests,
    reporting,
)

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
        (
            {"violations": ["an unasked message"]},
            {"violations": []},
            BrokenRule(Rule.PROTOCOL, 1, 0, ("an unasked message",)),
        ),
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


@pytest.mark.parametrize(
    ("quantile", "bounded_from", "printed_from"),
    [
        (0.50, 6, 200),
        (0.90, 36, 1_000),
        (0.95, 72, 2_000),
        (0.99, 368, 10_000),
        (0.999, 3_688, 100_000),
        (0.9999, 36_887, 1_000_000),
    ],
)
def test_table_of_what_may_be_reported(
    quantile: float, bounded_from: int, printed_from: int
) -> None:
    assert minimum_requests(quantile) == bounded_from
    assert reporting(quantile, bounded_from - 1) is Reporting.OMITTED
    assert reporting(quantile, bounded_from) is Reporting.GREY
    assert reporting(quantile, printed_from - 1) is Reporting.GREY
    assert reporting(quantile, printed_from) is Reporting.PRINTED


def test_low_quantiles_are_judged_by_their_mirror_image() -> None:
    assert reporting(0.01, 367) is Reporting.OMITTED
    assert reporting(0.01, 10_000) is Reporting.PRINTED
