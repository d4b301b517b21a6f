"""The options of `wirelab bisect` and `wirelab history`; light to import."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from wirelab.compare.command_line import TimedOptions
from wirelab.inputs.options import HOW_LONG, VERDICT, WHAT


@dataclass(frozen=True, kw_only=True)
class VersionOptions(TimedOptions):
    """The options of both commands."""

    build_limit: Annotated[
        str,
        typer.Option(
            "--build-limit",
            help="How long a build may take: 90s, 10m. A commit that takes longer is skipped.",
            rich_help_panel=HOW_LONG,
        ),
    ] = "10m"


@dataclass(frozen=True, kw_only=True)
class BisectOptions(VersionOptions):
    """The options of `wirelab bisect`."""

    sides: Annotated[
        list[str],
        typer.Argument(metavar="GOOD..BAD", help="Two versions of git, the older one first."),
    ] = field(default_factory=list)
    budget: Annotated[
        str,
        typer.Option(
            "--budget", help="How long to measure, for all rounds: 5m.", rich_help_panel=HOW_LONG
        ),
    ] = "8m"
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", help="Folder for the rounds [default: bundles/…].", rich_help_panel=VERDICT
        ),
    ] = None
    resume: Annotated[
        Path | None,
        typer.Option(
            "--resume", help="Continue the bisection in this folder.", rich_help_panel=HOW_LONG
        ),
    ] = None
    ci: Annotated[
        bool,
        typer.Option(
            "--ci",
            help="Print Markdown; exit code 10 if a commit is slower, 11 for cannot tell.",
            rich_help_panel=VERDICT,
        ),
    ] = False


@dataclass(frozen=True, kw_only=True)
class HistoryOptions(VersionOptions):
    """The options of `wirelab history`."""

    sides: Annotated[
        list[str],
        typer.Argument(
            metavar="RANGE",
            help="Commits to measure: OLD..NEW, or single versions. None: only draw the file.",
        ),
    ] = field(default_factory=list)
    file: Annotated[
        Path,
        typer.Option(
            "--file",
            help="The file with one line for each commit and operation.",
            rich_help_panel=VERDICT,
        ),
    ] = Path("history.jsonl")
    anchor: Annotated[
        str | None,
        typer.Option(
            "--anchor",
            help="The version that all others are measured against [default: that of the file, or"
            " the oldest of RANGE].",
            rich_help_panel=WHAT,
        ),
    ] = None
    every: Annotated[
        int,
        typer.Option(
            "--every",
            help="Of a range, only every n-th commit, and the last.",
            rich_help_panel=WHAT,
        ),
    ] = 1
    tags: Annotated[
        bool,
        typer.Option("--tags", help="Of a range, only commits with a tag.", rich_help_panel=WHAT),
    ] = False
    again: Annotated[
        bool,
        typer.Option(
            "--again", help="Also measure commits that the file has.", rich_help_panel=WHAT
        ),
    ] = False
    budget: Annotated[
        str,
        typer.Option(
            "--budget", help="How long to measure each commit: 30s.", rich_help_panel=HOW_LONG
        ),
    ] = "30s"
