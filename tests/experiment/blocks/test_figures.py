"""What is recorded of a session."""

from wirelab.bundle import SessionRecord
from wirelab.experiment.blocks.figures import session_record
from wirelab.experiment.blocks.slicing import SliceShape
from wirelab.measure.meter import MachineActivity, SystemTime


def test_a_session_without_a_recorded_slice_measured_nothing() -> None:
    machine = MachineActivity(SystemTime(total_us=2000.0, busy_us=900.0, steal_us=0.0), None)

    found = session_record([], machine, cpus={0}, shape=SliceShape(0.05, None), unsettled=())

    assert found == SessionRecord()
    assert not found.is_measured
