"""Arguments and options that several commands share, and how they are read."""

from pathlib import Path
from typing import Annotated

import typer

WHAT = "What to measure"
REQUESTS = "Requests"
TLS = "TLS"
HOW_LONG = "How long"
VERDICT = "Verdict and output"
GROUPS = (WHAT, REQUESTS, TLS, HOW_LONG, VERDICT)
"""Groups of options in the help of a command, in order."""

StudyArgument = Annotated[
    str, typer.Argument(metavar="STUDY", help="A study's name (see `wirelab list`) or its folder.")
]
BundlesArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="BUNDLE...",
        help="The folder that `wirelab run` wrote; several bundles of one study are compared.",
    ),
]
DesignOption = Annotated[
    str | None,
    typer.Option(
        "--design",
        help="smoke (minutes), replication (decides the paper's claims), paper (its procedure) or"
        " another of the study [default: its only one, otherwise smoke].",
        rich_help_panel=WHAT,
    ),
]
SeedOption = Annotated[
    int,
    typer.Option(
        "--seed",
        help="Determines the order and the data: the same seed gives the same schedule.",
        rich_help_panel=HOW_LONG,
    ),
]
OnlyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        help="Only these contenders, protocols, workloads, loads, proxies, stores or environments"
        " (comma-separated, or repeated). Names of one kind are alternatives; all kinds must"
        " match.",
        rich_help_panel=WHAT,
    ),
]
OperationsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        help="Only these operations (comma-separated, or repeated).",
        rich_help_panel=WHAT,
    ),
]
BlocksOption = Annotated[
    int | None,
    typer.Option(
        "--blocks",
        help="Blocks of each setting instead of the design's: more blocks give narrower"
        " intervals; a verdict needs at least 6.",
        rich_help_panel=HOW_LONG,
    ),
]
StoreOption = Annotated[
    list[str] | None,
    typer.Option(
        "--store",
        help="Use this database instead of the embedded one: KIND=URL. Or limit the embedded one: "
        "'postgresql=postgresql?cpus=2&memory_mb=1024'.",
        rich_help_panel=WHAT,
    ),
]
DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help="A file of real data (CSV or JSON) instead of generated rows.",
        rich_help_panel=WHAT,
    ),
]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Measure on the machines of this Ray cluster: HOST:PORT of its head, or auto.",
        rich_help_panel=WHAT,
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print JSON for programs.", rich_help_panel=VERDICT)
]

AllowWritesOption = Annotated[
    bool,
    typer.Option(
        "--allow-writes", help="Also send operations that change data.", rich_help_panel=REQUESTS
    ),
]
ScratchOption = Annotated[
    bool,
    typer.Option(
        "--scratch",
        help="The data are a scratch copy and need not be restored.",
        rich_help_panel=REQUESTS,
    ),
]


def names(only: list[str] | None) -> tuple[str, ...]:
    """Return the names in --only, which may be repeated or separated by commas."""
    return tuple(name for part in only or () for each in part.split(",") if (name := each.strip()))
