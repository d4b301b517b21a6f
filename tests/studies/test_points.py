"""Points for distinguished contenders: the table of sliwa-2021 from fabricated runs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from wirelab.analysis.comparing import Comparer, measure_noise
from wirelab.analysis.extension import Measurements
from wirelab.analysis.values import RunValues
from wirelab.bundle import ContenderRecord, WireRecord
from wirelab.planning.schedule import schedule
from wirelab.study import Cell, Study, load_extension_file, load_study

from .extensions import module_of

SCORING = module_of("sliwa-2021", "points", "scoring")
MODEL = module_of("sliwa-2021", "points", "model")
LABELS = {"rest-spring": "REST", "graphql-spring": "GraphQL", "grpc-spring": "gRPC"}
PROTOCOLS = ("rest", "graphql", "grpc")
RECORDS = {
    name: ContenderRecord(title=name, protocol=protocol, stack="spring")
    for name, protocol in zip(LABELS, PROTOCOLS, strict=True)
}


@pytest.fixture(scope="module")
def study() -> Study:
    return load_study("sliwa-2021")


def score_of(study: Study, cells: Sequence[Cell], values: RunValues, judge: Comparer) -> Any:
    """Score what was measured by the study's only table of points."""
    (table,) = load_extension_file(study, MODEL.PointsFile).scores
    no_bundle: Any = None
    return SCORING.score(table, Measurements(no_bundle, study, cells, values, judge, RECORDS))


def fabricated(
    study: Study,
    means_us: Mapping[str, float],
    *,
    blocks: int = 6,
    noise: float = 0.004,
    bytes_each: Mapping[str, int] | None = None,
    workloads: tuple[str, ...] = ("large", "medium", "small", "insert"),
    only_quiet: str = "",
) -> Any:
    """Score runs of these means; the twin of the baseline is noise and nothing else.

    Where `only_quiet` is a contender, the machine is 1.5 times slower in the second half of the
    blocks, and that contender lost its runs in those.
    """
    only = [*LABELS, *workloads, "fifty-users"]
    cells = schedule(study, "replication", 1, only).cells
    random = np.random.default_rng(5)
    frames = {cell: _runs(means_us[cell.contender], blocks, noise, random) for cell in cells}
    if only_quiet:
        frames = {
            cell: _half_busy(frame, lost=cell.contender == only_quiet)
            for cell, frame in frames.items()
        }
    counted = bytes_each or {}
    wire = [
        _connection(name, workload, count, size)
        for name, size in counted.items()
        for workload in workloads
        for count in (1, 2)
    ]
    values = RunValues(frames, {}, tuple(wire), study.baseline)
    judge = Comparer.from_family(study, cells, values, LABELS, measure_noise(study, cells, values))
    return score_of(study, cells, values, judge)


def _runs(mean_us: float, blocks: int, noise: float, random: np.random.Generator) -> pd.DataFrame:
    means = mean_us * np.exp(random.normal(0.0, noise, blocks))
    index = pd.Index(range(1, blocks + 1), name="block")
    columns = {"latency_mean_us": means, "throughput_per_s": 5e7 / means, "machine": ""}
    return pd.DataFrame(columns, index=index)


