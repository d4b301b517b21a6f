"""Pointers of domain.toml that lead nowhere are mistakes of the domain, not of its contenders."""

from dataclasses import replace
from typing import Any

import pytest

from tests.support.note_verification import changed
from tests.support.wording import assert_worded
from wirelab.domain import Dataset
from wirelab.domain.checks import Look, Outage, Sequence, Step
from wirelab.inputs.problems import ProblemsError
from wirelab.verify import require_consistent
from wirelab.verify.unknown_parts import parts_nearby

CREATE = Step(operation="create", remember={"id": "/id"})
ORDER = {"id": 1, "payment": None, "lines": [{"id": 2}, {"id": 3, "note": "x"}], "tags": []}


def assert_mistakes_worded(dataset: Dataset) -> None:
    with pytest.raises(ProblemsError) as caught:
        require_consistent(dataset)
    assert_worded(
        "\n".join(str(each).partition("domain.toml: ")[2] for each in caught.value.problems)
    )


def checked(dataset: Dataset, **changes: Any) -> Dataset:
    return replace(dataset, domain=replace(dataset.domain, **changes))


def test_a_consistent_domain_is_accepted(dataset: Dataset) -> None:
    require_consistent(dataset)


def test_masked_parts_must_be_parts_of_the_answer(dataset: Dataset) -> None:
    assert_mistakes_worded(
        changed(dataset, "create", masked=("ident", "id", "/title", "tags/*/name"))
    )


def test_remembered_parts_must_be_parts_of_the_answer(dataset: Dataset) -> None:
    first = CREATE.model_copy(update={"remember": {"id": "/nr", "title": "/titel"}})
    steps = first, Step(operation="read", parameters={"id": "{id}"}, remember={"x": "/unknown"})
    sequence = Sequence(summary="", steps=steps)

    assert_mistakes_worded(checked(dataset, sequences={"life": sequence}))


def test_later_steps_are_called_with_what_earlier_ones_returned(dataset: Dataset) -> None:
    delete = Step(operation="delete", parameters={"id": "{id}"}, remember={"gone": "/id"})
    sequence = Sequence(summary="", steps=(CREATE, delete))

    assert_mistakes_worded(checked(dataset, sequences={"life": sequence}))


def test_an_outage_remembers_parts_of_the_answer(dataset: Dataset) -> None:
    outage = Outage(
        summary="",
        operation="create",
        remember={"id": "/nr"},
        deadline_s=1.0,
        looks=(Look(operation="list"),),
    )

    assert_mistakes_worded(checked(dataset, outages={"back": outage}))


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
