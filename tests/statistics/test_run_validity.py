"""Each limit of a valid run, on both sides."""

from dataclasses import replace

import pytest

from wirelab.statistics import RunFigures, reasons_invalid

GOOD = RunFigures(
    transactions=10_000,
    failed=0,
    little_closure=0.998,
    lag_p50_us=20.0,
    latency_p50_us=1500.0,
    generator_busy_share=0.4,
    ceiling_share=0.3,
)


def test_a_good_run_has_no_reasons() -> None:
    assert reasons_invalid(GOOD) == ()


def test_unknown_values_break_no_rule() -> None:
    assert reasons_invalid(RunFigures(transactions=1, failed=0)) == ()


@pytest.mark.parametrize(
    ("change", "allowed", "reason"),
    [
        ({"failed": 11}, {"failed": 10}, "0.11\u00a0% of transactions failed (limit 0.10\u00a0%)"),
        (
            {"violations": ["a message that answers no request"]},
            {"violations": []},
            "the server broke its protocol: a message that answers no request",
        ),
        ({"failed": 10_000}, {"failed": 0}, "no transaction succeeded"),
        ({"transactions": 0}, {"transactions": 1}, "no transaction succeeded"),
        (
            {"little_closure": 0.965},
            {"little_closure": 0.975},
            "Little's law accounts for 96.5\u00a0% of the clients' time (limit ±3\u00a0%)",
        ),
        (
            {"little_closure": 1.035},
            {"little_closure": 1.025},
            "Little's law accounts for 103.5\u00a0% of the clients' time (limit ±3\u00a0%)",
        ),
        (
            {"lag_p50_us": 1001.0},
            {"lag_p50_us": 1000.0},
            "half of the transactions started 1001 µs late or more (limit 1000 µs): the generator,"
            " or its connections, could not keep the schedule",
        ),
        (
            {"lag_p50_us": 2600.0, "latency_p50_us": 50_000.0},
            {"lag_p50_us": 2500.0, "latency_p50_us": 50_000.0},
            "half of the transactions started 2600 µs late or more (limit 2500 µs): the generator,"
            " or its connections, could not keep the schedule",
        ),
        (
            {"generator_busy_share": 0.86},
            {"generator_busy_share": 0.85},
            "the generator used 86\u00a0% of its CPUs (limit 85\u00a0%)",
        ),
        (
            {"ceiling_share": 0.80},
            {"ceiling_share": 0.79},
            "the run reached 80\u00a0% of the generator's ceiling on this machine"
            " (limit 80\u00a0%)",
        ),
    ],
)
def test_each_limit(change: dict[str, float], allowed: dict[str, float], reason: str) -> None:
    assert reasons_invalid(replace(GOOD, **change)) == (reason,)  # type: ignore[arg-type]
    assert reasons_invalid(replace(GOOD, **allowed)) == ()  # type: ignore[arg-type]


def test_every_reason_is_given() -> None:
    bad = replace(GOOD, failed=500, ceiling_share=0.9, generator_busy_share=1.0)

    assert len(reasons_invalid(bad)) == 3
