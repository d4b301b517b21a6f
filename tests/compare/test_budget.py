"""The budget of a comparison: what it must suffice for, and how it is written."""

import pytest

from wirelab.compare.budget import LEAST_WARM_UP, WARM_UP_TRANSACTIONS, spend
from wirelab.compare.terms import Terms
from wirelab.inputs.times import read_seconds
from wirelab.study.design import FIRST_VERDICT
from wirelab.terminal import words


@pytest.mark.parametrize(("seconds", "is_short"), [(5.0, True), (30.0, False)])
def test_a_budget_that_will_be_exceeded_comes_with_the_reason(
    seconds: float, is_short: bool
) -> None:
    spending = spend(seconds, 1, 3, request_s=0.001, start_s=0.0)

    why = spending.why_exceeded()
    assert bool(why) == is_short
    if is_short:
        assert f"at least {FIRST_VERDICT} blocks" in why
        assert spending.minimum_s > seconds


def test_the_expected_time_is_about_that_of_real_comparisons() -> None:
    """Six blocks of two addresses and their twin took 9.6 to 10.3 s on an idle machine."""
    addresses = spend(5.0, 1, 3, request_s=0.0003, start_s=0.0)

    assert addresses.minimum_s == pytest.approx(FIRST_VERDICT * 3 * (0.3 + 6 * 0.058))
    assert 10.3 < 6 / FIRST_VERDICT * addresses.minimum_s < 12.0


def test_the_expected_time_of_servers_to_start_includes_their_rehearsals() -> None:
    running = spend(5.0, 1, 3, request_s=0.001, start_s=0.0)
    started = spend(5.0, 1, 3, request_s=0.001, start_s=1.5, rehearsal_s=0.5)

    more_s = started.minimum_s - running.minimum_s
    assert more_s == pytest.approx(FIRST_VERDICT * (1.5 + 3 * 0.5))


@pytest.mark.parametrize("rate_per_s", [0.5, 2.0, 10.0])
def test_the_expected_time_includes_the_intervals_of_a_low_rate(rate_per_s: float) -> None:
    interval_s = Terms(margin=0.05, rate_per_s=rate_per_s).interval_s(0.001)
    contenders = 3
    spending = spend(5.0, 1, contenders, request_s=0.001, start_s=0.0, interval_s=interval_s)
    slices = FIRST_VERDICT * contenders * spending.permutations
    warm_up_s = FIRST_VERDICT * contenders * 1.5 * spending.warm_up / rate_per_s

    assert spending.minimum_s > slices * max(1.0, interval_s) + warm_up_s


@pytest.mark.parametrize(
    ("request_s", "transactions"),
    [(0.001, WARM_UP_TRANSACTIONS), (0.045, 11), (4.0, LEAST_WARM_UP)],
)
def test_slow_servers_are_warmed_up_with_fewer_requests(
    request_s: float, transactions: int
) -> None:
    spending = spend(40.0, 1, 3, request_s=request_s, start_s=0.0)

    assert spending.warm_up == transactions
    assert bool(spending.why_exceeded()) == (request_s > 1)


@pytest.mark.parametrize(
    ("seconds", "written"), [(3, "10s"), (31, "40s"), (55, "1m"), (115, "2m"), (121, "3m")]
)
def test_a_budget_is_rounded_up_and_can_be_read_again(seconds: float, written: str) -> None:
    assert words.budget(seconds) == written
    assert read_seconds(written) >= seconds
