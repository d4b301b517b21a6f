"""Commands for servers of the user: compare, bisect, history, capacity, init."""

import sys

import typer

from wirelab.compare.command_line import CapacityOptions, CompareOptions
from wirelab.errors import CommandError
from wirelab.inputs.problems import ProblemsError
from wirelab.scaffold.options import InitOptions
from wirelab.terminal.exit_codes import ExitCode
from wirelab.versions.command_line import BisectOptions, HistoryOptions


def compare(options: CompareOptions) -> ExitCode:
    """Measure servers in turns: report which is faster, by how much, and whether that is real."""
    from wirelab.compare.options import read_comparison  # noqa: PLC0415

    try:
        request = read_comparison(options)
        from wirelab.commands.own_api.compare import compare_command  # noqa: PLC0415

        return compare_command(request)
    except (ProblemsError, CommandError) as failed:
        if options.ci:
            from wirelab.compare.verdict import failure_markdown  # noqa: PLC0415

            typer.echo(failure_markdown(failed), nl=False)
        raise


def bisect(options: BisectOptions) -> ExitCode:
    """Find the commit that changed the time of a server, with an interval and its certainty."""
    try:
        from wirelab.commands.own_api.bisect import bisect_command  # noqa: PLC0415

        return bisect_command(options)
    except (ProblemsError, CommandError) as failed:
        if options.ci:
            from wirelab.compare.verdict import failure_markdown  # noqa: PLC0415

            typer.echo(failure_markdown(failed, "bisect"), nl=False)
        raise


def history(options: HistoryOptions) -> ExitCode:
    """Measure commits against one version, keep the ratios in a file, and draw how they changed."""
    from wirelab.commands.own_api.history import history_command  # noqa: PLC0415

    return history_command(options)


def capacity(options: CapacityOptions) -> ExitCode:
    """Find the highest rate that each server sustains, and how servers behave under overload."""
    from wirelab.compare.options import read_capacity  # noqa: PLC0415

    request = read_capacity(options)
    from wirelab.commands.own_api.capacity import capacity_command  # noqa: PLC0415

    return capacity_command(request)


def init(options: InitOptions) -> ExitCode:
    """Write a domain and a study for an API of your own, from its descriptions."""
    from wirelab.scaffold.request import read_init  # noqa: PLC0415

    request = read_init(options)
    from wirelab.commands.own_api.init import init_command  # noqa: PLC0415

    may_ask = not (options.yes or options.json) and sys.stdin.isatty()
    return init_command(request, typer.confirm if may_ask else None, as_json=options.json)
