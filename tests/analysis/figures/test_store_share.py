"""The share of the store comes out as the model behind the bundle put it in."""

import pytest

from tests.support.bundles.models import MODELS
from wirelab.analysis import Analysis


def test_the_share_of_the_store_is_the_time_beyond_the_control(analysis: Analysis) -> None:
    shares = {(s.cell.contender, s.cell.workload): s for s in analysis.figures.store_shares}

    assert len(shares) == 5 * 3
    model = MODELS["grpc-grpcio"]
    expected = 1 - model.latency_us[0] / model.latency_us[2]
    found = shares["grpc-grpcio", "fetch_one"].beyond_control
    assert found.value == pytest.approx(expected, abs=0.03)
    assert found.interval is not None
    assert found.interval.low < expected < found.interval.high
