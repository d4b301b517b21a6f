"""An experiment measures its loads in turns or separately, as they need it."""

from pathlib import Path

import pytest

from tests.study.files import STUDY, problems_of, write
from wirelab.study import load_study

RAMP = 'kind = "ramp"\nfrom_rate_per_s = 1\nto_rate_per_s = 9\nseconds = 1'
BY_K6 = 'kind = "closed"\nclients = 1\nclient = "k6"'
SUSTAINED = 'kind = "capacity"\nobjective = "p99<50ms"'


def with_experiment(load: str, design: str, experiment: str) -> str:
    """Return the study with another load, and with an experiment in its only design."""
    part = f'[design.smoke.experiment.own]\ntitle = "own"\n{experiment}\n\n[question.speed]'
    return (
        STUDY.replace('kind = "closed"\nclients = 1', load)
        .replace("slices = { permutations = 10 }", design)
        .replace("[question.speed]", part)
    )


@pytest.mark.parametrize(
    ("load", "design", "experiment", "expected"),
    [
        (
            SUSTAINED,
            "",
            "separate = true\nwindow = { seconds = 1 }",
            "separate = true and loads of kind capacity (u1) exclude each other",
        ),
        (
            RAMP,
            "separate = true\nwindow = { seconds = 1 }",
            "separate = false",
            "loads whose rate changes (u1) need separate = true",
        ),
        (
            BY_K6,
            "separate = true\nwindow = { seconds = 1 }",
            "separate = false",
            "loads that k6 sends (u1) need separate = true",
        ),
    ],
)
def test_an_experiment_must_measure_its_loads_as_they_need_it(
    tmp_path: Path, load: str, design: str, experiment: str, expected: str
) -> None:
    problems = problems_of(write(tmp_path, with_experiment(load, design, experiment)))

    assert expected in problems["study.toml design.smoke.experiment.own"]


def test_an_experiment_alone_may_be_separate_for_a_load_that_changes(tmp_path: Path) -> None:
    own = "separate = true\nwindow = { seconds = 1 }"

    study = load_study(write(tmp_path, with_experiment(RAMP, "", own)))

    assert study.designs["smoke"].experiments["own"].separate
