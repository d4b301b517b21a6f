"""Why a command failed: one clear message for people, and with --json also one for programs."""

import os
import sys
from contextlib import suppress
from typing import Any

import typer
from typer.exceptions import TyperException

from wirelab.errors import CommandError
from wirelab.inputs.problems import Problem, ProblemsError, merged
from wirelab.lab.processes.shortage import MEMORY, REMEDIES, remedy_of
from wirelab.terminal.console import error, note, print_json
from wirelab.terminal.exit_codes import ExitCode
from wirelab.terminal.words import plural

MOST_PROBLEMS = 100
"""Maximum number of errors of an input that are printed."""
JSON = "--json"
OUT_OF_MEMORY = f"error: cannot continue: out of memory\nhint: {REMEDIES[MEMORY]}\n".encode()


def show_failure(failed: Exception) -> ExitCode:
    """Print why a command failed; return the exit code. Raises it again if wirelab is wrong."""
    match failed:
        case TyperException() if failed.format_message().startswith("Usage: "):
            typer.echo(failed.format_message())  # no argument was given
            return ExitCode.BAD_INPUT
        case TyperException():
            return _show([_of_usage(failed)], ExitCode.BAD_INPUT)
        case ProblemsError():
            shown = merged(failed.problems)
            code = _show([_of_problem(each) for each in shown[:MOST_PROBLEMS]], ExitCode.BAD_INPUT)
            if len(shown) > MOST_PROBLEMS:
                left = plural(len(shown) - MOST_PROBLEMS, "more error is", "more errors are")
                note(f"{left} not printed; fix these first")
            return code
        case CommandError():
            told = {"message": failed.failure.without_hint, "hint": failed.hint}
            return _show([(str(failed), told)], ExitCode.NOT_READY)
    if not (remedy := remedy_of(failed)):
        raise failed
    what = f"cannot continue: {str(failed) or 'out of memory'}"
    told = {"message": what, "hint": remedy}
    return _show([(f"{what}\nhint: {remedy}", told)], ExitCode.FAILED)


def show_lack_of_memory() -> ExitCode:
    """Print that memory has run out, with none; return the exit code."""
    with suppress(OSError):
        os.write(2, OUT_OF_MEMORY)
    return ExitCode.FAILED


def _show(errors: list[tuple[str, dict[str, Any]]], code: ExitCode) -> ExitCode:
    """Print each error as a text, and all of them as JSON if that was requested."""
    for text, _ in errors:
        error(text)
    if JSON in sys.argv:
        print_json({"errors": [each for _, each in errors], "exit_code": int(code)})
    return code


def _of_problem(problem: Problem) -> tuple[str, dict[str, Any]]:
    if problem.is_sentence:
        return str(problem), {"message": problem.where, "hint": problem.hint}
    known = {
        "where": problem.where,
        "key": problem.key,
        "value": problem.value,
        "expected": problem.expected,
    }
    return str(problem), {"message": str(problem), "hint": problem.hint, **known}


def _of_usage(wrong: TyperException) -> tuple[str, dict[str, Any]]:
    """Return an error of Typer in the form of our messages."""
    message = wrong.format_message()
    context = getattr(wrong, "ctx", None)
    command = context.command_path if context else "wirelab"
    text = message[:1].lower() + message[1:].removesuffix(".")
    hint = f"`{command} --help` shows arguments and options"
    return f"{text}\nhint: {hint}", {"message": text, "hint": hint}
