"""The keys of contender.toml.

A file describes one stack: one build, and the contenders that share it. A contender is one server
under test that speaks one protocol for one domain. `StackFile` lists the top-level keys, the other
headings those of its tables.

The program of each command must exist: a name without `/` is searched for on PATH, a path begins in
the folder in which the command runs. wirelab checks this before it builds or starts anything; a
program that build commands may make or install, after them.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, PositiveFloat

from wirelab.inputs.credential_names import names_a_credential
from wirelab.inputs.file_model import FileModel, Misfit
from wirelab.lab import credentials
from wirelab.lab.contenders import requirement
from wirelab.lab.contenders.service import Services
from wirelab.lab.network.address import Address

Command = Annotated[tuple[str, ...], Field(min_length=1)]
Setting = bool | int | float | str
Requirement = Annotated[str, Field(pattern=requirement.FORM)]
VARIABLE = re.compile("[A-Z][A-Z0-9_]*")
ContenderId = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")]


def _variable_or_url(written: str) -> str:
    if not VARIABLE.fullmatch(written):
        try:
            Address.parse(written)
        except ValueError as error:
            raise ValueError(f"the name of a variable, or {error}") from None
    return written


def written_address(address: str) -> str:
    """Return an address, from the environment if a variable is named; "" if it is not set."""
    return os.environ.get(address, "") if VARIABLE.fullmatch(address) else address


def _without_credentials(headers: Mapping[str, str]) -> Mapping[str, str]:
    for name, value in headers.items():
        if names_a_credential(name) and not credentials.VARIABLE.search(value):
            raise ValueError(f"{name} from the environment, as ${{NAME}}, or from headers_file")
    return headers


Scheme = Literal["http", "https", "h2", "h2c", "h3", "grpc", "grpcs", "ws", "wss"]


class Build(FileModel):
    """`[build]`: how a stack is built; left out if there is nothing to build.

    A build is made once and kept in the cache until `inputs`, this table, Python or a required
    program with a version changes. In commands, `{build}` is the build's folder, `{folder}` that of
    this file, `{python}` wirelab's Python, `{uv}` the program uv and `{cores}` the number of CPUs.
    """

    inputs: tuple[str, ...] = ()
    """Files whose content the build depends on, relative to the folder of this file: sources, lock
    files, interface descriptions. Default: none."""
    commands: tuple[Command, ...] = ()
    """Commands to execute in this order, each a list of words, in the folder of this file. Default:
    none."""
    environment: Mapping[str, str] = {}
    """Environment variables of `commands` and `versions`, beside those of wirelab; values may
    contain the placeholders of commands. An image gets those of its Dockerfile instead. A bundle
    contains this file, so values must not be credentials. Default: none."""
    versions: tuple[str, ...] = ()
    """Command that prints the build's packages, one `NAME VERSION` per line. Reports take the
    versions of `packages` from it. Default: no versions."""


class TlsOptions(FileModel):
    """`tls`: how connections to a contender are secured. Only with a scheme over TLS.

    Relative paths are relative to the folder of this file.
    """

    ca: Path | None = None
    """PEM file of certificates to trust. Default: those that the system trusts."""
    insecure: bool = False
    """True accepts any certificate; for servers with a self-signed one."""
    server_name: str | None = None
    """Name that the certificate must be valid for. Default: the host of the address."""
    certificate: Path | None = None
    """PEM file with the client certificate and its chain to the CA, if the server requests one."""
    key: Path | None = None
    """PEM file with the private key of the client certificate, without a passphrase."""
    version: Literal["1.2", "1.3"] | None = None
    """The only TLS version to offer. Default: 1.2 and 1.3."""
    resumption: bool = True
    """False makes every connection do a full handshake instead of resuming an earlier session."""

    def files(self, folder: Path) -> Mapping[str, Path]:
        """Return the files that are given, by key; `folder` is that of contender.toml."""
        given = {"ca": self.ca, "certificate": self.certificate, "key": self.key}
        return {key: folder / path for key, path in given.items() if path is not None}

    def misfits(self) -> Iterator[Misfit]:
        """Yield whether a certificate has no key, or a key no certificate."""
        for key, other in (("certificate", "key"), ("key", "certificate")):
            if getattr(self, key) is None and getattr(self, other) is not None:
                yield Misfit(
                    key, None, f"a PEM file, which {other} needs", f"add {key}, or remove {other}"
                )


_RUNS = "wirelab does not start a server with an address"


class ContenderEntry(FileModel):
    """`[contender.ID]`: one contender of a stack.

    Exactly one of `command` and `address` is required: wirelab starts the server, or it already
    runs. A contender that wirelab starts gets `WIRELAB_HOST` and `WIRELAB_PORT`, where it must
    listen, and `WIRELAB_STORE` and `WIRELAB_STORE_URL`, its kind of store and its database.
    """

    title: str
    """Name of the contender in reports."""
    protocol: str
    """`rest`, `graphql`, `grpc`, `websocket`, `soap`, `jsonrpc` or `mcp`; operations of the domain
    must be bound to it."""
    dialect: str = ""
    """Name of the domain's dialect that the server speaks. Default: the domain's own interface."""
    path: str = Field(default="/", pattern="^/")
    """Path that all requests go to (GraphQL, SOAP, JSON-RPC, MCP), that every path begins with
    (REST), or of the opening handshake (WebSocket). gRPC ignores it."""
    command: Command | None = None
    """Command that starts the server, a list of words: `{host}` and `{port}` where it must listen,
    `{cores}` its number of CPUs, `{build}`, `{folder}` and `{python}` as in `[build]`."""
    address: Annotated[str, AfterValidator(_variable_or_url)] | None = None
    """Address of a server that wirelab does not start, as SCHEME://HOST:PORT, or the name of the
    environment variable that contains it; if the variable is not set, the contender is skipped."""
    scheme: Scheme | None = None
    """Scheme of a contender with a `command`: `http`, `https`, `h2`, `h2c`, `h3`, `grpc`, `grpcs`,
    `ws` or `wss`. `h2` and `h3` are HTTP/2 and HTTP/3 over TLS, `h2c` is HTTP/2 in clear text. It
    must support the protocol; GraphQL is graphql-transport-ws over `ws` and `wss`. Not with
    `address`, which begins with its own. Default: http."""
    tls: TlsOptions = TlsOptions()
    """How connections are secured. Only with a scheme over TLS, of the contender or a variant."""
    headers: Annotated[Mapping[str, str], AfterValidator(_without_credentials)] = {}
    """Headers of every request. `${NAME}` in a value is the environment variable NAME. Headers with
    credentials must use it, or be in `headers_file`. Default: none."""
    headers_file: Path | None = None
    """File of further headers, one `NAME: VALUE` per line, that only its owner can read. Relative
    to the folder of this file. For credentials. Default: none."""
    greetings: int = Field(default=0, ge=0, le=1000)
    """Number of messages that the server sends by itself on each new WebSocket. Default: none; then
    a message that answers no request is an error."""
    pid: int | None = None
    """Process id of a server with an `address` on this machine, whose CPU time and memory are
    counted. Default: the process that listens on the port."""
    working_folder: Path | None = None
    """Folder in which the command runs, relative to the folder of this file. Default: that
    folder."""
    inherit: bool = False
    """True runs the command as the current user with the whole environment of wirelab. Default:
    with a small environment that is the same everywhere, and where possible as an unprivileged
    user."""
    settings: Mapping[str, Setting] = {}
    """Settings of the server that reports print, such as the number of threads. They configure
    nothing; the command does. wirelab itself reads only `cache_age_s`: the largest age, in s, of
    answers from a cache."""
    packages: tuple[str, ...] = ()
    """Packages whose versions reports print, because they name the implementation. The command
    `versions` of `[build]` must print all of them. Default: none."""
    environment: Mapping[str, str] = {}
    """Environment variables of the server; values may contain the placeholders of `command`. A
    bundle contains this file, so values must not be credentials: a server that needs one reads it
    from a file."""
    services: Annotated[Services, Field(alias="service")] = {}  # noqa: RUF012
    """`[contender.ID.service.NAME]` tables: the programs of a contender that consists of several.
    Not with `address`. Default: one program."""
    requires: tuple[Requirement, ...] = ()
    """Programs that must be on PATH, beyond those of the stack, such as `mvn` or `java>=21`. If one
    is missing, the contender is skipped."""

    def misfits(self) -> Iterator[Misfit]:
        """Yield what contradicts `address`, or that nothing says where the server is."""
        if self.command is None and self.address is None:
            expected = "the command that starts the server, or address if it already runs"
            yield Misfit("command", None, expected)
        if self.address is not None and self.command is not None:
            yield Misfit.excluding(["command", "address"], _RUNS)
        if self.address is not None and self.services:
            yield Misfit.excluding(["service", "address"], _RUNS)


class Variant(FileModel):
    """`[variant.NAME]`: contenders with a different setting, so that a study can compare it.

    For each contender in `of` it adds the contender ID-NAME. A study names it like any other.
    """

    title: str
    """What is different; added to the contender's title."""
    of: Annotated[tuple[ContenderId, ...], Field(min_length=1)]
    """Ids of the contenders of this file to vary, at least one."""
    dialect: str | None = None
    """Replaces the contender's dialect. Default: the contender's."""
    scheme: Scheme | None = None
    """Replaces the contender's scheme. Default: the contender's."""
    tls: TlsOptions | None = None
    """Replaces the contender's `tls`. Default: the contender's."""
    settings: Mapping[str, Setting] = {}
    """Settings to add to the contender's, or to replace."""
    environment: Mapping[str, str] = {}
    """Environment variables to add to the contender's, or to replace."""
    headers: Annotated[Mapping[str, str], AfterValidator(_without_credentials)] = {}
    """Headers to add to the contender's, or to replace."""
    services: Annotated[Services, Field(alias="service")] = {}  # noqa: RUF012
    """`[variant.NAME.service.NAME]` tables, which replace the contender's services or its single
    program. Default: the contender's."""


