"""Commands as Typer has them, with options whose values are read without pydantic."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from wirelab.inputs.options import GROUPS
from wirelab.terminal.exit_codes import ExitCode

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

OptionsT = TypeVar("OptionsT", bound="DataclassInstance")

LONGEST_SENTENCE = 200
"""Characters of a command's description in the list of all."""


_METAVARS = {"int": "N", "float": "NUMBER", "path": "PATH", "str": "TEXT"}
"""What the help shows for a value, by the name of its type."""


class Command(TyperCommand):
    """A command whose help begins with examples (its `epilog`) and has options in groups."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return options and operands."""
        return _with_false(super().get_params(ctx))

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write what the command does, and examples."""
        super().format_help_text(ctx, formatter)
        if self.epilog:
            with formatter.section("Examples"):
                for line in self.epilog.splitlines():
                    formatter.write(f"{' ' * formatter.current_indent}{line}\n")

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write operands and options, those of one group below its name."""
        groups: dict[str, list[tuple[str, str]]] = {group: [] for group in ("Arguments", *GROUPS)}
        for parameter in self.get_params(ctx):
            record = _help_record(parameter, ctx)
            if record is not None:
                is_operand = parameter.param_type_name == "argument"
                group = "Arguments" if is_operand else parameter.rich_help_panel or "Options"
                groups.setdefault(group, []).append(record)
        for group, records in groups.items():
            if records:
                with formatter.section(group):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write nothing: examples stand at the beginning."""


class CommandGroup(TyperGroup):
    """A group of commands, whose help has a whole sentence about each."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options of the group."""
        return _with_false(super().get_params(ctx))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write each command with the first sentence of its help."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, command.get_short_help_str(limit=LONGEST_SENTENCE))
                    for name, command in commands
                    if command is not None
                ]
            )


def _with_false(parameters: list[Any]) -> list[Any]:
    """Make flags false instead of None, which Typer loads pydantic to convert: 0.2 s."""
    for parameter in parameters:
        is_option = parameter.param_type_name == "option"
        if parameter.default is None and is_option and parameter.is_flag:
            parameter.default = False
    return parameters


def _help_record(parameter: Any, ctx: Any) -> tuple[str, str] | None:
    """Return name and description, with what the value is, such as N, not its type in Python."""
    record = parameter.get_help_record(ctx)
    if record is None:
        return None
    name, description = record
    shown = parameter.display_type(ctx)
    if parameter.param_type_name == "argument":
        return name.removesuffix(f" {shown}"), description
    kind = shown.strip("<>").removeprefix("list[").removesuffix("]").partition(" ")[0]
    return name.replace(shown, parameter.metavar or _METAVARS.get(kind, kind)), description


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
            default=_default(field),
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


def _default(field: Any) -> Any:
    """Return the default of a field as that of a parameter."""
    if field.default_factory is not MISSING:
        return field.default_factory()
    return inspect.Parameter.empty if field.default is MISSING else field.default
