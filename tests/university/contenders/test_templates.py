"""Every contender takes the original texts as they are, and answers what is right."""

import pytest

from tests.university.contenders.conftest import Connection
from tests.university.contenders.standing import Standing
from tests.university.contenders.templates import TEMPLATES


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_answer_matches_the_store(contender: Standing, rows: Connection, name: str) -> None:
    template = TEMPLATES[name]
    for values in template.values:
        expected = template.expected(rows, values)

        assert contender.client.data(template.query(values)) == expected, values


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_data_contain_an_answer_for_each_template(rows: Connection, name: str) -> None:
    """An oracle that says nothing everywhere would agree with everybody."""
    template = TEMPLATES[name]
    answers = [str(template.expected(rows, values)) for values in template.values]

    assert len(set(answers)) >= 3
    assert max(map(len, answers)) > 60
