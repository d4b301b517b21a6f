"""How long a contender may take to start."""

from dataclasses import replace

import pytest

from tests.library.standing import CONTENDERS
from wirelab.experiment.preparation.launcher import start_limit_s

CONTENDER = next(iter(CONTENDERS.values()))


@pytest.mark.parametrize(("start_seconds", "limit_s"), [(None, 30), (4.0, 30), (20.0, 100)])
def test_a_contender_known_to_start_slowly_gets_longer(
    start_seconds: float | None, limit_s: float
) -> None:
    assert start_limit_s(replace(CONTENDER, start_seconds=start_seconds)) == limit_s


def test_a_server_that_already_runs_gets_no_time_to_start() -> None:
    external = replace(CONTENDER, address="http://127.0.0.1:1", start_seconds=20.0)

    assert start_limit_s(external) == 10
