"""Questions that compare nothing, and why."""

from typing import Any

import pytest

from tests.study.builder import minimal, study_of
from wirelab.study import Cell, Study, cross, never_answered, unanswered, with_reason

FETCH = minimal()["workload"]["fetch"]
PING = FETCH | {"operation": "ping", "control": True}
ONE, NINE = ({"title": f"{count} clients", "kind": "closed", "clients": count} for count in (1, 9))


def asking(raw: dict[str, Any] | None = None, **keys: Any) -> Study:
    """A study of three contenders, a control and two loads, with a single question."""
    return study_of(
        minimal(
            contenders=["rest", "grpc", "soap"],
            workload={"fetch": FETCH, "insert": FETCH, "ping": PING},
            load={"u1": ONE, "u9": NINE},
            question={"asked": {"text": "What?", "sentence": "{answer}", **keys}},
        )
        | (raw or {})
    )


def cells_with(study: Study, **levels: tuple[str, ...]) -> list[Cell]:
    return cross({**study.levels, **levels}, study.baseline)  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("study", "problem"),
    [
        (
            asking({"load": {"u1": ONE}}, compare="load"),
            "compare is 'load'; expected a factor with at least two levels; u1 is the only load of"
            " the study",
        ),
        (
            asking(compare="load", where={"load": "u9"}),
            "where.load is 'u9'; expected at least two loads, since the question compares them",
        ),
        (
            asking(where={"workload": ["fetch"], "contender": ["rest"]}),
            "where.contender is 'rest'; expected at least two contenders, since the question"
            " compares them",
        ),
        (
            asking(where={"workload": "ping"}),
            "where.workload is 'ping'; expected a workload other than the control, which is never"
            " compared",
        ),
        (
            asking(compare="workload", where={"workload": ["fetch", "ping"]}),
            "where.workload is ['fetch', 'ping']; expected at least two workloads besides the"
            " control, since the question compares them",
        ),
        (
            asking({"workload": {"fetch": FETCH, "ping": PING}}, compare="workload"),
            "compare is 'workload'; expected a factor with at least two levels; fetch is the only"
            " workload of the study besides the control",
        ),
        (
            asking(against="baseline", where={"contender": ["grpc", "soap"]}),
            "where.contender is ['grpc', 'soap']; expected contenders with the baseline rest, since"
            ' against = "baseline"',
        ),
    ],
)
def test_a_question_that_no_design_answers_is_a_mistake(study: Study, problem: str) -> None:
    (found,) = map(str, never_answered(study))

    assert found.partition(": ")[2] == f"question.asked.{problem}"
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
    ("keys", "levels", "reason"),
    [
        ({"compare": "load"}, {"load": ("u1",)}, "only the load u1 takes part"),
        ({}, {"contender": ("grpc",)}, "only the contender grpc takes part"),
        (
            {},
            {"workload": ("ping",)},
            "only ping takes part, the control, which is never compared",
        ),
        ({"where": {"load": "u9"}}, {"load": ("u1",)}, "the load u9 does not take part"),
        (
            {"where": {"workload": ["fetch", "insert"]}},
            {"workload": ("ping",)},
            "the workloads fetch and insert do not take part",
        ),
        (
            {"needs": ["soap"]},
            {"contender": ("rest", "grpc")},
            "the contender soap, required by the question, does not take part",
        ),
        (
            {"against": "baseline"},
            {"contender": ("grpc", "soap")},
            "the baseline rest does not take part",
        ),
    ],
)
def test_levels_that_take_no_part_are_the_reason(
    keys: dict[str, Any], levels: dict[str, tuple[str, ...]], reason: str
) -> None:
    study = asking(**keys)
    cells = cells_with(study, **levels)

    assert list(never_answered(study)) == []
    assert unanswered(study, cells) == ["asked"]
    assert with_reason(study, "asked", cells) == f"What? ({reason})"
    assert unanswered(study, cells_with(study)) == []
    assert with_reason(study, "asked", cells_with(study)) == "What?"


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({}, "no two of its cells differ only in the contender"),
        (
            {"needs": ["soap"]},
            "no two of its cells differ only in the contender where soap takes part",
        ),
        ({"where": {"load": "u9"}}, "only the contender grpc takes part"),
        ({"where": {"load": "u9", "contender": ["rest", "soap"]}}, "no cell combines its levels"),
    ],
)
def test_levels_that_no_experiment_combines_are_the_reason(
    keys: dict[str, Any], reason: str
) -> None:
    study = asking(**keys)
    alone = {"workload": ("fetch",)}
    cells = [
        *cells_with(study, **alone, contender=("rest",), load=("u1",)),
        *cells_with(study, **alone, contender=("grpc",), load=("u9",)),
        *cells_with(study, workload=("insert",), contender=("soap",), load=("u1",)),
    ]

    assert with_reason(study, "asked", cells) == f"What? ({reason})"


def test_the_figure_of_an_only_contender_that_is_measured_alone_is_an_answer() -> None:
    only = {"contenders": ["rest"]}
    load = {"kind": "capacity", "title": "most", "objective": "p99<50ms"}
    finding = asking({**only, "load": {"most": load}}).in_design("smoke")
    latency = asking(only)

    assert unanswered(finding, cells_with(finding)) == []
    assert unanswered(latency, cells_with(latency)) == ["asked"]
