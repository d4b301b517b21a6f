"""The options of `wirelab compare` and `wirelab capacity`; light to import."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from wirelab.inputs.options import (
    HOW_LONG,
    REQUESTS,
    VERDICT,
    WHAT,
    AllowWritesOption,
    ScratchOption,
)
from wirelab.scaffold.options import ServerOptions


@dataclass(frozen=True, kw_only=True)
class MeasureOptions(ServerOptions):
    """The options that both commands have."""

    sides: list[str]
    start: Annotated[
        str | None,
        typer.Option(
            "--start",
            help="Command that starts a git version; it must listen on {port}.",
            rich_help_panel=WHAT,
        ),
    ] = None
    build: Annotated[
        str | None,
        typer.Option(
            "--build",
            help="Command that builds a version before it is started.",
            rich_help_panel=WHAT,
        ),
    ] = None
    path: Annotated[
        str,
        typer.Option(
            "--path",
            help="Path to GET from each side, below that of its address: /items/7.",
            rich_help_panel=WHAT,
        ),
    ] = ""
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            help='Message to send to each WebSocket: \'{"op": "ping"}\'.',
            rich_help_panel=REQUESTS,
        ),
    ] = None
    margin: Annotated[
        float,
        typer.Option(
            "--margin",
            help="The largest difference that does not matter, in percent.",
            rich_help_panel=VERDICT,
        ),
    ] = 5.0
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", help="Folder for the bundle [default: bundles/…].", rich_help_panel=VERDICT
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class TimedOptions(MeasureOptions):
    """The options of the commands that compare response times."""

    clients: Annotated[
        int,
        typer.Option(
            "--clients",
            help="Number of concurrent clients; with --rate, of connections.",
            rich_help_panel=REQUESTS,
        ),
    ] = 1
    rate: Annotated[
        float | None,
        typer.Option(
            "--rate", help="Requests per second, sent at fixed times.", rich_help_panel=REQUESTS
        ),
    ] = None
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            "--ignore",
            help="A part of the answers that is not compared: created_at, items/*/id, 'header"
            " x-id'.",
            rich_help_panel=WHAT,
        ),
    ] = None
    budget: Annotated[
        str,
        typer.Option("--budget", help="How long to measure: 40s, 2m.", rich_help_panel=HOW_LONG),
    ] = "30s"


@dataclass(frozen=True, kw_only=True)
class CompareOptions(TimedOptions):
    """The options of `wirelab compare`."""

    sides: Annotated[
        list[str],
        typer.Argument(
            metavar="SIDE",
            help="NAME=ADDRESS or an address, a command with {port}, with --start versions of"
            " git: main..HEAD, or a domain and its protocols: shop rest grpc.",
        ),
    ]
    pid: Annotated[
        list[str] | None,
        typer.Option(
            "--pid",
            help="SIDE=PID of a server on this machine [default: by its port].",
            rich_help_panel=WHAT,
        ),
    ] = None
    fail_if: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-if",
            help="Fail (exit code 12) if p99>20ms, new.mean>5ms, ratio>1.1 or rate<100; once for"
            " each limit.",
            rich_help_panel=VERDICT,
        ),
    ] = None
    baseline: Annotated[
        Path | None,
        typer.Option(
            "--baseline",
            help="Also compare with an earlier bundle from this machine.",
            rich_help_panel=VERDICT,
        ),
    ] = None
    allow_writes: AllowWritesOption = False
    reset: Annotated[
        str | None,
        typer.Option(
            "--reset",
            help="A command that restores the data before each block.",
            rich_help_panel=REQUESTS,
        ),
    ] = None
    scratch: ScratchOption = False
    ci: Annotated[
        bool,
        typer.Option(
            "--ci",
            help="Print Markdown; exit code 10 for slower, 11 for cannot tell.",
            rich_help_panel=VERDICT,
        ),
    ] = False


@dataclass(frozen=True, kw_only=True)
class CapacityOptions(MeasureOptions):
    """The options of `wirelab capacity`."""

    sides: Annotated[
        list[str],
        typer.Argument(
            metavar="SIDE",
            help="NAME=ADDRESS or an address, a command with {port}, or with --start versions of"
            " git: main..HEAD.",
        ),
    ]
    objective: Annotated[
        str,
        typer.Option(
            "--objective",
            help="The limits to be met, such as p99<50ms or p99<50ms,failed<0.1%.",
            rich_help_panel=WHAT,
        ),
    ]
    connections: Annotated[
        int,
        typer.Option(
            "--connections", help="Connections to each side, kept open.", rich_help_panel=REQUESTS
        ),
    ] = 32
    blocks: Annotated[
        int,
        typer.Option(
            "--blocks", help="Fresh starts; a verdict needs six.", rich_help_panel=HOW_LONG
        ),
    ] = 6
    repeats: Annotated[
        int,
        typer.Option(
            "--repeats", help="Trials at each of nine rates, per block.", rich_help_panel=HOW_LONG
        ),
    ] = 2
    trial: Annotated[
        str | None,
        typer.Option(
            "--trial",
            help="Duration of a trial, such as 500ms [default: 1s, or longer for slow servers].",
            rich_help_panel=HOW_LONG,
        ),
    ] = None
    search: Annotated[
        str,
        typer.Option(
            "--search",
            help="Time limit of the search for each side's approximate rate.",
            rich_help_panel=HOW_LONG,
        ),
    ] = "25s"