class StackFile(FileModel):
    """The file itself: its top-level keys and its tables."""

    stack: str
    """Identifier of the stack, which no other stack of the domain has."""
    title: str
    """Name of the stack: language and frameworks."""
    start_seconds: PositiveFloat | None = None
    """Approximate time in s until a program of the stack is ready, to estimate how long a design
    takes. A contender that takes five times as long, and at least 30 s, counts as hanging. Default:
    unknown."""
    requires: tuple[Requirement, ...] = ()
    """Programs that all contenders of the stack need on PATH, such as `mvn` or `java>=21`. If one
    is missing, they are skipped."""
    build: Build = Build()
    """How the stack is built. Default: nothing to build."""
    contender: Mapping[ContenderId, ContenderEntry] = Field(min_length=1)
    """`[contender.ID]` tables, at least one. An ID consists of lower-case letters, digits and
    hyphens."""
    variant: Mapping[ContenderId, Variant] = {}
    """`[variant.NAME]` tables. Default: none."""

    def entries(self) -> Iterator[tuple[str, ContenderEntry, str]]:
        """Yield each contender's id and entry, and the id that a variant is of; variants last."""
        for name, entry in self.contender.items():
            yield name, entry, ""
        for suffix, variant in self.variant.items():
            for base in variant.of:
                if base in self.contender:
                    yield f"{base}-{suffix}", _varied(self.contender[base], variant), base


def _varied(entry: ContenderEntry, variant: Variant) -> ContenderEntry:
    return entry.model_copy(
        update={
            "title": f"{entry.title}; {variant.title}",
            "dialect": entry.dialect if variant.dialect is None else variant.dialect,
            "scheme": variant.scheme or entry.scheme,
            "tls": variant.tls or entry.tls,
            "settings": {**entry.settings, **variant.settings},
            "environment": {**entry.environment, **variant.environment},
            "headers": {**entry.headers, **variant.headers},
            "services": variant.services or entry.services,
        }
    )
