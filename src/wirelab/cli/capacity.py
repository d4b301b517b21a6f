"""The command for the rates that servers sustain: capacity."""

from pathlib import Path
from typing import Annotated

import typer

from wirelab.cli.options import (
    BuildOption,
    CaOption,
    CertOption,
    CsvOption,
    HeaderOption,
    HeadersFileOption,
    InsecureOption,
    JsonOption,
    KeyOption,
    MarginOption,
    MessageOption,
    OperationsOption,
    PathOption,
    SeedOption,
    ServerNameOption,
    StartOption,
    given,
    names,
    tls_of,
)
from wirelab.cli.parsing import mistakes


def capacity(
    context: typer.Context,
    sides: Annotated[
        list[str],
        typer.Argument(
            metavar="A…",
            help="NAME=ADDRESS or an address, a command with {port}, or with --start versions of"
            " git: main..HEAD.",
        ),
    ],
    objective: Annotated[
        str,
        typer.Option(
            "--objective", help="The limits to be met, such as p99<50ms or p99<50ms,failed<0.1%."
        ),
    ],
    start: StartOption = None,
    build: BuildOption = None,
    openapi: Annotated[
        str | None,
        typer.Option("--openapi", help="Send an operation of this document: file or URL."),
    ] = None,
    sdl: Annotated[
        str | None,
        typer.Option("--sdl", help="A query of this schema: file, or URL of a server."),
    ] = None,
    proto: Annotated[
        str | None,
        typer.Option("--proto", help="A method of this .proto: file, URL, or `reflection`."),
    ] = None,
    wsdl: Annotated[
        str | None, typer.Option("--wsdl", help="An operation of this WSDL: file or URL.")
    ] = None,
    path: PathOption = "",
    data: MessageOption = None,
    csv: CsvOption = None,
    only: OperationsOption = None,
    header: HeaderOption = None,
    headers_file: HeadersFileOption = None,
    ca: CaOption = None,
    insecure: InsecureOption = False,
    server_name: ServerNameOption = None,
    cert: CertOption = None,
    key: KeyOption = None,
    connections: Annotated[
        int, typer.Option("--connections", help="Connections to each side, kept open.")
    ] = 32,
    blocks: Annotated[int, typer.Option("--blocks", help="Fresh starts; a verdict needs six.")] = 6,
    repeats: Annotated[
        int, typer.Option("--repeats", help="Trials at each of nine rates, per block.")
    ] = 2,
    trial: Annotated[
        str | None,
        typer.Option(
            "--trial",
            help="Duration of a trial, such as 500ms [default: 1s, or longer for slow servers].",
        ),
    ] = None,
    search: Annotated[
        str,
        typer.Option("--search", help="Time limit of the search for each side's approximate rate."),
    ] = "40s",
    margin: MarginOption = 5.0,
    output: Annotated[
        Path | None, typer.Option("--output", help="Folder for the results [default: bundles/…].")
    ] = None,
    seed: SeedOption = 1,
    json: JsonOption = False,
) -> None:
    """Find the highest rate that each server sustains, and how servers behave under overload."""
    from wirelab.compare.capacity import read_capacity  # noqa: PLC0415

    request = read_capacity(
        sides or (),
        objective=objective,
        connections=connections,
        blocks=blocks,
        repeats=repeats,
        trial=trial,
        search=search,
        start=start,
        build=build,
        descriptions=given(openapi, sdl, proto, wsdl),
        path=path,
        data=data,
        csv=csv,
        only=names(only),
        headers=header or (),
        headers_file=headers_file,
        tls=tls_of(ca, server_name, cert, key, insecure=insecure),
        margin=margin,
        output=output,
        seed=seed,
        as_json=json,
        problems=mistakes(context),
    )
    from wirelab.commands.capacity import capacity_command  # noqa: PLC0415

    raise typer.Exit(capacity_command(request))
