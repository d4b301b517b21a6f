"""Arguments and options that several commands share, and how they are read."""

import sys
from getpass import getpass
from pathlib import Path
from typing import Annotated, Any

import typer

from wirelab.inputs.problems import Problems

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
        help="smoke (minutes), lab (reliable verdicts) or paper [default: the study's only design,"
        " otherwise smoke].",
    ),
]
SeedOption = Annotated[
    int,
    typer.Option(
        "--seed",
        help="Determines the order and the data: the same seed gives the same schedule.",
    ),
]
OnlyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        help="Only these contenders, protocols, workloads, loads, proxies, stores or environments"
        " (comma-separated, or repeated). Names of one kind are alternatives; all kinds must"
        " match.",
    ),
]
OperationsOption = Annotated[
    list[str] | None,
    typer.Option("--only", help="Only these operations (comma-separated, or repeated)."),
]
BlocksOption = Annotated[
    int | None,
    typer.Option(
        "--blocks",
        help="Blocks of each setting instead of the design's: more blocks give narrower"
        " intervals; a verdict needs at least 6.",
    ),
]
StoreOption = Annotated[
    list[str] | None,
    typer.Option(
        "--store",
        help="Use this database instead of the embedded one: KIND=URL. Or limit the embedded one: "
        "'postgresql=postgresql?cpus=2&memory_mb=1024'.",
    ),
]
DataOption = Annotated[
    Path | None,
    typer.Option("--data", help="A file of real data (CSV or JSON) instead of generated rows."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]

# Options about the user's own servers, for every command that measures them.
StartOption = Annotated[
    str | None,
    typer.Option("--start", help="Command that starts a git version; it must listen on {port}."),
]
BuildOption = Annotated[
    str | None,
    typer.Option("--build", help="Command that builds a version before it is started."),
]
PathOption = Annotated[
    str,
    typer.Option("--path", help="Path to GET from each side, below that of its address: /items/7."),
]
MessageOption = Annotated[
    str | None,
    typer.Option("--data", help='Message to send to each WebSocket: \'{"op": "ping"}\'.'),
]
CsvOption = Annotated[
    Path | None, typer.Option("--csv", help="Values for parameters, one column for each parameter.")
]
HeaderOption = Annotated[
    list[str] | None,
    typer.Option(
        "--header",
        help="[SIDE/]NAME: VALUE for every request; ${VARIABLE} is an environment variable.",
    ),
]
HeadersFileOption = Annotated[
    Path | None,
    typer.Option("--headers-file", help="File with headers, one per line, with mode 600."),
]
CaOption = Annotated[Path | None, typer.Option("--ca", help="Certificates to trust, as PEM.")]
InsecureOption = Annotated[bool, typer.Option("--insecure", help="Accept any certificate.")]
ServerNameOption = Annotated[
    str | None,
    typer.Option("--server-name", help="The host name that the certificate must be valid for."),
]
AllowWritesOption = Annotated[
    bool, typer.Option("--allow-writes", help="Also send operations that change data.")
]
ScratchOption = Annotated[
    bool, typer.Option("--scratch", help="The data are a scratch copy and need not be restored.")
]
CertOption = Annotated[
    Path | None,
    typer.Option("--cert", help="Certificate to show to servers that request one, as PEM."),
]
KeyOption = Annotated[
    Path | None, typer.Option("--key", help="Its private key, as PEM without a passphrase.")
]
MarginOption = Annotated[
    float,
    typer.Option("--margin", help="The largest difference that does not matter, in percent."),
]


def names(only: list[str] | None) -> tuple[str, ...]:
    """Return the names in --only, which may be repeated or separated by commas."""
    return tuple(name for part in only or () for each in part.split(",") if (name := each.strip()))


def tls_of(
    ca: Path | None, server_name: str | None, cert: Path | None, key: Path | None, *, insecure: bool
) -> dict[str, Any]:
    """Return the TLS options that were given, by the name of the key in a contender file."""
    options = {
        "ca": ca,
        "insecure": insecure,
        "server_name": server_name,
        "certificate": cert,
        "key": key,
    }
    return {name: value for name, value in options.items() if value}


def stores_of(addresses: list[str] | None, problems: Problems) -> dict[str, str]:
    """Return the URL of each kind of store in --store; note those of another form.

    Passwords are resolved, unless the command line has mistakes.
    """
    from wirelab.lab.credentials import resolve_store_url  # noqa: PLC0415
    from wirelab.lab.stores.store_url import without_password  # noqa: PLC0415

    prompt = getpass if sys.stdin.isatty() else None
    stores = {}
    for address in addresses or ():
        kind, found, written = address.partition("=")
        own = (f"{kind}?", f"{kind}+container", "@")
        if not found or not ("://" in written or written.startswith(own)):
            expected = (
                "KIND=URL, such as mongodb=mongodb://127.0.0.1:27017/wirelab, or limits for the"
                " embedded one: postgresql=postgresql?cpus=2&memory_mb=1024"
            )
            problems.add("--store", "", without_password(address), expected)
            continue
        stores[kind] = written if problems.found else resolve_store_url(kind, written, prompt)
    return stores


def given(
    openapi: str | None, sdl: str | None, proto: str | None, wsdl: str | None
) -> dict[str, str]:
    """Return the descriptions that were given, by protocol."""
    named = {"rest": openapi, "graphql": sdl, "grpc": proto, "soap": wsdl}
    return {protocol: source for protocol, source in named.items() if source is not None}
