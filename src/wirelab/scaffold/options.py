"""The options about servers of the user, as the command line has them; light to import."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from wirelab.inputs.options import (
    REQUESTS,
    TLS,
    WHAT,
    JsonOption,
    OperationsOption,
    SeedOption,
    names,
)
from wirelab.scaffold.descriptions.given import Details


@dataclass(frozen=True, kw_only=True)
class ServerOptions:
    """What describes servers of the user, and how they are queried."""

    openapi: Annotated[
        str | None,
        typer.Option("--openapi", help="An OpenAPI document: file or URL.", rich_help_panel=WHAT),
    ] = None
    sdl: Annotated[
        str | None,
        typer.Option(
            "--sdl",
            help="A GraphQL schema: file, or URL of a server to query.",
            rich_help_panel=WHAT,
        ),
    ] = None
    proto: Annotated[
        list[str] | None,
        typer.Option(
            "--proto",
            help="A .proto file or URL, or `reflection`; several files one by one.",
            rich_help_panel=WHAT,
        ),
    ] = None
    import_path: Annotated[
        list[Path] | None,
        typer.Option(
            "--import-path", help="Folder with what .proto files import.", rich_help_panel=WHAT
        ),
    ] = None
    wsdl: Annotated[
        str | None, typer.Option("--wsdl", help="A WSDL: file or URL.", rich_help_panel=WHAT)
    ] = None
    mcp: Annotated[
        str | None,
        typer.Option(
            "--mcp",
            help="Tools of MCP: URL of a server to query, or file with its answer to tools/list.",
            rich_help_panel=WHAT,
        ),
    ] = None
    only: OperationsOption = None
    read: Annotated[
        list[str] | None,
        typer.Option(
            "--read",
            help="Operations that only read, though they may look like writes: names, paths or"
            " patterns, such as KV/Range or '*/search'.",
            rich_help_panel=REQUESTS,
        ),
    ] = None
    csv: Annotated[
        Path | None,
        typer.Option(
            "--csv",
            help="Values for parameters, also optional ones: one column for each.",
            rich_help_panel=REQUESTS,
        ),
    ] = None
    header: Annotated[
        list[str] | None,
        typer.Option(
            "--header",
            help="[SIDE/]NAME: VALUE for every request; ${VARIABLE} is an environment variable.",
            rich_help_panel=REQUESTS,
        ),
    ] = None
    headers_file: Annotated[
        Path | None,
        typer.Option(
            "--headers-file",
            help="File with headers, one per line, with mode 600.",
            rich_help_panel=REQUESTS,
        ),
    ] = None
    ca: Annotated[
        Path | None,
        typer.Option("--ca", help="Certificates to trust, as PEM.", rich_help_panel=TLS),
    ] = None
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Accept any certificate.", rich_help_panel=TLS)
    ] = False
    server_name: Annotated[
        str | None,
        typer.Option(
            "--server-name",
            help="The host name that the certificate must be valid for.",
            rich_help_panel=TLS,
        ),
    ] = None
    cert: Annotated[
        Path | None,
        typer.Option(
            "--cert",
            help="Certificate to show to servers that request one, as PEM.",
            rich_help_panel=TLS,
        ),
    ] = None
    key: Annotated[
        Path | None,
        typer.Option(
            "--key", help="Its private key, as PEM without a passphrase.", rich_help_panel=TLS
        ),
    ] = None
    seed: SeedOption = 1
    json: JsonOption = False

    @property
    def descriptions(self) -> dict[str, str]:
        """The descriptions that were given, by protocol."""
        proto = self.proto[0] if self.proto else None
        named = {
            "rest": self.openapi,
            "graphql": self.sdl,
            "grpc": proto,
            "soap": self.wsdl,
            "mcp": self.mcp,
        }
        return {protocol: source for protocol, source in named.items() if source is not None}

    @property
    def details(self) -> Details:
        """What was given besides the descriptions, apart from values for parameters."""
        return Details(
            reads=names(self.read),
            protos=tuple((self.proto or [])[1:]),
            import_path=tuple(self.import_path or ()),
        )

    @property
    def tls(self) -> Mapping[str, Any]:
        """The TLS options that were given, by the name of the key in a contender file."""
        options = {
            "ca": self.ca,
            "insecure": self.insecure,
            "server_name": self.server_name,
            "certificate": self.cert,
            "key": self.key,
        }
        return {name: value for name, value in options.items() if value}


@dataclass(frozen=True, kw_only=True)
class InitOptions(ServerOptions):
    """The options of `wirelab init`."""

    name: Annotated[str, typer.Argument(metavar="NAME", help="The folder to write.")]
    header: Annotated[
        list[str] | None,
        typer.Option(
            "--header",
            help="[PROTOCOL/]NAME: VALUE for every request; ${VARIABLE} is an environment"
            " variable.",
            rich_help_panel=REQUESTS,
        ),
    ] = None
    address: Annotated[
        list[str] | None,
        typer.Option(
            "--address",
            help="PROTOCOL=URL of a server: rest, graphql, grpc, soap or mcp.",
            rich_help_panel=WHAT,
        ),
    ] = None
    yes: Annotated[
        bool, typer.Option("--yes", help="Ask no questions: doubtful matches become comments.")
    ] = False
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite what an earlier init has written.")
    ] = False
