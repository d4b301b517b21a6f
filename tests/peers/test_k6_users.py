"""What a user's time is counted as: response, or the client's own."""

import pytest

from benches.k6_users.k6 import steady_rate
from benches.k6_users.window import Window


def test_time_outside_the_response_is_that_of_the_client() -> None:
    window = Window(
        transactions=4000, throughput_per_s=500.0, response_mean_us=60_000.0, client_cpu_us=900.0
    )

    assert window.outside_us(50) == pytest.approx(40_000.0)


def test_the_start_of_the_interpreters_is_no_cost_of_a_request() -> None:
    starting = [(10.0, 0.0), (11.0, 1.9), (12.9, 2.0)]
    steady = [(13.0 + second, 2.0 + 0.5 * second) for second in range(5)]

    assert steady_rate([*starting, *steady], 6.5) == pytest.approx(0.5)
