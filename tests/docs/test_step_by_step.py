"""The page that follows one slice through the code names what exists, in an order that runs."""

import re
from importlib import import_module
from inspect import getmembers, isclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "contributing" / "one-study-step-by-step.md").read_text()
STEP = re.compile(r"(?P<call>[\w.]+)\((?!.*\w\().*#\s(?P<module>[\w.]+): ")
"""A line of the page: its last call, and the module that defines it."""
STEPS = [
    match
    for line in PAGE.split("```")[1].splitlines()[1:]
    for match in [STEP.search(line)]
    if match
]


def test_every_line_is_a_step() -> None:
    lines = [line for line in PAGE.split("```")[1].splitlines()[1:] if line]

    assert len(STEPS) == len(lines)
    assert 15 <= len(lines) <= 25


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step["call"])
def test_the_module_of_a_step_defines_what_it_calls(step: re.Match[str]) -> None:
    module = import_module(f"wirelab.{step['module']}")
    owner, _, name = step["call"].rpartition(".")
    classes = [
        kind for _, kind in getmembers(module, isclass) if kind.__module__ == module.__name__
    ]
    if owner[:1].isupper():
        assert hasattr(getattr(module, owner), name)
    elif owner:
        assert any(name in vars(kind) for kind in classes)
    else:
        assert callable(getattr(module, name))


def test_the_files_that_the_page_names_exist() -> None:
    for path in re.findall(r"`((?:engine|cluster|experiment)/[\w/.]+)`", PAGE):
        assert (ROOT / path).exists() or (ROOT / "src" / "wirelab" / path).exists(), path
