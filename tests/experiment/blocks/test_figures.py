"""What is recorded of a session."""

from collections.abc import Mapping

import pytest

from wirelab.bundle import SessionRecord
from wirelab.engine.events import Warm
from wirelab.experiment.blocks.figures import failures, session_record
from wirelab.experiment.blocks.slicing import SliceShape
from wirelab.measure.meter import MachineActivity, SystemTime


def test_a_session_without_a_recorded_slice_measured_nothing() -> None:
    machine = MachineActivity(SystemTime(total_us=2000.0, busy_us=900.0, steal_us=0.0), None)

    found = session_record([], machine, cpus={0}, shape=SliceShape(0.05, None), unsettled=())

    assert found == SessionRecord()
    assert not found.is_measured


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ({"grpc_status": 10_779}, "grpc_status"),
        ({"grpc_status": 10_700, "timeout": 79}, "10700 grpc_status, 79 timeout"),
    ],
)
def test_failures_of_one_class_have_their_number_once(
    errors: Mapping[str, int], expected: str
) -> None:
    warm = Warm(
        target=0,
        seconds=1.0,
        transactions=14_145,
        failed=sum(errors.values()),
        errors=errors,
        status=None,
        mean_us=None,
        median_us=None,
        p99_us=None,
    )

    text = f"10779 of 14145 transactions of its warm-up failed ({expected})"
    assert failures("its warm-up", warm) == text
