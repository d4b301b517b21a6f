"""Points for distinguished contenders: the table of sliwa-2021 from fabricated runs."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.support.wording import assert_worded
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
FAST_REST = (100.0, 200.0, 150.0)
"""Mean times in microseconds, in the order of `LABELS`."""
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
    means_us: Sequence[float],
    *,
    blocks: int = 6,
    noise: float = 0.004,
    bytes_each: Sequence[int] = (),
    workloads: tuple[str, ...] = ("large", "medium", "small", "insert"),
    only_quiet: str = "",
) -> Any:
    """Score runs of these means, in the order of `LABELS`; the baseline's twin is only noise.

    Where `only_quiet` is a contender, the machine is 1.5 times slower in the second half of the
    blocks, and that contender lost its runs in those.
    """
    only = [*LABELS, *workloads, "fifty-users"]
    cells = schedule(study, "replication", 1, only).cells
    random = np.random.default_rng(5)
    means = dict(zip(LABELS, means_us, strict=True))
    frames = {cell: _runs(means[cell.contender], blocks, noise, random) for cell in cells}
    if only_quiet:
        frames = {
            cell: _half_busy(frame, lost=cell.contender == only_quiet)
            for cell, frame in frames.items()
        }
    wire = [
        _connection(name, workload, count, size)
        for name, size in zip(LABELS, bytes_each, strict=False)
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


def line(score: Any, group: int) -> Any:
    return score.groups[group].lines[0]


def given(score: Any, group: int) -> tuple[float | None, ...]:
    """Return the points of the first line of a group, in the order of `LABELS`."""
    points = line(score, group).points
    by_label = {label: each.measured for label, each in zip(score.labels, points, strict=True)}
    return tuple(by_label[label] for label in LABELS.values())


@pytest.mark.parametrize(
    ("means_us", "circumstances", "points", "order"),
    [
        ((100.0, 200.0, 150.0), {}, (2.0, 0.0, 1.0), "REST > gRPC > GraphQL"),
        ((100.0, 101.0, 150.0), {}, (1.5, 1.5, 0.0), "REST ≈ GraphQL > gRPC"),
        # A distinguished pair keeps its order although both tie with a third.
        ((100.0, 104.0, 108.0), {"noise": 0.001}, (1.5, 1.0, 0.5), "REST ≈ GraphQL ≈ gRPC"),
        # The order is that of the comparisons, and not of the means over all blocks.
        (
            (100.0, 300.0, 110.0),
            {"blocks": 12, "only_quiet": "grpc-spring"},
            (2.0, 0.0, 1.0),
            "REST > gRPC > GraphQL",
        ),
    ],
)
def test_distinguished_contenders_get_two_one_and_no_points_and_ties_share_theirs(
    study: Study,
    means_us: tuple[float, ...],
    circumstances: dict[str, Any],
    points: tuple[float, ...],
    order: str,
) -> None:
    score = fabricated(study, means_us, **circumstances)

    assert given(score, 0) == points
    assert line(score, 0).order == order


@pytest.mark.parametrize(
    ("counted", "points", "order"),
    [
        ((9000, 9100, 4000), (0.5, 0.5, 2.0), "gRPC > REST ≈ GraphQL"),
        ((9000, 9900, 4000), (1.0, 0.0, 2.0), "gRPC > REST > GraphQL"),
        # Counts that are not above 0 have no ratio.
        ((9000, 9100, -200), (1.0, 1.0, 1.0), "gRPC ? REST ≈ GraphQL"),
    ],
)
@pytest.mark.parametrize("noise", [0.004, 0.15])
def test_bytes_are_compared_as_counted_whatever_the_noise_and_fewer_are_better(
    study: Study, counted: tuple[int, ...], points: tuple[float, ...], order: str, noise: float
) -> None:
    score = fabricated(study, FAST_REST, noise=noise, bytes_each=counted)

    assert given(score, 2) == points
    assert line(score, 2).order == order


def test_contenders_that_noise_hides_are_tied_and_marked_as_undistinguished(study: Study) -> None:
    score = fabricated(study, (100.0, 115.0, 900.0), noise=0.2)

    assert given(score, 0) == (1.5, 1.5, 0.0)
    assert "?" in line(score, 0).order


def test_sums_add_up_and_every_line_gives_the_same_number_of_points(study: Study) -> None:
    score = fabricated(study, (100.0, 200.0, 101.0), bytes_each=(9000, 9000, 9000))

    assert score.scored == score.criteria == 12
    assert [each.measured for each in score.total] == [
        sum(group.subtotal[number].measured or 0.0 for group in score.groups) for number in range(3)
    ]
    assert sum(each.measured or 0.0 for each in score.total) == 12 * 3


def test_the_published_points_are_shown_as_printed(study: Study) -> None:
    score = fabricated(study, (100.0, 100.0, 100.0))

    assert [each.published for each in score.total] == [8, 11, 13]
    assert [each.published for each in line(score, 0).points] == [0, 2, 1]
    assert score.protocols == ("grpc", "graphql", "rest")


def test_nothing_is_scored_on_fewer_blocks_than_a_verdict_needs(study: Study) -> None:
    score = fabricated(study, FAST_REST, blocks=5)

    assert given(score, 0) == (None, None, None)
    assert_worded(line(score, 0).reason)
    assert score.scored == 0


def test_a_sum_is_of_all_its_lines_or_none(study: Study) -> None:
    score = fabricated(study, FAST_REST, workloads=("medium", "insert"))

    assert [each.measured for each in score.total] == [None, None, None]
    assert score.scored == 4
    assert sum(each.measured or 0.0 for each in score.total_of_scored) == 4 * 3
    assert [each.published for each in score.total_of_scored] == [1, 3, 7]
    assert line(score, 0).reason == "not measured here"


def test_a_contender_in_several_places_is_not_scored(study: Study) -> None:
    cells = schedule(study, "paper", 1).cells
    doubled = [*cells, *(replace(cell, environment="elsewhere") for cell in cells)]
    values = RunValues({}, {}, (), study.baseline)
    noise = measure_noise(study, cells, values)
    judge = Comparer.from_family(study, cells, values, LABELS, noise)
    score = score_of(study, doubled, values, judge)

    assert score.scored == 0
