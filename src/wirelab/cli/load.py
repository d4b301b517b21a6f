"""The command that generates load from many machines: load."""

from typing import Annotated

import typer

from wirelab.inputs.options import JsonOption

PASSED_ON = {"ignore_unknown_options": True}
"""The options that describe the load are passed on to `wirelab-load`."""


def load(
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="URL [OPTION]…",
            help="The load, with the options of `wirelab-load`, or its job file; see"
            " `wirelab-load --help`.",
        ),
    ],
    cluster: Annotated[
        str,
        typer.Option(
            "--cluster",
            metavar="ADDRESS",
            help="Generate the load from this Ray cluster: HOST:PORT of its head, or auto.",
        ),
    ],
    agents: Annotated[
        int | None,
        typer.Option(
            "--agents",
            min=1,
            help="Engines that share the load, one CPU each [default: one on each machine].",
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            "--start",
            metavar="COMMAND",
            help="Start a server with this command, which contains {port}, on a machine without"
            " agents; its address replaces {server} in the URL.",
        ),
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(
            "--on", metavar="MACHINE", help="The machine for --start [default: the first]."
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Send load to a server from many machines at once: one schedule, one merged result."""
    from wirelab.commands.own_api.load import LoadRequest, load_command  # noqa: PLC0415

    request = LoadRequest(arguments, cluster, agents, start, on, json)
    raise typer.Exit(load_command(request))
