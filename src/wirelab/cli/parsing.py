"""Command lines are read to their end, so that all mistakes in one are reported together."""

from collections import deque
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from wirelab.inputs.close_match import close_match
from wirelab.inputs.problems import Problem, Problems
from wirelab.terminal.words import listed

ALMOST_CERTAIN = 0.8
"""Minimum similarity of an unknown option to one that it is read as; to suggest one, 0.6 is enough.
"""
_MISTAKES = "wirelab.mistakes"


def mistakes(context: typer.Context) -> Problems:
    """Return the mistakes of the command line, for a command to report them with its own."""
    found: Problems = context.meta.setdefault(_MISTAKES, Problems())
    return found


class Command(TyperCommand):
    """A command that is not called if its command line has mistakes."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return options and operands."""
        return _with_false(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read all arguments. A wrong value is noted and left out; a missing one is empty, or None.

        None is Typer's value of an empty list.
        """
        if ctx.resilient_parsing:  # for completion
            return super().parse_args(ctx, args)
        problems = mistakes(ctx)
        known = _without_unknown_options(self, ctx, args)
        values, unexpected, _ = self.make_parser(ctx).parse_args(args=known)
        for parameter in sorted(self.get_params(ctx), key=lambda it: not it.is_eager):
            assert isinstance(parameter, (TyperArgument, TyperOption))
            written = values.get(parameter.name)
            if parameter.required and not written:
                what = f"missing {parameter.param_type_name} {parameter.get_error_hint()}"
                problems.extend([Problem.stated(what, _see_help(ctx))])
                ctx.params[parameter.name] = [] if parameter.nargs == -1 else ""
                continue
            try:
                parameter.handle_parse_result(ctx, values, [])
            except typer.BadParameter:
                problems.add(parameter.opts[0], "", written, _expected(parameter))
                parameter.handle_parse_result(ctx, {}, [])
        if unexpected:
            named = f"argument{'s' if len(unexpected) > 1 else ''} {listed(map(repr, unexpected))}"
            problems.extend([Problem.stated(f"unexpected {named}", _see_help(ctx))])
        return []

    def invoke(self, ctx: Any) -> Any:
        """Call the command, unless its command line has mistakes: raise `ProblemsError`."""
        mistakes(ctx).raise_if_any()
        return super().invoke(ctx)


class CheckingCommand(Command):
    """A command with checks of its own. It takes the `mistakes`, and reports all together."""

    def invoke(self, ctx: Any) -> Any:
        """Call the command."""
        return TyperCommand.invoke(self, ctx)


class Group(TyperGroup):
    """A group of commands. Mistakes before the name of a command are reported with those after."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options of the group."""
        return _with_false(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments up to the name of a command."""
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        known = _without_unknown_options(self, ctx, args)
        if not known:  # without any argument, the help is printed
            mistakes(ctx).raise_if_any()
        return super().parse_args(ctx, known)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Find the command. Raises `ProblemsError` if there is none of this name."""
        if self.get_command(ctx, args[0]) is None and not ctx.resilient_parsing:
            hint = close_match(args[0], self.commands) or _see_help(ctx, "commands")
            mistakes(ctx).extend([Problem.stated(f"no such command: {args[0]}", hint)])
            mistakes(ctx).raise_if_any()
        return super().resolve_command(ctx, args)


def _with_false(parameters: list[Any]) -> list[Any]:
    """Make flags false instead of None, which Typer loads pydantic to convert: 0.2 s."""
    for parameter in parameters:
        if parameter.default is None and _names(parameter) and parameter.is_flag:
            parameter.default = False
    return parameters


def _see_help(context: typer.Context, what: str = "arguments and options") -> str:
    return f"`{context.command_path} --help` shows {what}"


def _expected(parameter: Any) -> str:
    """Return the words for the number that an option takes; no other value can be wrong."""
    kind = "a whole number" if parameter.type_descriptor.annotation is int else "a number"
    if parameter.min is None:
        return kind
    if parameter.max is None:
        return f"{kind} of at least {parameter.min:g}"
    return f"{kind} from {parameter.min:g} to {parameter.max:g}"


def _without_unknown_options(command: Any, ctx: Any, args: Sequence[str]) -> list[str]:
    """Note unknown options, and options with a value too many or too few; return the others.

    A misspelt option is read as the one that was meant. The word after any other unknown option may
    be its value: it is an operand only if there is no other.
    """
    options = {name: it for it in command.get_params(ctx) for name in _names(it)}
    problems = mistakes(ctx)
    known: list[str] = []
    operands: list[str] = []
    doubtful: list[str] = []
    rest = deque(args)
    while rest:
        word = rest.popleft()
        written, equals, value = word.partition("=")
        if word == "--":
            operands += rest
            break
        if not _is_option(word) or (written not in options and ctx.ignore_unknown_options):
            operands.append(word)
            if not ctx.allow_interspersed_args:
                operands += rest
                break
            continue
        name = written if written in options else _meant(written, options, ctx)
        has_next = bool(rest) and rest[0].partition("=")[0] not in options
        if not name:
            may_have_value = has_next and not equals and ctx.allow_interspersed_args
            if may_have_value and not _is_option(rest[0]):
                doubtful.append(rest.popleft())
        elif options[name].is_flag:
            known.append(name)
            if equals:
                problems.add(name, "", value, "no value")
        elif equals:
            known.append(f"{name}={value}")
        elif has_next:
            known += [name, rest.popleft()]
        else:
            problems.extend([Problem.stated(f"{name} needs a value", _see_help(ctx))])
    return [*known, "--", *(operands or doubtful)] if known or operands or doubtful else []


def _meant(unknown: str, options: Mapping[str, Any], ctx: Any) -> str:
    """Note an unknown option, and return the one that it misspells; "" if that is not certain."""
    if others := _commands_with(unknown, ctx):
        hint = f"{listed(others)} {'has' if len(others) == 1 else 'have'} it; {_see_help(ctx)}"
        mistakes(ctx).extend([Problem.stated(f"no such option: {unknown}", hint)])
        return ""
    hint = close_match(unknown, options) or _see_help(ctx)
    mistakes(ctx).extend([Problem.stated(f"no such option: {unknown}", hint)])
    names = [name for name, it in options.items() if not it.is_eager]  # which would print the help
    return next(iter(get_close_matches(unknown, names, n=1, cutoff=ALMOST_CERTAIN)), "")


def _commands_with(option: str, ctx: Any) -> list[str]:
    """Return the other commands of the group that have an option of this name."""
    group = ctx.parent.command if ctx.parent else None
    return [
        f"`{ctx.parent.command_path} {name}`"
        for name, command in getattr(group, "commands", {}).items()
        if command is not ctx.command and any(option in _names(it) for it in command.params)
    ]


def _names(parameter: Any) -> Sequence[str]:
    """Return how an option is written; an operand has no name on the command line."""
    is_option = parameter.param_type_name == "option"
    return (*parameter.opts, *parameter.secondary_opts) if is_option else ()


def _is_option(word: str) -> bool:
    return len(word) > 1 and word.startswith("-")
