"""How large an answer is: its deepest objects."""

import pytest

from wirelab.verify.plans import leaves


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (None, 0),
        ([], 0),
        ({"a": 1, "b": "two"}, 1),
        ([{"id": "1"}, {"id": "2"}], 2),
        ({"id": "1", "students": []}, 0),
        ({"id": "1", "students": [{"id": "2"}, {"id": "3", "advisor": {"id": "4"}}]}, 2),
        ({"head": {"id": "1", "doctoralDegreeFrom": {"id": "2"}}}, 1),
        ({"advisor": None}, 0),
        ({"aggregate": {"age": {"avg": 23.5, "max": 27.0, "min": 20.0}}}, 1),
    ],
)
def test_leaves_are_the_objects_that_hold_no_other(answer: object, expected: int) -> None:
    assert leaves(answer) == expected
