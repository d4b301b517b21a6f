"""Pointers of domain.toml that lead nowhere are mistakes of the domain, not of its contenders."""

from dataclasses import replace
from typing import Any

import pytest

from tests.support.note_verification import changed
from wirelab.domain import Dataset
from wirelab.domain.checks import Look, Outage, Sequence, Step
from wirelab.inputs.problems import ProblemsError
from wirelab.verify import require_consistent
from wirelab.verify.unknown_parts import parts_nearby

CREATE = Step(operation="create", remember={"id": "/id"})
ORDER = {"id": 1, "payment": None, "lines": [{"id": 2}, {"id": 3, "note": "x"}], "tags": []}


def mistakes(dataset: Dataset) -> list[str]:
    with pytest.raises(ProblemsError) as caught:
        require_consistent(dataset)
    return [str(each).partition("domain.toml: ")[2] for each in caught.value.problems]


def checked(dataset: Dataset, **changes: Any) -> Dataset:
    return replace(dataset, domain=replace(dataset.domain, **changes))


def test_a_consistent_domain_is_accepted(dataset: Dataset) -> None:
    require_consistent(dataset)


def test_masked_parts_must_be_parts_of_the_answer(dataset: Dataset) -> None:
    wrong = changed(dataset, "create", masked=("ident", "id", "/title", "tags/*/name"))
    own = ", ".join(sorted(dataset.new_rows["note"][0].keys() | {"id"}))

    assert mistakes(wrong) == [
        f"operation.create.masked.0 is 'ident'; expected a part of the answer: one of {own}",
        f"operation.create.masked.2 is '/title'; expected a part of the answer: one of {own}"
        " (hint: did you mean 'title'?)",
        "operation.create.masked.3 is 'tags/*/name'; expected a part of the answer: one of tags/*",
    ]


def test_remembered_parts_must_be_parts_of_the_answer(dataset: Dataset) -> None:
    first = CREATE.model_copy(update={"remember": {"id": "/nr", "title": "/titel"}})
    steps = first, Step(operation="read", parameters={"id": "{id}"}, remember={"x": "/unknown"})
    sequence = Sequence(summary="", steps=steps)

    unknown, misspelt = mistakes(checked(dataset, sequences={"life": sequence}))

    assert unknown.startswith(
        "sequence.life.steps.0.remember.id is '/nr'; expected a pointer to a part of the answer of"
        " create: one of /author, /body, "
    )
    assert misspelt.startswith("sequence.life.steps.0.remember.title is '/titel'; expected ")
    assert misspelt.endswith(" (hint: did you mean '/title'?)")


def test_later_steps_are_called_with_what_earlier_ones_returned(dataset: Dataset) -> None:
    delete = Step(operation="delete", parameters={"id": "{id}"}, remember={"gone": "/id"})
    sequence = Sequence(summary="", steps=(CREATE, delete))

    assert mistakes(checked(dataset, sequences={"life": sequence})) == [
        "sequence.life.steps.1.remember.gone is '/id'; expected a pointer to a part of the answer"
        " of delete: nothing, since the answer has no parts"
    ]


def test_an_outage_remembers_parts_of_the_answer(dataset: Dataset) -> None:
    outage = Outage(
        summary="",
        operation="create",
        remember={"id": "/nr"},
        deadline_s=1.0,
        looks=(Look(operation="list"),),
    )

    (problem,) = mistakes(checked(dataset, outages={"back": outage}))

    assert problem.startswith("outage.back.remember.id is '/nr'; expected a pointer to a part of")


@pytest.mark.parametrize(
    "path", ["", "/id", "/payment/paid_on", "/tags/*/id", "/lines/*/note", "/lines/1/id"]
)
def test_a_pointer_may_lead_into_what_is_empty_or_to_some_items(path: str) -> None:
    assert parts_nearby([ORDER], path) == []


def test_a_part_need_not_be_in_all_answers() -> None:
    assert parts_nearby([{"id": 1}, {"id": 1, "paid_on": "today"}], "/paid_on") == []
    assert parts_nearby([{"payment": None}, {"payment": {"id": 1}}], "/payment/on") == [
        "/payment/id"
    ]


@pytest.mark.parametrize(
    ("path", "nearby"),
    [
        ("/lines/*/nr", ["/lines/*/id"]),
        ("/lines/id", ["/lines/*/id"]),
        ("/lines/2/id", ["/lines/*/id"]),
        ("/id/*", ["/id"]),
        ("/nr", ["/id", "/payment", "/lines", "/tags"]),
    ],
)
def test_the_parts_beside_a_wrong_pointer_are_named(path: str, nearby: list[str]) -> None:
    assert parts_nearby([ORDER], path) == nearby
