"""Commands as Typer has them, with options whose values are read without pydantic."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from wirelab.terminal.exit_codes import ExitCode

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

OptionsT = TypeVar("OptionsT", bound="DataclassInstance")


class Command(TyperCommand):
    """A command whose flags are false by default."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return options and operands."""
        return _with_false(super().get_params(ctx))


class CommandGroup(TyperGroup):
    """A group of commands whose flags are false by default."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options of the group."""
        return _with_false(super().get_params(ctx))


def _with_false(parameters: list[Any]) -> list[Any]:
    """Make flags false instead of None, which Typer loads pydantic to convert: 0.2 s."""
    for parameter in parameters:
        is_option = parameter.param_type_name == "option"
        if parameter.default is None and is_option and parameter.is_flag:
            parameter.default = False
    return parameters


def with_options(
    options: type[OptionsT], run: Callable[[OptionsT], ExitCode]
) -> Callable[..., None]:
    """Return a command with an option for each field of a dataclass, which `run` receives."""

    @wraps(run)
    def command(**values: Any) -> None:
        raise typer.Exit(run(options(**values)))

    types = get_type_hints(options, include_extras=True)
    parameters = {
        field.name: inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=types[field.name],
        )
        for field in fields(options)
    }
    # The help lists a command's own options before those that it shares with others.
    names = dict.fromkeys(
        name for each in options.__mro__ for name in inspect.get_annotations(each)
    )
    ordered = [parameters[name] for name in names]
    command.__signature__ = inspect.Signature(ordered)  # type: ignore[attr-defined]
    return command
