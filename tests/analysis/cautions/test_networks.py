"""What a report must say of networks that were not quite what was declared."""

import pytest

from tests.study.builder import minimal, study_of
from tests.support.bundles.samples import record_of, schedule_of
from wirelab.analysis.cautions.networks import (
    NetworkTooFast,
    Paced,
    PacketsLate,
    find_deviations,
    find_pacing,
)
from wirelab.bundle import BlockRecord, LinkDirection, LinkRecord, SessionRecord

STUDY = study_of(minimal(networks=["loopback", "wifi", "mobile"]))
CEILING = "30 Mbit/s down may be more than …"


def over(network: str, late_p99_us: float) -> BlockRecord:
    """Return a block with a session over a network whose packets were so late on the way down."""
    none = ("dropped_by_queue", "lost", "overrun", "dropped_by_device", "refused")
    way = LinkDirection(
        **dict.fromkeys(none, 0),
        packets=100,
        bytes=1000,
        delivered_packets=100,
        delivered_bytes=1000,
        queue_high_water_bytes=0,
        held_high_water_packets=1,
        lateness_us={"p50": 10.0, "p99": 50.0, "max": 90_000.0},
    )
    late = way.model_copy(update={"lateness_us": {**way.lateness_us, "p99": late_p99_us}})
    link = LinkRecord(
        network=network,
        seconds=1.0,
        cpu_seconds=0.1,
        ignored=0,
        real_time=True,
        congestion_control="cubic",
        down=late,
        up=way,
    )
    record = record_of(schedule_of(1).blocks[0])
    return record.model_copy(update={"sessions": (SessionRecord(), SessionRecord(link=link))})


def test_punctual_packets_are_not_reported() -> None:
    # Of 1 ms a tenth is little, and of 35 ms 3.5 ms are a tenth.
    blocks = [over("wifi", 900.0), over("mobile", 3400.0)]

    assert list(find_deviations(STUDY, blocks, {})) == []


def test_late_packets_are_reported_with_the_worst() -> None:
    blocks = [over("wifi", 1100.0), over("wifi", 2000.0), over("mobile", 3600.0)]

    assert list(find_deviations(STUDY, blocks, {})) == [
        PacketsLate((("wifi", 2000.0, 2), ("mobile", 3600.0, 1)))
    ]


def test_a_rate_beyond_the_emulator_is_serious() -> None:
    environments = {
        "wifi": {"down": "…", "ceiling": CEILING},
        "mobile": {"down": "…"},
        "container": {"ceiling": "of something else"},
    }

    expected = [NetworkTooFast((("wifi", CEILING),))]
    assert list(find_deviations(STUDY, [], environments)) == expected


@pytest.mark.parametrize(
    ("host", "largest_bytes", "expected"),
    [
        ({"tcp_congestion_control": "bbr"}, 300_000, 1),
        ({"tcp_congestion_control": "bbr"}, 3_000, 0),
        ({"tcp_congestion_control": "cubic"}, 300_000, 0),
        ({}, 300_000, 0),
    ],
)
def test_pacing_matters_to_large_answers(
    host: dict[str, str], largest_bytes: float, expected: int
) -> None:
    assert [type(each) for each in find_pacing(host, largest_bytes)] == [Paced] * expected