def _half_busy(frame: pd.DataFrame, *, lost: bool) -> pd.DataFrame:
    quiet, busy = frame.iloc[: len(frame) // 2], frame.iloc[len(frame) // 2 :]
    if lost:
        return quiet
    slower = busy.assign(
        latency_mean_us=busy["latency_mean_us"] * 1.5,
        throughput_per_s=busy["throughput_per_s"] / 1.5,
    )
    return pd.concat([quiet, slower])


def _connection(contender: str, workload: str, transactions: int, size: int) -> WireRecord:
    return WireRecord(
        contender=contender,
        workload=workload,
        transactions=transactions,
        repeat=0,
        sent=0,
        received=600 + size * transactions,
        segments_out=transactions,
        segments_in=transactions,
        payload_sent=0,
        payload_received=size * transactions,
    )


def line(score: Any, group: int, number: int = 0) -> Any:
    return score.groups[group].lines[number]


def given(score: Any, group: int, number: int = 0) -> dict[str, float | None]:
    points = line(score, group, number).points
    return {label: each.measured for label, each in zip(score.labels, points, strict=True)}


def test_distinguished_contenders_get_two_one_and_no_points(study: Study) -> None:
    score = fabricated(study, {"rest-spring": 100.0, "graphql-spring": 200.0, "grpc-spring": 150.0})

    assert given(score, 0) == {"gRPC": 1.0, "GraphQL": 0.0, "REST": 2.0}
    assert line(score, 0).order == "REST > gRPC > GraphQL"


def test_ties_share_the_mean_of_their_points(study: Study) -> None:
    score = fabricated(study, {"rest-spring": 100.0, "graphql-spring": 101.0, "grpc-spring": 150.0})

    assert given(score, 1) == {"gRPC": 0.0, "GraphQL": 1.5, "REST": 1.5}
    assert line(score, 1).order == "REST ≈ GraphQL > gRPC"


def test_contenders_that_noise_hides_are_tied_and_marked_as_undistinguished(study: Study) -> None:
    score = fabricated(
        study, {"rest-spring": 100.0, "graphql-spring": 115.0, "grpc-spring": 900.0}, noise=0.2
    )

    assert given(score, 0)["REST"] == given(score, 0)["GraphQL"] == 1.5
    assert "?" in line(score, 0).order


def test_bytes_are_compared_as_counted_and_fewer_are_better(study: Study) -> None:
    means = {"rest-spring": 100.0, "graphql-spring": 200.0, "grpc-spring": 150.0}
    counted = {"rest-spring": 9000, "graphql-spring": 9100, "grpc-spring": 4000}
    score = fabricated(study, means, bytes_each=counted)

    assert given(score, 2) == {"gRPC": 2.0, "GraphQL": 0.5, "REST": 0.5}
    assert line(score, 2).order == "gRPC > REST ≈ GraphQL"


def test_counts_that_are_not_above_zero_are_not_distinguished(study: Study) -> None:
    means = {"rest-spring": 100.0, "graphql-spring": 200.0, "grpc-spring": 150.0}
    counted = {"rest-spring": 9000, "graphql-spring": 9100, "grpc-spring": -200}
    score = fabricated(study, means, bytes_each=counted)

    assert given(score, 2) == {"gRPC": 1.0, "GraphQL": 1.0, "REST": 1.0}
    assert line(score, 2).order == "gRPC ? REST ≈ GraphQL"


def test_sums_add_up_and_every_line_gives_the_same_number_of_points(study: Study) -> None:
    means = {"rest-spring": 100.0, "graphql-spring": 200.0, "grpc-spring": 101.0}
    score = fabricated(study, means, bytes_each=dict.fromkeys(means, 9000))

    assert score.scored == score.criteria == 12
    assert [each.measured for each in score.total] == [
        sum(group.subtotal[number].measured or 0.0 for group in score.groups) for number in range(3)
    ]
    assert sum(each.measured or 0.0 for each in score.total) == 12 * 3


def test_the_published_points_are_shown_as_printed(study: Study) -> None:
    score = fabricated(study, dict.fromkeys(LABELS, 100.0))

    assert [each.published for each in score.total] == [8, 11, 13]
    assert [each.published for each in line(score, 0).points] == [0, 2, 1]
    assert score.protocols == ("grpc", "graphql", "rest")


def test_the_order_is_that_of_the_comparisons_and_not_of_all_blocks(study: Study) -> None:
    means = {"rest-spring": 100.0, "graphql-spring": 300.0, "grpc-spring": 110.0}
    score = fabricated(study, means, blocks=12, only_quiet="grpc-spring")

    assert given(score, 0) == {"gRPC": 1.0, "GraphQL": 0.0, "REST": 2.0}
    assert line(score, 0).order == "REST > gRPC > GraphQL"


def test_nothing_is_scored_on_fewer_blocks_than_a_verdict_needs(study: Study) -> None:
    means = {"rest-spring": 100.0, "graphql-spring": 200.0, "grpc-spring": 150.0}
    score = fabricated(study, means, blocks=5)

    assert given(score, 0) == {"gRPC": None, "GraphQL": None, "REST": None}
    assert line(score, 0).reason == "5 blocks, and points need 6"
    assert score.scored == 0


def test_a_sum_is_of_all_its_lines_or_none(study: Study) -> None:
    means = {"rest-spring": 100.0, "graphql-spring": 200.0, "grpc-spring": 150.0}
    score = fabricated(study, means, workloads=("medium", "insert"))

    assert [each.measured for each in score.total] == [None, None, None]
    assert score.scored == 4
    assert sum(each.measured or 0.0 for each in score.total_of_scored) == 4 * 3
    assert [each.published for each in score.total_of_scored] == [1, 3, 7]
    assert line(score, 0).reason == "not measured here"


def test_a_distinguished_pair_keeps_its_order_although_both_tie_with_a_third(study: Study) -> None:
    means = {"rest-spring": 100.0, "graphql-spring": 104.0, "grpc-spring": 108.0}
    score = fabricated(study, means, noise=0.001)

    assert given(score, 0) == {"gRPC": 0.5, "GraphQL": 1.0, "REST": 1.5}


def test_bytes_are_distinguished_whatever_the_noise_of_the_machine(study: Study) -> None:
    means = {"rest-spring": 100.0, "graphql-spring": 200.0, "grpc-spring": 150.0}
    counted = {"rest-spring": 9000, "graphql-spring": 9900, "grpc-spring": 4000}
    score = fabricated(study, means, noise=0.15, bytes_each=counted)

    assert given(score, 2) == {"gRPC": 2.0, "GraphQL": 0.0, "REST": 1.0}


def test_a_contender_in_several_places_is_not_scored(study: Study) -> None:
    cells = schedule(study, "paper", 1).cells
    doubled = [*cells, *(replace(cell, environment="elsewhere") for cell in cells)]
    values = RunValues({}, {}, (), study.baseline)
    noise = measure_noise(study, cells, values)
    judge = Comparer.from_family(study, cells, values, LABELS, noise)
    score = score_of(study, doubled, values, judge)

    assert score.scored == 0
