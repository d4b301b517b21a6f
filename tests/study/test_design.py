"""A design and its experiments: which cells there are, and how long each of them is measured."""

from pathlib import Path
from typing import Any

import pytest

from tests.study.builder import minimal, study_of
from tests.study.files import RAMP, STUDY, problems_of, write
from tests.support.wording import assert_worded, raises_worded
from wirelab.inputs.problems import ProblemsError
from wirelab.study import Cell, Design, Slices, WarmUp, Window, load_study

U1, U9 = (Cell("rest", "fetch", "postgresql", "native", load) for load in ("u1", "u9"))


def design_with(**keys: Any) -> Design:
    raw = minimal(
        load={
            name: {"title": name, "kind": "closed", "clients": count}
            for name, count in (("u1", 1), ("u9", 9))
        }
    )
    raw["design"]["smoke"] |= keys
    return study_of(raw).designs["smoke"]


def test_contenders_take_turns_unless_the_design_separates_runs() -> None:
    design = design_with()

    assert not design.separate
    assert design.slices == Slices()
    assert (design.slices.permutations, design.slices.milliseconds) == (30, 50.0)
    assert design.at(U1) == design


def test_an_experiment_defines_its_cells_settings_and_the_design_those_of_the_rest() -> None:
    design = design_with(
        warm_up={"transactions": 5},
        slices={"permutations": 12},
        experiment={
            "few": {"title": "few", "where": {"load": "u1"}, "slices": {"permutations": 40}},
            "many": {"title": "many", "where": {"load": "u9"}, "warm_up": {"seconds": 2}},
        },
    )

    assert design.at(U1).slices.permutations == 40
    assert design.at(U1).warm_up == WarmUp(transactions=5)
    assert design.at(U9).slices.permutations == 12
    assert design.at(U9).warm_up == WarmUp(seconds=2)


@pytest.mark.parametrize(
    ("design", "turns", "apart"),
    [
        ({}, {}, {"separate": True, "window": {"seconds": 1.5}}),
        (
            {"separate": True, "window": {"seconds": 1.5}},
            {"separate": False, "slices": {"permutations": 10}},
            {},
        ),
    ],
)
def test_an_experiment_can_differ_from_its_design_in_whether_contenders_take_turns(
    design: dict[str, Any], turns: dict[str, Any], apart: dict[str, Any]
) -> None:
    found = design_with(
        **design,
        experiment={
            "turns": {"title": "turns", "where": {"load": "u1"}, **turns},
            "apart": {"title": "apart", "where": {"load": "u9"}, **apart},
        },
    )

    assert found.at(U1).slices.permutations == (10 if turns else 30)
    assert (found.at(U1).separate, found.at(U9).separate) == (False, True)
    assert found.at(U9).window == Window(seconds=1.5)


def test_the_first_experiment_with_a_cell_defines_how_it_is_measured() -> None:
    design = design_with(
        experiment={
            "first": {"title": "first", "where": {"load": "u1"}, "slices": {"permutations": 7}},
            "all": {"title": "all", "slices": {"permutations": 9}},
        },
    )

    assert (design.experiment_of(U1), design.experiment_of(U9)) == ("first", "all")
    assert design.at(U1).slices.permutations == 7
    assert design.at(U9).slices.permutations == 9


def test_the_parts_of_an_experiment_add_up_and_a_cell_of_two_is_measured_once() -> None:
    levels = study_of(minimal(contenders=["rest", "grpc", "soap"])).levels
    design = design_with(
        experiment={
            "some": {
                "title": "some",
                "where": [{"contender": ["rest", "grpc"]}, {"contender": ["grpc", "soap"]}],
            }
        }
    )

    cells = design.cells(levels, "rest")

    assert [cell.registration for cell in cells] == ["rest", "rest~twin", "grpc", "soap"]


CLOSED = 'kind = "closed"\nclients = 1'
SLICES = "slices = { permutations = 10 }"
SEPARATE = "separate = true\nwindow = { seconds = 1 }"
KEY = "design.smoke.experiment.own"


def with_experiment(load: str, design: str, experiment: str) -> str:
    """Return the study with another load, and with an experiment in its only design."""
    part = f'[{KEY}]\ntitle = "own"\n{experiment}\n\n[question.speed]'
    return STUDY.replace(CLOSED, load).replace(SLICES, design).replace("[question.speed]", part)


@pytest.mark.parametrize(
    ("load", "design", "experiment", "key"),
    [
        (CLOSED, "", "window = { seconds = 1 }", KEY),
        (CLOSED, "", "separate = true", f"{KEY}.window"),
        (CLOSED, SEPARATE, SLICES, KEY),
        ('kind = "capacity"\nobjective = "p99<50ms"', "", SEPARATE, KEY),
        (RAMP, SEPARATE, "separate = false", KEY),
        (f'{CLOSED}\nclient = "k6"', SEPARATE, "separate = false", KEY),
    ],
)
def test_an_experiment_must_measure_its_loads_as_they_need_it(
    tmp_path: Path, load: str, design: str, experiment: str, key: str
) -> None:
    problems = problems_of(write(tmp_path, with_experiment(load, design, experiment)))

    assert_worded(problems[f"study.toml {key}"])


def test_an_experiment_alone_may_be_separate_for_a_load_that_changes(tmp_path: Path) -> None:
    study = load_study(write(tmp_path, with_experiment(RAMP, "", SEPARATE)))

    assert study.designs["smoke"].experiments["own"].separate


def test_all_keys_of_a_design_that_exclude_each_other_are_reported_at_once(tmp_path: Path) -> None:
    capacity = 'title = "c"\nkind = "capacity"\nobjective = "p99<50ms"'
    loads = f'[load.r]\ntitle = "r"\n{RAMP}\n[load.c]\n{capacity}'
    one = STUDY.replace(SLICES, f'{SLICES}\nseparate = true\nuntil = "decided"')
    other = STUDY.replace("[design.smoke]", f"{loads}\n[design.smoke]")

    assert list(problems_of(write(tmp_path / "one", one))) == [
        "study.toml design.smoke",
        "study.toml design.smoke.budget_minutes",
        "study.toml design.smoke.window",
    ]
    with raises_worded(ProblemsError) as caught:
        load_study(write(tmp_path / "other", other))
    assert [problem.key for problem in caught.value.problems] == ["design.smoke"] * 2
