"""Commands about studies, domains and bundles: run, plan, report, browse, verify, list."""

import sys
from collections.abc import Sequence
from getpass import getpass
from pathlib import Path
from typing import Annotated

import typer

from wirelab.inputs.options import (
    HOW_LONG,
    REQUESTS,
    VERDICT,
    WHAT,
    AllowWritesOption,
    BlocksOption,
    BundlesArgument,
    ClusterOption,
    DataOption,
    DesignOption,
    JsonOption,
    OnlyOption,
    ScratchOption,
    SeedOption,
    StoreOption,
    StudyArgument,
    names,
)
from wirelab.inputs.problems import Problem, ProblemsError, add_problem, collected_problems
from wirelab.inputs.times import seconds_of_option

LIVE_PORT = 9464
"""The port of OpenTelemetry's exporters for Prometheus, too."""
PLANNING = ("design", "only", "output", "seed", "blocks")
"""The options of `run` that a resumed bundle has fixed."""


def run(
    context: typer.Context,
    study: Annotated[
        str | None, typer.Argument(metavar="STUDY", help="A study's name or its folder.")
    ] = None,
    design: DesignOption = None,
    only: OnlyOption = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", help="Folder for the bundle [default: bundles/…].", rich_help_panel=VERDICT
        ),
    ] = None,
    seed: SeedOption = 1,
    blocks: BlocksOption = None,
    budget: Annotated[
        str | None,
        typer.Option(
            "--budget",
            metavar="TIME",
            help="Longest time for measuring, such as 2h [default: the design's].",
            rich_help_panel=HOW_LONG,
        ),
    ] = None,
    store: StoreOption = None,
    data: DataOption = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            "--resume",
            help="Resume this bundle; with a larger --budget, also one that is complete.",
            rich_help_panel=HOW_LONG,
        ),
    ] = None,
    accept_changes: Annotated[
        bool,
        typer.Option(
            "--accept-changes",
            help="Resume a bundle whose files were altered; the bundle records this permanently.",
            rich_help_panel=HOW_LONG,
        ),
    ] = False,
    cluster: ClusterOption = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Fail (exit code 5) if the measurement was disturbed.",
            rich_help_panel=VERDICT,
        ),
    ] = False,
    live: Annotated[
        bool,
        typer.Option(
            "--live",
            help="Show the measurement in a live page on this machine.",
            rich_help_panel=VERDICT,
        ),
    ] = False,
    live_port: Annotated[
        int | None,
        typer.Option(
            "--live-port",
            min=0,
            max=65535,
            help="The same on another port than 9464; 0: any free port.",
            rich_help_panel=VERDICT,
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Run a study: start the servers, verify their answers, measure, compare, report."""
    from wirelab.commands.studies.run import run_command  # noqa: PLC0415

    with collected_problems():
        budget_s = None if budget is None else seconds_of_option("--budget", budget)
    code = run_command(
        study,
        typed=_typed(context, PLANNING),
        design=design,
        only=names(only),
        output=output,
        seed=seed,
        blocks=blocks,
        budget_s=budget_s,
        stores=_stores(store),
        data=data,
        resume=resume,
        accept_changes=accept_changes,
        strict=strict,
        as_json=json,
        live_port=LIVE_PORT if live and live_port is None else live_port,
        cluster=cluster,
    )
    raise typer.Exit(code)


def _typed(context: typer.Context, options: Sequence[str]) -> dict[str, object]:
    """Return the values of the options that the user typed, by option."""
    sources = {name: context.get_parameter_source(name) for name in options}
    return {
        f"--{name}": context.params[name]
        for name, source in sources.items()
        if source is not None and source.name == "COMMANDLINE"
    }


def plan(
    study: StudyArgument,
    design: DesignOption = None,
    only: OnlyOption = None,
    seed: SeedOption = 1,
    blocks: BlocksOption = None,
    json: JsonOption = False,
) -> None:
    """Show what a study would do: cells, blocks, order, estimated minutes. Starts nothing."""
    from wirelab.commands.studies.plan import plan_command  # noqa: PLC0415

    plan_command(
        study,
        design=design,
        only=names(only),
        seed=seed,
        blocks=blocks,
        as_json=json,
    )


def report(
    bundles: BundlesArgument,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", help="Folder for the files [default: the bundle].", rich_help_panel=VERDICT
        ),
    ] = None,
    study: Annotated[
        Path | None,
        typer.Option(
            "--study",
            metavar="FOLDER",
            help="Execute the extension of the bundle's study in this folder, which you trust."
            " Those of wirelab's own studies need no such option.",
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Render a bundle's report again, or show how results developed over several bundles.

    Writes HTML, Markdown, CSV and JSON. Needs no server. In the folder of a replication, it judges
    all claims again, from the compact results, and writes the page.
    """
    from wirelab.commands.studies.replicate import is_replication, page_command  # noqa: PLC0415
    from wirelab.commands.studies.report import development_command, report_command  # noqa: PLC0415

    if len(bundles) == 1 and is_replication(bundles[0]):
        code = page_command(bundles[0], as_json=json)
    elif len(bundles) == 1:
        code = report_command(bundles[0], output=output, study=study, as_json=json)
    else:
        if study is not None:
            raise ProblemsError([Problem.stated("--study takes a single bundle")])
        code = development_command(bundles, output=output, as_json=json)
    raise typer.Exit(code)


def replicate(
    studies: Annotated[
        list[str] | None,
        typer.Argument(metavar="[STUDY...]", help="Names or folders of studies [default: all]."),
    ] = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output", help="Folder for bundles, results and page.", rich_help_panel=VERDICT
        ),
    ] = Path("replication"),
    budget: Annotated[
        str | None,
        typer.Option(
            "--budget",
            metavar="TIME",
            help="Time for measuring, such as 2h, divided among the studies [default: theirs].",
            rich_help_panel=HOW_LONG,
        ),
    ] = None,
    as_published: Annotated[
        bool,
        typer.Option(
            "--as-published",
            help="Also follow each paper's own procedure once, for the tables.",
            rich_help_panel=WHAT,
        ),
    ] = False,
    against: Annotated[
        Path | None,
        typer.Option(
            "--against",
            metavar="FOLDER",
            help="Compare the verdicts with those of this earlier replication.",
            rich_help_panel=VERDICT,
        ),
    ] = None,
    seed: SeedOption = 1,
    store: StoreOption = None,
    data: DataOption = None,
    cluster: ClusterOption = None,
    json: JsonOption = False,
) -> None:
    """Measure what decides the claims of papers, and write one page; resumes what is unfinished."""
    from wirelab.commands.studies.replicate import Sources, replicate_command  # noqa: PLC0415

    with collected_problems():
        budget_s = None if budget is None else seconds_of_option("--budget", budget)
    code = replicate_command(
        studies or (),
        root=output,
        budget_s=budget_s,
        as_published=as_published,
        sources=Sources(_stores(store), data, cluster, seed),
        against=against,
        as_json=json,
    )
    raise typer.Exit(code)


