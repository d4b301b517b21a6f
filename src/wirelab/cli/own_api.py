"""Commands for servers of the user: compare, init."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from wirelab.cli.options import (
    AllowWritesOption,
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
    ScratchOption,
    SeedOption,
    ServerNameOption,
    StartOption,
    given,
    names,
    tls_of,
)
from wirelab.cli.parsing import mistakes
from wirelab.errors import CommandError
from wirelab.inputs.problems import Problems, ProblemsError

PROTOCOLS = ("rest", "graphql", "grpc", "soap")


def compare(
    context: typer.Context,
    sides: Annotated[
        list[str],
        typer.Argument(
            metavar="A B…",
            help="NAME=ADDRESS or an address, a command with {port}, with --start versions of"
            " git: main..HEAD, or a domain and its protocols: shop rest grpc.",
        ),
    ],
    start: StartOption = None,
    build: BuildOption = None,
    openapi: Annotated[
        str | None,
        typer.Option("--openapi", help="Compare the operations of this document: file or URL."),
    ] = None,
    sdl: Annotated[
        str | None,
        typer.Option("--sdl", help="The queries of this schema: file, or URL of a server."),
    ] = None,
    proto: Annotated[
        str | None,
        typer.Option("--proto", help="The methods of this .proto: file, URL, or `reflection`."),
    ] = None,
    wsdl: Annotated[
        str | None, typer.Option("--wsdl", help="The operations of this WSDL: file or URL.")
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
    clients: Annotated[
        int,
        typer.Option(
            "--clients", help="Number of concurrent clients; with --rate, of connections."
        ),
    ] = 1,
    rate: Annotated[
        float | None,
        typer.Option("--rate", help="Requests per second, sent at fixed times."),
    ] = None,
    pid: Annotated[
        list[str] | None,
        typer.Option("--pid", help="SIDE=PID of a server on this machine [default: by its port]."),
    ] = None,
    budget: Annotated[str, typer.Option("--budget", help="How long to measure: 40s, 2m.")] = "30s",
    margin: MarginOption = 5.0,
    fail_if: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-if",
            help="Fail (exit code 12) if p99>20ms, new.mean>5ms, ratio>1.1 or rate<100; once for"
            " each limit.",
        ),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option("--baseline", help="Also compare with an earlier bundle from this machine."),
    ] = None,
    allow_writes: AllowWritesOption = False,
    reset: Annotated[
        str | None,
        typer.Option("--reset", help="A command that restores the data before each block."),
    ] = None,
    scratch: ScratchOption = False,
    ci: Annotated[
        bool,
        typer.Option("--ci", help="Print Markdown; exit code 10 for slower, 11 for cannot tell."),
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", help="Folder for the bundle [default: bundles/…].")
    ] = None,
    seed: SeedOption = 1,
    json: JsonOption = False,
) -> None:
    """Measure servers in turns: report which is faster, by how much, and whether that is real."""
    from wirelab.compare.options import read_request  # noqa: PLC0415

    try:
        request = read_request(
            sides or (),
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
            clients=clients,
            rate=rate,
            pids=pid or (),
            budget=budget,
            margin=margin,
            fail_if=fail_if or (),
            baseline=baseline,
            allow_writes=allow_writes,
            reset=reset,
            scratch=scratch,
            ci=ci,
            output=output,
            seed=seed,
            as_json=json,
            problems=mistakes(context),
        )
        from wirelab.commands.compare import compare_command  # noqa: PLC0415

        code = compare_command(request)
    except (ProblemsError, CommandError) as failed:
        if ci:
            from wirelab.compare.verdict import failure_markdown  # noqa: PLC0415

            typer.echo(failure_markdown(failed), nl=False)
        raise
    raise typer.Exit(code)


def init(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The folder to write.")],
    openapi: Annotated[
        str | None, typer.Option("--openapi", help="An OpenAPI document: file or URL.")
    ] = None,
    sdl: Annotated[
        str | None,
        typer.Option("--sdl", help="A GraphQL schema: file, or URL of a server to query."),
    ] = None,
    proto: Annotated[
        str | None, typer.Option("--proto", help="A .proto file or URL, or `reflection`.")
    ] = None,
    wsdl: Annotated[str | None, typer.Option("--wsdl", help="A WSDL: file or URL.")] = None,
    address: Annotated[
        list[str] | None,
        typer.Option("--address", help="PROTOCOL=URL of a server: rest, graphql, grpc or soap."),
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(
            "--header",
            help="[PROTOCOL/]NAME: VALUE for every request; ${VARIABLE} is an environment"
            " variable.",
        ),
    ] = None,
    headers_file: HeadersFileOption = None,
    ca: CaOption = None,
    insecure: InsecureOption = False,
    server_name: ServerNameOption = None,
    cert: CertOption = None,
    key: KeyOption = None,
    csv: CsvOption = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Ask no questions: doubtful matches become comments.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite what an earlier init has written.")
    ] = False,
    seed: SeedOption = 1,
    json: JsonOption = False,
) -> None:
    """Write a domain and a study for an API of your own, from its descriptions."""
    from wirelab.commands.init import init_command  # noqa: PLC0415
    from wirelab.scaffold.access import read_access, require_variables  # noqa: PLC0415

    problems = mistakes(context)
    tls = tls_of(ca, server_name, cert, key, insecure=insecure)
    access = read_access(header or (), headers_file, tls, problems)
    problems.add_unknown("--header", filter(None, access.headers), PROTOCOLS)
    if address:  # without one, nothing is sent
        require_variables(access, problems)
    code = init_command(
        name,
        given(openapi, sdl, proto, wsdl),
        addresses=_addresses(address or (), problems),
        access=access,
        problems=problems,
        csv=csv,
        decide=None if yes or json or not sys.stdin.isatty() else typer.confirm,
        force=force,
        seed=seed,
        as_json=json,
    )
    raise typer.Exit(code)


def _addresses(written: Sequence[str], problems: Problems) -> dict[str, str]:
    from wirelab.lab.network.address import without_credentials  # noqa: PLC0415

    addresses: dict[str, str] = {}
    for each in written:
        protocol, found, url = each.partition("=")
        if not found or protocol not in PROTOCOLS:
            expected = f"PROTOCOL=URL; PROTOCOL is one of {', '.join(PROTOCOLS)}"
            problems.add("--address", "", without_credentials(each), expected)
            continue
        if protocol in addresses:
            shown = without_credentials(each)
            problems.add("--address", "", shown, f"one address only for {protocol}")
            continue
        scheme = "grpc" if protocol == "grpc" else "http"
        addresses[protocol] = url if "://" in url else f"{scheme}://{url}"
    return addresses
