"""What is reported beside a verdict: bytes, as far as they were counted for both cells."""

from dataclasses import replace

import pytest

from tests.study.builder import minimal, study_of
from tests.support.bundles.slices import GRPC, REST, TWIN
from wirelab.analysis.comparing import Comparer, measure_noise
from wirelab.analysis.values import RunValues
from wirelab.bundle import WireRecord
from wirelab.study import Cell

NEW = {"title": "new ones", "kind": "closed", "clients": 1, "reuse_connections": False}
RAW = minimal(
    environments=["native", "container"], load={**minimal()["load"], "new-connections": NEW}
)


def judge_of() -> Comparer:
    """Return one that knows the bytes of two contenders, and no times."""
    none = ("received", "segments_out", "segments_in", "payload_sent", "payload_received")
    wire = tuple(
        WireRecord(
            **dict.fromkeys(none, 0),
            contender=contender,
            workload="fetch",
            transactions=transactions,
            repeat=0,
            sent=size * transactions,
        )
        for contender, size in (("rest", 1000), ("grpc", 500))
        for transactions in (1, 10)
    )
    values = RunValues({}, {}, wire, "rest")
    study = study_of(RAW)
    cells = [REST, TWIN, GRPC]
    noise = measure_noise(study, cells, values)
    return Comparer.from_family(study, cells, values, {"rest": "REST", "grpc": "gRPC"}, noise)


def test_bytes_of_contenders_in_one_setting_are_compared() -> None:
    judged = judge_of().compare_pair(GRPC, REST)

    assert judged.bytes_ratio == pytest.approx(0.5)
    assert judged.line.endswith("bytes 0.50×")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (replace(REST, environment="container"), REST),
        (replace(REST, load="new-connections"), REST),
        (TWIN, REST),
        (replace(GRPC, environment="container"), REST),
        (replace(GRPC, load="new-connections"), replace(REST, load="new-connections")),
    ],
    ids=["environments", "loads", "twins", "two factors", "new connections"],
)
def test_bytes_are_not_compared_if_none_were_counted(a: Cell, b: Cell) -> None:
    judged = judge_of().compare_pair(a, b)

    assert judged.bytes_ratio is None
    assert "bytes" not in judged.line


def test_one_count_of_bytes_is_not_compared_with_itself() -> None:
    values = judge_of().values

    assert values.log_ratios("wire_marginal_bytes", GRPC, REST).keys() == {0}
    for same in (replace(REST, environment="container"), TWIN):
        assert not values.log_ratios("wire_marginal_bytes", same, REST)


def test_times_and_throughput_are_separate_families() -> None:
    comparer = judge_of()

    for metric in ("latency_typical_us", "latency_mean_us", "throughput_per_s"):
        assert comparer.adjusted_p(metric, GRPC, REST) is not None
    assert comparer.adjusted_p("contender_cpu_us_per_transaction", GRPC, REST) is None
    assert comparer.adjusted_p("throughput_per_s", TWIN, REST) is None
