"""Bytes on the wire, from records of known sizes and as the model behind a bundle put them in."""

import pytest

from tests.support.bundles.models import MODELS, WORKLOADS
from wirelab.analysis import Analysis
from wirelab.analysis.figures.wire import packet_bytes, wire_values
from wirelab.bundle import WireRecord


def ping_pong(transactions: int, repeat: int = 0) -> WireRecord:
    """Return 100 bytes there and 1000 back, each in one segment; 4 segments more to open."""
    return WireRecord(
        contender="c",
        workload="w",
        transactions=transactions,
        repeat=repeat,
        sent=100 * transactions,
        received=1000 * transactions,
        segments_out=transactions + 2,
        segments_in=transactions + 2,
        payload_sent=100 * transactions,
        payload_received=1000 * transactions,
        payload_gzip=300 * transactions,
        statements=3 * transactions,
    )


def test_a_ping_pong_costs_what_a_capture_counts() -> None:
    rows = [ping_pong(n, repeat) for repeat in range(2) for n in (1, 2, 10, 100, 1000)]

    assert wire_values("wire_marginal_bytes", rows, "c", "w") == pytest.approx({0: 1204, 1: 1204})
    assert wire_values("wire_setup_bytes", rows, "c", "w") == pytest.approx({0: 224, 1: 224})
    assert wire_values("wire_single_bytes", rows, "c", "w") == {0: 1428.0, 1: 1428.0}
    assert packet_bytes(ping_pong(1)) == 1428
    each = {
        metric: wire_values(metric, rows, "c", "w")[0]
        for metric in ("wire_sent_bytes", "wire_received_bytes", "message_bytes")
    }
    assert each == pytest.approx(
        {"wire_sent_bytes": 100, "wire_received_bytes": 1000, "message_bytes": 1100}
    )
    assert wire_values("message_gzip_bytes", rows, "c", "w")[0] == pytest.approx(300)
    assert wire_values("store_statements", rows, "c", "w")[0] == pytest.approx(3)


def test_headers_are_those_of_the_machine_that_counted() -> None:
    without_time_stamps = ping_pong(1).model_copy(
        update={"segment_bytes": 40, "syn_extra_bytes": 12}
    )

    assert packet_bytes(without_time_stamps) == 1100 + 6 * 40 + 2 * 12


def test_uncounted_bytes_have_no_value() -> None:
    assert wire_values("wire_single_bytes", [ping_pong(10)], "c", "w") == {}
    assert wire_values("wire_setup_bytes", [ping_pong(10)], "c", "w") == {}
    assert wire_values("wire_setup_bytes", [ping_pong(10)], "other", "w") == {}


def test_setup_and_marginal_bytes_add_up_from_their_parts(analysis: Analysis) -> None:
    assert len(analysis.figures.wire) == len(MODELS) * 3
    for cost in analysis.figures.wire:
        model = MODELS[cost.contender]
        bodies = model.payload[WORKLOADS.index(cost.workload)]

        assert cost.parts["message bodies"].marginal == pytest.approx(bodies)
        assert sum(p.marginal for p in cost.parts.values()) == pytest.approx(cost.fit.marginal)
        assert sum(p.setup for p in cost.parts.values()) == pytest.approx(cost.fit.setup)
        assert cost.single_bytes == pytest.approx(cost.fit.bytes_at(1))
