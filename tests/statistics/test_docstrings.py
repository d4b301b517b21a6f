"""Every public function says what it answers, by which formula, and what it assumes."""

import inspect

import pytest

import wirelab.statistics as package

FUNCTIONS = {name: getattr(package, name) for name in package.__all__}
PROCEDURES = sorted(name for name, value in FUNCTIONS.items() if inspect.isfunction(value))


@pytest.mark.parametrize("name", PROCEDURES)
def test_documents_its_method(name: str) -> None:
    text = inspect.getdoc(FUNCTIONS[name]) or ""

    assert "Question:" in text
    assert "Formula:" in text or "Rule" in text
    assert "ector" in text  # "Vector V11", or "No vector"


def test_all_names_exist_once() -> None:
    assert len(package.__all__) == len(set(package.__all__))
