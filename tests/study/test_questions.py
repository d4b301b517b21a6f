"""Which comparisons a study makes: its family."""

from typing import Any

from tests.study.builder import minimal, study_of
from wirelab.study import Cell, cross, family, group_cells, twins


def compared(raw: dict[str, Any]) -> list[str]:
    """Every comparison as `question: A/B where`."""
    study = study_of(raw)
    return [
        f"{pair.question}: {pair.a.contender}/{pair.b.contender}"
        f" {pair.a.workload} {pair.a.environment}/{pair.b.environment}"
        for pair in family(study, cross(study.levels, study.baseline))
    ]


def question(**keys: Any) -> dict[str, Any]:
    return {"text": "?", "sentence": "{answer}", **keys}


def test_all_pairs_of_contenders_are_compared_the_later_relative_to_the_earlier() -> None:
    assert compared(minimal(contenders=["rest", "grpc", "soap"])) == [
        "speed: grpc/rest fetch native/native",
        "speed: soap/rest fetch native/native",
        "speed: soap/grpc fetch native/native",
    ]


def test_against_the_baseline_only_pairs_with_it_are_compared() -> None:
    raw = minimal(
        contenders=["rest", "grpc", "soap"], question={"speed": question(against="baseline")}
    )

    assert compared(raw) == [
        "speed: grpc/rest fetch native/native",
        "speed: soap/rest fetch native/native",
    ]


def test_another_factor_is_compared_with_everything_else_equal() -> None:
    raw = minimal(
        environments=["native", "container"], question={"cost": question(compare="environment")}
    )

    assert sorted(compared(raw)) == [
        "cost: grpc/grpc fetch container/native",
        "cost: rest/rest fetch container/native",
    ]


def test_where_narrows_a_question_and_controls_are_never_compared() -> None:
    fetch = minimal()["workload"]["fetch"]
    raw = minimal(
        workload={
            "fetch": fetch,
            "insert": fetch,
            "ping": fetch | {"operation": "ping", "control": True},
        },
        question={"speed": question(where={"workload": ["fetch", "ping"]})},
    )

    assert compared(raw) == ["speed: grpc/rest fetch native/native"]


def test_a_question_compares_nothing_if_a_contender_that_it_needs_is_missing() -> None:
    fetch = minimal()["workload"]["fetch"]
    study = study_of(
        minimal(
            contenders=["rest", "grpc", "rest-rounds"],
            workload={"fetch": fetch, "insert": fetch},
            question={"rounds": question(needs=["rest-rounds"])},
        )
    )
    everywhere = cross(study.levels, study.baseline)
    not_insert = [c for c in everywhere if (c.contender, c.workload) != ("rest-rounds", "insert")]
    without_rounds = [cell for cell in everywhere if cell.contender != "rest-rounds"]

    assert len(family(study, everywhere)) == 6
    assert {pair.a.workload for pair in family(study, not_insert)} == {"fetch"}
    assert family(study, without_rounds) == []


def test_a_comparison_that_two_questions_make_counts_once() -> None:
    raw = minimal(question={"first": question(), "second": question()})

    assert compared(raw) == ["first: grpc/rest fetch native/native"]


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
