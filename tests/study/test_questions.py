"""Which comparisons a study makes: its family."""

from typing import Any

import pytest

from tests.study.builder import minimal, study_of
from tests.support.wording import assert_worded
from wirelab.study import (
    Cell,
    Factor,
    Study,
    cross,
    family,
    group_cells,
    never_answered,
    twins,
    unanswered,
    with_reason,
)
from wirelab.study.questions import Pair


def compared(raw: dict[str, Any]) -> list[str]:
    """Every comparison as `question: A/B where`; a level is named once if both share it."""
    study = study_of(raw)

    def both(pair: Pair, factor: Factor) -> str:
        return "/".join(dict.fromkeys([pair.a.level(factor), pair.b.level(factor)]))

    return [
        f"{pair.question}: {both(pair, 'contender')} {both(pair, 'workload')}"
        f" {both(pair, 'environment')}".removesuffix(" native")
        for pair in family(study, cross(study.levels, study.baseline))
    ]


def question(**keys: Any) -> dict[str, Any]:
    return {"text": "?", "sentence": "{answer}", **keys}


FETCH = minimal()["workload"]["fetch"]
PING = FETCH | {"operation": "ping", "control": True}
THREE = ["rest", "grpc", "soap"]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (
            {"contenders": THREE},
            ["speed: grpc/rest fetch", "speed: soap/rest fetch", "speed: soap/grpc fetch"],
        ),
        (
            {"contenders": THREE, "question": {"speed": question(against="baseline")}},
            ["speed: grpc/rest fetch", "speed: soap/rest fetch"],
        ),
        (
            {
                "environments": ["native", "container"],
                "question": {"cost": question(compare="environment")},
            },
            ["cost: rest fetch container/native", "cost: grpc fetch container/native"],
        ),
        (
            {
                "workload": {"fetch": FETCH, "insert": FETCH, "ping": PING},
                "question": {"speed": question(where={"workload": ["fetch", "ping"]})},
            },
            ["speed: grpc/rest fetch"],
        ),
        (
            {"question": {"first": question(), "second": question()}},
            ["first: grpc/rest fetch"],
        ),
    ],
    ids=["all pairs", "the baseline", "another factor", "where, without controls", "once"],
)
def test_a_question_compares_the_later_level_with_the_earlier_ones(
    raw: dict[str, Any], expected: list[str]
) -> None:
    assert compared(minimal(**raw)) == expected


def test_a_question_compares_nothing_if_a_contender_that_it_needs_is_missing() -> None:
    study = study_of(
        minimal(
            contenders=["rest", "grpc", "rest-rounds"],
            workload={"fetch": FETCH, "insert": FETCH},
            question={"rounds": question(needs=["rest-rounds"])},
        )
    )
    everywhere = cross(study.levels, study.baseline)
    not_insert = [c for c in everywhere if (c.contender, c.workload) != ("rest-rounds", "insert")]
    without_rounds = [cell for cell in everywhere if cell.contender != "rest-rounds"]

    assert len(family(study, everywhere)) == 6
    assert {pair.a.workload for pair in family(study, not_insert)} == {"fetch"}
    assert family(study, without_rounds) == []


def test_twins_are_paired_with_the_cell_they_repeat_and_are_in_no_family() -> None:
    study = study_of(minimal())
    cells = cross(study.levels, study.baseline)
    twin = Cell("rest", "fetch", "postgresql", "native", "u1", twin=True)

    assert twins(cells) == [(twin, Cell("rest", "fetch", "postgresql", "native", "u1"))]
    assert all(not pair.a.twin and not pair.b.twin for pair in family(study, cells))
    assert twin.registration == "rest~twin"
    assert twin.label == "rest~twin · fetch · postgresql · native · u1"


def groups(raw: dict[str, Any]) -> dict[str, list[str]]:
    """Each group that a block of the design measures, with its cells."""
    study = study_of(raw)
    design = study.designs["smoke"]
    cells = design.cells(study.levels, study.baseline)
    return {
        name: [
            f"{cell.registration} {cell.workload} {cell.environment} {cell.load}"
            for cell in members
        ]
        for name, members in group_cells(study, design, cells).items()
    }


TWO_LOADS = {
    name: {"title": name, "kind": "closed", "clients": count}
    for name, count in (("u1", 1), ("u9", 9))
}


def with_experiments(**experiments: dict[str, Any]) -> dict[str, Any]:
    raw = minimal(load=TWO_LOADS, environments=["native", "container"])
    raw["design"]["smoke"]["experiment"] = {
        name: {"title": name, **each} for name, each in experiments.items()
    }
    return raw


def test_a_group_contains_all_contenders_of_a_workload_at_one_load_and_place() -> None:
    assert groups(minimal(load=TWO_LOADS)) == {
        "fetch-u1": ["rest fetch native u1", "rest~twin fetch native u1", "grpc fetch native u1"],
        "fetch-u9": ["rest fetch native u9", "rest~twin fetch native u9", "grpc fetch native u9"],
    }


def test_a_group_contains_the_levels_that_a_question_compares() -> None:
    raw = minimal(
        environments=["native", "container"],
        question={"speed": question(), "cost": question(compare="environment")},
    )

    assert {name: len(cells) for name, cells in groups(raw).items()} == {"fetch": 6}


def test_groups_are_ordered_as_the_study_lists_levels_whatever_the_order_of_cells() -> None:
    study = study_of(minimal(load=TWO_LOADS))
    design, cells = study.designs["smoke"], cross(study.levels, study.baseline)

    forwards = group_cells(study, design, cells)
    backwards = group_cells(study, design, cells[::-1])

    assert list(forwards.items()) == list(backwards.items())


