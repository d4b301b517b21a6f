"""The fabricated bundles are what a laboratory would leave, in the very same format."""

from pathlib import Path

import numpy as np

from tests.support.bundles.models import models_of
from tests.support.bundles.synthetic import write_bundle
from wirelab.analysis.values import RunValues
from wirelab.bundle import Bundle
from wirelab.study import load_study

TWO = models_of("rest-flask", "grpc-grpcio")


def test_the_bundle_is_intact_and_declares_that_it_is_synthetic(bundle: Bundle) -> None:
    assert bundle.check() == []
    assert bundle.host["synthetic"] is True
    assert bundle.info.id.startswith("synthetic")


def test_results_are_in_the_engines_format(bundle: Bundle) -> None:
    for block in bundle.block_records():
        for run in block.runs:
            assert bundle.result(block, run).counts.transactions == 2000


def test_every_run_took_turns_in_every_permutation(bundle: Bundle, few: Bundle) -> None:
    metrics = bundle.metrics()

    assert len(metrics) == 6 * 4 * 6
    assert len(few.metrics()) == 6 * 4 * 2
    assert metrics["latency_mean_us"].gt(0).all()
    for session in RunValues.from_bundle(bundle, load_study(bundle.study_folder)).sessions():
        assert session.is_complete
        assert session.order.shape == (20, 6)


def test_the_same_seed_writes_the_same_measurements(tmp_path: Path) -> None:
    frames = [
        write_bundle(
            tmp_path / name, blocks=1, requests=100, workloads=("fetch_one",), models=TWO, seed=seed
        ).slices()
        for name, seed in (("one", 5), ("two", 5), ("other", 6))
    ]

    assert frames[0].equals(frames[1])
    assert not np.allclose(frames[0]["mean_us"], frames[2]["mean_us"])
