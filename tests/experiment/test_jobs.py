"""What the engine is told, of what a design says."""

from pathlib import Path

import pytest

from wirelab.experiment.jobs import engine_job
from wirelab.lab.cpu import CpuPlan
from wirelab.measure.job import Precision, Stop, Target
from wirelab.protocol import Expectation, WireRequest
from wirelab.study import ClosedLoad, WarmUp, Window
from wirelab.verify import Plan, PlannedRequest


def _stop(**window: object) -> Stop:
    request = PlannedRequest(WireRequest(method="GET", path="/"), Expectation())
    plan = Plan("fetch", "fetch", 0, rounds=((request,),))
    return engine_job(
        [plan, plan],
        Target(transport="http1", address="127.0.0.1:1"),
        load=ClosedLoad(kind="closed", title="two", clients=2),
        warm_up=WarmUp(),
        window=Window.model_validate(window),
        output=Path("out"),
        cpus=CpuPlan(engine=(1,), system=(0,)),
        seed=1,
    ).stop


@pytest.mark.parametrize(
    ("window", "stop"),
    [
        ({"seconds": 5}, Stop(seconds=5)),
        ({"repetitions": 3}, Stop(transactions=6)),
        (
            {"seconds": 60, "precision": {"of": "p99", "half_width": 0.05}},
            Stop(seconds=60, precision=Precision(of="p99", half_width=0.05)),
        ),
        (
            {"seconds": 60, "transactions": 10, "precision": {"half_width": 0.02}},
            Stop(seconds=60, transactions=10, precision=Precision(half_width=0.02)),
        ),
    ],
)
def test_a_window_ends_as_the_design_says(window: dict[str, object], stop: Stop) -> None:
    assert _stop(**window) == stop


@pytest.mark.parametrize(
    "window",
    [
        {"transactions": 10, "precision": {"half_width": 0.02}},
        {"seconds": 5, "precision": {}},
        {"seconds": 5, "precision": {"of": "p42", "half_width": 0.02}},
        {"seconds": 5, "precision": {"half_width": 2}},
    ],
)
def test_a_precision_that_cannot_be_is_refused(window: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"seconds|half_width|of"):
        Window.model_validate(window)
