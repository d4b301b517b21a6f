"""A design and its experiments: which cells there are, and how long each of them is measured."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.study.builder import minimal, study_of
from tests.study.files import STUDY, problems_of, write
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


def test_an_experiment_can_measure_separately_while_others_take_turns() -> None:
    design = design_with(
        experiment={
            "turns": {"title": "turns", "where": {"load": "u1"}},
            "apart": {
                "title": "apart",
                "where": {"load": "u9"},
                "separate": True,
                "window": {"seconds": 1.5},
            },
        },
    )

    assert not design.at(U1).separate
    assert design.at(U9).separate
    assert design.at(U9).window == Window(seconds=1.5)


def test_an_experiment_can_take_turns_while_others_are_measured_separately() -> None:
    design = design_with(
        separate=True,
        window={"seconds": 1.5},
        experiment={
            "apart": {"title": "apart", "where": {"load": "u1"}},
            "turns": {
                "title": "turns",
                "where": {"load": "u9"},
                "separate": False,
                "slices": {"permutations": 10},
            },
        },
    )

    assert design.at(U1).separate
    assert not design.at(U9).separate
    assert design.at(U9).slices.permutations == 10


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


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"window": {"seconds": 1}}, "window needs separate = true"),
        ({"separate": True}, "window: .*, which separate = true needs"),
        (
            {"experiment": {"e": {"title": "e", "window": {"seconds": 1}}}},
            "experiment.e: window needs separate = true",
        ),
        (
            {"experiment": {"e": {"title": "e", "separate": True}}},
            "experiment.e.window: .*, which separate = true needs",
        ),
        (
            {
                "separate": True,
                "window": {"seconds": 1},
                "experiment": {"e": {"title": "e", "slices": {"permutations": 9}}},
            },
            "experiment.e: separate = true and slices exclude each other",
        ),
    ],
)
def test_slices_and_windows_do_not_mix(keys: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        design_with(**keys)


def test_all_keys_of_a_design_that_exclude_each_other_are_reported_at_once(tmp_path: Path) -> None:
    ramp = 'title = "r"\nkind = "ramp"\nfrom_rate_per_s = 1\nto_rate_per_s = 9\nseconds = 1'
    loads = f'[load.r]\n{ramp}\n[load.c]\ntitle = "c"\nkind = "capacity"\nobjective = "p99<50ms"'
    slices = "slices = { permutations = 10 }"
    one = STUDY.replace(slices, f'{slices}\nseparate = true\nuntil = "decided"')
    other = STUDY.replace("[design.smoke]", f"{loads}\n[design.smoke]")

    assert list(problems_of(write(tmp_path / "one", one))) == [
        "study.toml design.smoke",
        "study.toml design.smoke.budget_minutes",
        "study.toml design.smoke.window",
    ]
    with pytest.raises(ProblemsError) as caught:
        load_study(write(tmp_path / "other", other))
    first, second = (str(it).partition("design.smoke: ")[2] for it in caught.value.problems)
    assert first.startswith("loads of kind capacity (c) and others (u1 and r) exclude each other")
    assert second == (
        "loads whose rate changes (r) need separate = true (hint: write separate = true, with"
        ' window instead of slices; or write loads = ["u1"])'
    )
