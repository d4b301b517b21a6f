"""Which comparisons a study makes: its family."""

from typing import Any

from tests.study.builder import minimal, study_of
from wirelab.study import Cell, cross, family, twins


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


def test_where_narrows_a_question_and_controls_are_never_asked_about() -> None:
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