def test_experiments_are_separate_and_their_groups_have_unique_names() -> None:
    raw = with_experiments(
        here={"where": {"environment": "native", "load": "u1"}, "twins": False},
        there={"where": {"environment": "native", "load": "u9"}, "twins": False},
    )
    raw["question"]["users"] = question(compare="load")

    found = groups(raw)

    # One question compares the loads, but each experiment has its own time.
    assert found == {
        "fetch-native": ["rest fetch native u1", "grpc fetch native u1"],
        "fetch-native-there": ["rest fetch native u9", "grpc fetch native u9"],
    }


def test_an_experiment_can_put_the_levels_of_a_factor_together() -> None:
    raw = with_experiments(
        users={"where": {"environment": "native"}, "together": ["load"], "twins": False}
    )

    assert groups(raw) == {
        "fetch-native": [
            "rest fetch native u1",
            "rest fetch native u9",
            "grpc fetch native u1",
            "grpc fetch native u9",
        ]
    }


ONE, NINE = ({"title": f"{count} clients", "kind": "closed", "clients": count} for count in (1, 9))


def asking(raw: dict[str, Any] | None = None, **keys: Any) -> Study:
    """A study of three contenders, a control and two loads, with a single question."""
    return study_of(
        minimal(
            contenders=THREE,
            workload={"fetch": FETCH, "insert": FETCH, "ping": PING},
            load={"u1": ONE, "u9": NINE},
            question={"asked": {"text": "What?", "sentence": "{answer}", **keys}},
        )
        | (raw or {})
    )


def cells_with(study: Study, **levels: tuple[str, ...]) -> list[Cell]:
    return cross({**study.levels, **levels}, study.baseline)  # type: ignore[dict-item]


UNANSWERED = {
    "only load": asking({"load": {"u1": ONE}}, compare="load"),
    "one load": asking(compare="load", where={"load": "u9"}),
    "one contender": asking(where={"workload": ["fetch"], "contender": ["rest"]}),
    "control": asking(where={"workload": "ping"}),
    "workload and control": asking(compare="workload", where={"workload": ["fetch", "ping"]}),
    "only workload": asking({"workload": {"fetch": FETCH, "ping": PING}}, compare="workload"),
    "no baseline": asking(against="baseline", where={"contender": ["grpc", "soap"]}),
}


@pytest.mark.parametrize("study", UNANSWERED.values(), ids=UNANSWERED)
def test_a_question_that_no_design_answers_is_a_mistake(study: Study) -> None:
    (found,) = never_answered(study)

    assert_worded(str(found).partition(": ")[2])
    assert unanswered(study, cells_with(study)) == ["asked"]


@pytest.mark.parametrize(
    "study",
    [
        asking(),
        asking(against="baseline", where={"contender": ["rest", "soap"]}),
        asking(compare="load", where={"contender": "grpc"}),
        asking(where={"workload": ["ping", "fetch"]}),
        asking({"contenders": ["rest"]}),  # a plan says how to add another one
    ],
)
def test_a_question_that_a_design_may_answer_is_none(study: Study) -> None:
    assert list(never_answered(study)) == []


@pytest.mark.parametrize(
    ("keys", "levels"),
    [
        ({"compare": "load"}, {"load": ("u1",)}),
        ({}, {"contender": ("grpc",)}),
        ({}, {"workload": ("ping",)}),
        ({"where": {"load": "u9"}}, {"load": ("u1",)}),
        ({"where": {"workload": ["fetch", "insert"]}}, {"workload": ("ping",)}),
        ({"needs": ["soap"]}, {"contender": ("rest", "grpc")}),
        ({"against": "baseline"}, {"contender": ("grpc", "soap")}),
    ],
)
def test_levels_that_take_no_part_are_the_reason(
    keys: dict[str, Any], levels: dict[str, tuple[str, ...]]
) -> None:
    study = asking(**keys)
    cells = cells_with(study, **levels)

    assert list(never_answered(study)) == []
    assert unanswered(study, cells) == ["asked"]
    assert_worded(with_reason(study, "asked", cells))
    assert unanswered(study, cells_with(study)) == []
    assert with_reason(study, "asked", cells_with(study)) == "What?"


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"needs": ["soap"]},
        {"where": {"load": "u9"}},
        {"where": {"load": "u9", "contender": ["rest", "soap"]}},
    ],
)
def test_levels_that_no_experiment_combines_are_the_reason(keys: dict[str, Any]) -> None:
    study = asking(**keys)
    alone = {"workload": ("fetch",)}
    cells = [
        *cells_with(study, **alone, contender=("rest",), load=("u1",)),
        *cells_with(study, **alone, contender=("grpc",), load=("u9",)),
        *cells_with(study, workload=("insert",), contender=("soap",), load=("u1",)),
    ]

    assert_worded(with_reason(study, "asked", cells))


def test_the_figure_of_an_only_contender_that_is_measured_alone_is_an_answer() -> None:
    only = {"contenders": ["rest"]}
    load = {"kind": "capacity", "title": "most", "objective": "p99<50ms"}
    finding = asking({**only, "load": {"most": load}}).in_design("smoke")
    latency = asking(only)

    assert unanswered(finding, cells_with(finding)) == []
    assert unanswered(latency, cells_with(latency)) == ["asked"]
