"""One value a block: trimmed over permutations, and paired wherever contenders took turns."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.support.bundles.circumstances import Circumstances
from tests.support.bundles.models import MODELS
from tests.support.bundles.slices import GRPC, REST, SOAP, session, values_of
from tests.support.bundles.synthetic import write_bundle
from wirelab.analysis import analyse
from wirelab.analysis.values import RunValues
from wirelab.bundle import Bundle
from wirelab.statistics import block_value
from wirelab.study import Cell, load_study

# Vector TV1 of the method: docs/methods.md.
A = [1.02, 1.10, 0.98, 1.05, 2.90, 1.01, 1.04, 0.99, 1.07, 1.03, 1.00, 1.06]
B = [0.95, 1.00, 0.93, 0.97, 1.02, 0.94, 1.30, 0.92, 1.01, 0.96, 0.95, 0.97]


def ratios_of(values: RunValues, metric: str, a: Cell, b: Cell) -> list[float]:
    return [ratio.value for ratio in values.cost_ratios(metric, a, b)]


@pytest.fixture
def both() -> RunValues:
    """Of one block in which two contenders took turns."""
    return values_of(session({REST: A, GRPC: B}))


def test_a_block_value_is_the_trimmed_mean_over_permutations(both: RunValues) -> None:
    assert both.log_ratios("latency_typical_us", REST, GRPC) == pytest.approx({1: 0.07058594})
    assert ratios_of(both, "latency_typical_us", GRPC, REST) == pytest.approx([-0.07058594])
    alone = math.exp(block_value(np.log(A)))  # the same estimand
    assert both.values("latency_typical_us", REST) == pytest.approx({1: alone})


def test_the_typical_time_of_a_window_is_the_median_of_its_requests(apart: Bundle) -> None:
    values = RunValues.from_bundle(apart, load_study(apart.study_folder))

    assert values.runs
    for cell, runs in values.runs.items():
        found = values.values("latency_typical_us", cell)
        medians_us = [
            float(apart.samples(str(it))["response_us"].median()) for it in runs["run_id"]
        ]
        assert [found[block] for block in (1, 2)] == pytest.approx(medians_us, rel=0.02)


def test_a_rate_is_the_reciprocal_of_a_cost(both: RunValues) -> None:
    rates = list(both.log_ratios("throughput_per_s", REST, GRPC).values())
    assert ratios_of(both, "throughput_per_s", REST, GRPC) == pytest.approx([-rates[0]])
    # One client: what it gets answered in a second is one over the mean time.
    (mean_us,) = both.values("latency_mean_us", REST).values()
    assert both.costs("throughput_per_s", REST) == pytest.approx({1: mean_us / 1e6})


def test_noise_that_both_share_cancels_out() -> None:
    random = np.random.default_rng(3)
    shared = np.exp(random.normal(0.0, 0.5, 30))
    values = values_of(
        session({REST: (100 * shared).tolist(), GRPC: (110 * shared).tolist()}),
    )

    (ratio,) = ratios_of(values, "latency_typical_us", GRPC, REST)
    assert math.exp(ratio) == pytest.approx(1.1)


def test_other_metrics_are_compared_by_the_values_of_runs() -> None:
    runs = {
        cell: pd.DataFrame(
            {"latency_p99_us": [value, 3.0], "machine": ""},
            index=pd.Index([1, 2 if cell == REST else 3]),
        )
        for cell, value in ((REST, 4.0), (GRPC, 8.0))
    }
    values = values_of(session({REST: A, GRPC: B}), runs=runs)

    ratios = values.log_ratios("latency_p99_us", GRPC, REST)

    assert ratios[1] == pytest.approx(math.log(2))
    assert math.isnan(ratios[2])
    assert math.isnan(ratios[3])


def test_contenders_of_two_groups_are_compared_through_their_baseline() -> None:
    # The machine was twice as slow while the second group had its turns.
    values = values_of(
        session({REST: [100.0] * 5, GRPC: [80.0] * 5}, number=1),
        session({REST: [200.0] * 5, SOAP: [300.0] * 5}, number=2),
    )

    (ratio,) = ratios_of(values, "latency_typical_us", SOAP, GRPC)

    assert math.exp(ratio) == pytest.approx(1.5 / 0.8)
    assert np.exp(ratios_of(values, "latency_typical_us", SOAP, REST)) == pytest.approx([1.5])
    # Its own value is that of the first group.
    assert values.values("latency_typical_us", REST) == pytest.approx({1: 100.0})


def test_a_block_with_few_valid_permutations_has_no_value() -> None:
    turns = session({REST: A, GRPC: B})
    lost = (turns.table["cell"] == GRPC) & (turns.table["permutation"] > 5)
    turns.table.loc[lost, "median_us"] = np.nan

    values = values_of(turns)

    assert math.isnan(values.log_ratios("latency_typical_us", REST, GRPC)[1])
    assert values.values("latency_typical_us", GRPC) == {}
    assert len(values.values("latency_typical_us", REST)) == 1


def test_groups_give_the_result_of_a_single_session(tmp_path: Path) -> None:
    groups = (("grpc-grpcio", "websocket-flask-sock"), ("graphql-graphene", "soap-lxml"))
    bundle = write_bundle(
        tmp_path / "bundle",
        requests=1000,
        workloads=("fetch_one",),
        happens=Circumstances(groups=groups),
    )
    analysis = analyse(bundle)

    typical = {name: model.latency_us[2] for name, model in MODELS.items()}
    (answer,) = (each for each in analysis.answers if each.question == "fetch")
    assert len(answer.pairs) == 10
    for pair in answer.pairs:
        assert pair.comparison.blocks == 6
        assert pair.comparison.ratio == pytest.approx(
            typical[pair.a.contender] / typical[pair.b.contender], rel=0.04
        )
    assert all(
        len(values) == 6
        for values in (row.summary.run_times_us for row in analysis.settings[0].rows)
    )
    assert analysis.validity.valid == analysis.validity.planned == 36


def test_separate_runs_are_compared_by_their_values(apart: Bundle) -> None:
    values = RunValues.from_bundle(apart, load_study(apart.study_folder))
    by_name = {cell.registration: cell for cell in values.runs}
    rest, grpc = by_name["rest-flask"], by_name["grpc-grpcio"]

    assert values.together(1, rest, grpc) is None
    for block in (1, 2):
        ratio = values.log_ratios("latency_typical_us", grpc, rest)[block]
        one, other = (values.values("latency_typical_us", cell)[block] for cell in (grpc, rest))
        assert ratio == pytest.approx(math.log(one / other))
