"""Every contender takes the original texts as they are, and answers what is right."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from tests.university.contenders.standing import Connection, Standing
from tests.university.contenders.templates import TEMPLATES


@pytest.fixture(scope="module")
def expected(rows: Connection) -> Callable[[str], list[Any]]:
    """What is right for each value of a template, which the store is asked once."""
    return cache(lambda name: [TEMPLATES[name].expected(rows, it) for it in TEMPLATES[name].values])


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_answer_matches_the_store(
    contender: Standing, expected: Callable[[str], list[Any]], name: str
) -> None:
    template = TEMPLATES[name]
    for values, right in zip(template.values, expected(name), strict=True):
        assert contender.client.data(template.query(values)) == right, values


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_data_contain_an_answer_for_each_template(
    expected: Callable[[str], list[Any]], name: str
) -> None:
    """An oracle that says nothing everywhere would agree with everybody."""
    answers = list(map(str, expected(name)))

    assert len(set(answers)) >= 3
    assert max(map(len, answers)) > 60
