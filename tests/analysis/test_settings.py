"""Settings have distinct titles, and rows in the order of the ratios."""

from typing import Any

import numpy as np
import pytest

from tests.study.builder import minimal, study_of
from tests.support.bundles.slices import GRPC, REST, SOAP, noisy, session, values_of
from tests.support.wording import assert_worded
from wirelab.analysis.answers.questions import build_answers
from wirelab.analysis.cells import measured
from wirelab.analysis.comparing import Comparer, measure_noise
from wirelab.analysis.model import CellSummary
from wirelab.analysis.settings import build_settings, load_label
from wirelab.analysis.values import RunValues
from wirelab.study import Cell, load_study

LABELS = {"rest": "REST", "grpc": "gRPC", "soap": "SOAP"}
QUIET = 6
"""Blocks before the machine becomes busy."""


def test_loads_that_begin_alike_are_distinguished() -> None:
    study = load_study("muppaneni")

    labels = [load_label(study, name) for name in study.loads]

    assert load_label(study, "ten-users") == "ten users"
    assert load_label(study, "ten-thousand-users") == "10,000 users"
    assert (
        load_label(study, "ten-users-reconnecting") == study.loads["ten-users-reconnecting"].title
    )
    assert len(set(labels)) == len(labels)


ASKED = {"where": {"contender": ["grpc", "soap"]}, "text": "?", "sentence": "Here {answer}."}


@pytest.mark.parametrize(
    ("grpc_us", "soap_us", "options", "expected", "groups"),
    [
        (1090.0, None, {}, ["REST", "gRPC"], [1, 2]),
        (1090.0, 1400.0, {}, ["REST", "gRPC", "SOAP"], [1, 2, 3]),
        (
            *(1090.0, 1000.0, {"quiet_rest": 1.25, "question": {"speed": ASKED}}),
            *(["gRPC", "SOAP", "REST"], [None] * 3),
        ),
        (1090.0, 1000.0, {"quiet_rest": 1.25}, ["gRPC", "SOAP", "REST"], [None] * 3),
    ],
    ids=["two", "three", "not the baseline", "a contradiction"],
)
def test_the_order_follows_from_common_blocks_and_a_contradiction_is_reported_pair_by_pair(
    grpc_us: float,
    soap_us: float | None,
    options: dict[str, Any],
    expected: list[str],
    groups: list[int | None],
) -> None:
    """Of twelve blocks, of which the machine is 1.5 times slower in the last six.

    gRPC lost its runs in those. In the others, REST takes `quiet_rest` times as long.
    """
    times_us = {REST: 1000.0, GRPC: grpc_us, **({} if soap_us is None else {SOAP: soap_us})}
    random, quiet = np.random.default_rng(1), {REST: options.get("quiet_rest", 1.0)}
    sessions = [
        session(
            {
                cell: noisy(time * (quiet.get(cell, 1.0) if block <= QUIET else 1.5), random)
                for cell, time in times_us.items()
                if block <= QUIET or cell != GRPC
            },
            block=block,
        )
        for block in range(1, 2 * QUIET + 1)
    ]
    cells, values = list(times_us), values_of(*sessions)
    asked = {key: value for key, value in options.items() if key == "question"}
    study = study_of(minimal(contenders=[cell.contender for cell in cells], **asked))
    noise = measure_noise(study, cells, values)
    comparer = Comparer.from_family(study, cells, values, LABELS, noise)

    summaries = {cell: summary(values, cell) for cell in cells}
    (setting,) = settings = build_settings(study, cells, summaries, comparer, ())
    (answer,) = build_answers(study, cells, settings, comparer, ())

    assert [row.summary.label for row in setting.rows] == expected
    assert [row.group for row in setting.rows] == groups
    assert_worded(f"{answer.sentence}\n{setting.pairs[0].line}")


def summary(values: RunValues, cell: Cell) -> CellSummary:
    by_block = values.values("latency_typical_us", cell)
    time = measured(by_block.values())
    return CellSummary(
        cell=cell,
        label=LABELS[cell.contender],
        protocol=cell.contender,
        runs=len(by_block),
        planned=2 * QUIET,
        requests=600,
        latency_us=time,
        typical_us=time,
        mean_us=time,
        sd_us=0.0,
        min_us=time.value,
        max_us=time.value,
        run_times_us=by_block,
        percentiles=(),
        throughput_per_s=1e6 / time.value,
        cpu_us={},
        memory_peak_bytes={},
        spectrum=(),
    )
