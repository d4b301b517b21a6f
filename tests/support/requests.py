"""Command lines of `wirelab compare` and `wirelab capacity`, as they are read."""

from collections.abc import Callable
from typing import Any

import pytest

from wirelab.compare.command_line import CapacityOptions, CompareOptions
from wirelab.compare.options import (
    CapacityRequest,
    CompareRequest,
    read_capacity,
    read_comparison,
)
from wirelab.inputs.problems import Problem, ProblemsError


def comparison_of(*sides: str, **options: Any) -> CompareRequest:
    """Read a comparison, with the default options except for these."""
    return read_comparison(CompareOptions(sides=list(sides), **options))


def capacity_of(*sides: str, objective: str = "p99<50ms", **options: Any) -> CapacityRequest:
    """Read a capacity, with the default options except for these."""
    return read_capacity(CapacityOptions(sides=list(sides), objective=objective, **options))


def problems_of(read: Callable[..., object], *arguments: Any, **options: Any) -> list[Problem]:
    """Return everything that is wrong with what a function is called with."""
    with pytest.raises(ProblemsError) as raised:
        read(*arguments, **options)
    return raised.value.problems
