"""k6 as a client: what it sends is counted and refused as what the engine sends."""

from pathlib import Path

import numpy as np
import pytest

from tests.support.http_server import QuietHandler, http_server
from wirelab.installation.k6 import find_k6
from wirelab.measure.k6 import QUANTILES, K6Job, _summary, k6_window


class Answers(QuietHandler):
    """Answers with the status that the path names."""

    def do_GET(self) -> None:
        body = b"x" * 100
        self.send_response(int(self.path.strip("/")))
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.mark.skipif(find_k6() is None, reason="k6 is not installed")
def test_users_of_k6_send_the_requests_in_turn_and_check_their_status(tmp_path: Path) -> None:
    with http_server(Answers) as address:
        request: dict[str, object] = {"method": "GET", "headers": {}, "body": None, "status": 200}
        paths = ("200", "200", "200", "404")
        job = K6Job(
            address=address,
            requests=[request | {"url": f"http://{address}/{path}"} for path in paths],
            scenario={"executor": "shared-iterations", "vus": 4, "iterations": 80},
            users=4,
        )
        found = k6_window(job, tmp_path)

    assert (found.transactions, found.wrong) == (80, 20)
    assert found.received > 80 * 100
    assert found.client_cpu_us > 0
    assert found.response_us.min <= found.response_us.p50 <= found.response_us.max


def test_the_standard_deviation_is_that_of_the_percentiles() -> None:
    times_ms = np.random.default_rng(1).lognormal(0.0, 0.3, 20_000)
    printed = {f"p({100 * each:g})": float(np.quantile(times_ms, each)) for each in QUANTILES}
    ends = {"min": times_ms.min(), "max": times_ms.max(), "avg": times_ms.mean()}

    found = _summary({**printed, **ends}, times_ms.size)

    assert found.sd == pytest.approx(1e3 * times_ms.std(), rel=0.05)
    assert found.p50 == pytest.approx(1e3 * np.median(times_ms))