def browse(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The folder with bundles, up to 4 levels deep.")
    ] = Path("bundles"),
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port to listen on; 0 is any free port.")
    ] = 8700,
) -> None:
    """Show bundles in a browser on this machine: list, search, reports, side by side."""
    from wirelab.commands.studies.browse import browse_command  # noqa: PLC0415

    raise typer.Exit(browse_command(folder, port=port))


def verify(
    domain: Annotated[str, typer.Argument(metavar="DOMAIN", help="A domain's name or its folder.")],
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            help="Only these contenders, protocols or stores (comma-separated, or repeated).",
        ),
    ] = None,
    environment: Annotated[
        str,
        typer.Option(
            "--environment", help="native, container or container-host.", rich_help_panel=WHAT
        ),
    ] = "native",
    seed: SeedOption = 1,
    store: StoreOption = None,
    data: DataOption = None,
    allow_writes: AllowWritesOption = False,
    reset: Annotated[
        str | None,
        typer.Option(
            "--reset",
            help="A command that restores the data before each contender.",
            rich_help_panel=REQUESTS,
        ),
    ] = None,
    scratch: ScratchOption = False,
    json: JsonOption = False,
) -> None:
    """Verify that all contenders of a domain answer like its reference, or like each other."""
    from wirelab.commands.studies.verify import verify_command  # noqa: PLC0415

    code = verify_command(
        domain,
        only=names(only),
        environment=environment,
        seed=seed,
        stores=_stores(store),
        data=data,
        as_json=json,
        allow_writes=allow_writes,
        reset=reset,
        scratch=scratch,
    )
    raise typer.Exit(code)


def list_(json: JsonOption = False) -> None:
    """List the available studies and domains, with their contenders."""
    from wirelab.commands.studies.listing import list_command  # noqa: PLC0415

    list_command(as_json=json)


def _stores(addresses: list[str] | None) -> dict[str, str]:
    """Return the URL of each kind of store in --store, with its password.

    Raises `ProblemsError` with those of another form.
    """
    from wirelab.lab.credentials import resolve_store_url  # noqa: PLC0415
    from wirelab.lab.stores.store_url import without_password  # noqa: PLC0415

    stores = {}
    with collected_problems():
        for address in addresses or ():
            kind, equals, written = address.partition("=")
            own = (f"{kind}?", f"{kind}-container", "@")
            if not equals or not ("://" in written or written.startswith(own)):
                expected = (
                    "KIND=URL, such as mongodb=mongodb://127.0.0.1:27017/wirelab, or limits for the"
                    " embedded one: postgresql=postgresql?cpus=2&memory_mb=1024"
                )
                add_problem("--store", "", without_password(address), expected)
            stores[kind] = written
    prompt = getpass if sys.stdin.isatty() else None
    return {kind: resolve_store_url(kind, written, prompt) for kind, written in stores.items()}
