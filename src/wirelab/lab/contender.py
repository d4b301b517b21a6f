"""Contenders: the servers under test, as their contender.toml files describe them."""

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PositiveFloat,
    ValidationError,
    model_validator,
)

from wirelab.close_match import close_match, one_of
from wirelab.domain.model import Domain
from wirelab.lab import credentials, requirement
from wirelab.lab.address import Address
from wirelab.lab.credentials import names_a_credential
from wirelab.lab.placeholder import BUILD, START, unknown_placeholders
from wirelab.lab.service import Service, Services
from wirelab.problems import Problems, from_pydantic
from wirelab.search_path import CONTENDER_FILES
from wirelab.untrusted import visible_in

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


def _without_credentials(headers: Mapping[str, str]) -> Mapping[str, str]:
    for name, value in headers.items():
        if names_a_credential(name) and not credentials.VARIABLE.search(value):
            raise ValueError(f"{name} from the environment, as ${{NAME}}, or from headers_file")
    return headers


class FileModel(BaseModel):
    """A table of contender.toml."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


Scheme = Literal["http", "https", "h2", "h2c", "h3", "grpc", "grpcs", "ws", "wss"]


class Build(FileModel):
    """How a stack is built. The content of `inputs` names the build, which is made once."""

    inputs: tuple[str, ...] = ()
    commands: tuple[Command, ...] = ()
    versions: tuple[str, ...] = ()


class TlsOptions(FileModel):
    """How connections to a contender are secured: what the engine can be told of TLS.

    `ca` is a PEM file of certificates to trust, in place of those that the system trusts.
    """

    ca: Path | None = None
    insecure: bool = False
    server_name: str | None = None
    version: Literal["1.2", "1.3"] | None = None
    resumption: bool = True


class Entry(FileModel):
    """One contender of a stack.

    `requires` is what it needs beyond the rest of the stack, `dialect` the one it speaks where it
    has an interface of its own. A server that is not ours to start has no command: `address` says
    where it is, as SCHEME://HOST:PORT, or names the environment variable that does. The scheme is
    http, https, h2, h2c, h3, grpc, grpcs, ws or wss; `scheme` is that of a contender with a
    command. `pid` is the process of one that runs on this machine; its port tells, if left out.

    `headers` go with every request. `${NAME}` in a value stands for a variable of the environment,
    the only place for credentials beside `headers_file`: a file of lines NAME: VALUE that only its
    owner can read. `working_folder` is where a command is carried out, if not in the folder of this
    file; with `inherit` it has the whole environment that wirelab was started in.

    With `services` it consists of several programs that call each other, on this machine.
    """

    title: str
    protocol: str
    dialect: str = ""
    path: str = Field(default="/", pattern="^/")
    command: Command | None = None
    address: Annotated[str, AfterValidator(_variable_or_url)] | None = None
    scheme: Scheme | None = None
    tls: TlsOptions = TlsOptions()
    headers: Annotated[Mapping[str, str], AfterValidator(_without_credentials)] = {}
    headers_file: Path | None = None
    pid: int | None = None
    working_folder: Path | None = None
    inherit: bool = False
    settings: Mapping[str, Setting] = {}
    packages: tuple[str, ...] = ()
    environment: Mapping[str, str] = {}
    services: Annotated[Services, Field(alias="service")] = {}
    requires: tuple[Requirement, ...] = ()

    @model_validator(mode="after")
    def _started_or_found(self) -> Self:
        if (self.command is None) == (self.address is None):
            raise ValueError("exactly one of command and address")
        if self.services and self.address is not None:
            raise ValueError("no services with an address: what is there is not ours to start")
        return self


class Variant(FileModel):
    """Contenders with something set otherwise, so that the setting can be a factor of a study.

    For each contender it is `of` there is one more, with the variant's name behind a hyphen. What
    is in `settings`, `environment` and `headers` goes before the contender's own; `services` take
    the place of its one program, `scheme` and `tls` that of its own.
    """

    title: str
    of: Annotated[tuple[ContenderId, ...], Field(min_length=1)]
    dialect: str | None = None
    scheme: Scheme | None = None
    tls: TlsOptions | None = None
    settings: Mapping[str, Setting] = {}
    environment: Mapping[str, str] = {}
    headers: Annotated[Mapping[str, str], AfterValidator(_without_credentials)] = {}
    services: Annotated[Services, Field(alias="service")] = {}


class StackFile(FileModel):
    """A contender.toml: one stack, one build, one or more contenders.

    `start_seconds` is about how long one takes to become ready, for the estimate of a design's
    length.
    """

    stack: str
    title: str
    start_seconds: PositiveFloat | None = None
    requires: tuple[Requirement, ...] = ()
    build: Build = Build()
    contender: Mapping[ContenderId, Entry] = Field(min_length=1)
    variant: Mapping[ContenderId, Variant] = {}

    def entries(self) -> Iterator[tuple[str, Entry, str]]:
        """Yield every contender's id, and the id that a variant is of; those of the file first."""
        for name, entry in self.contender.items():
            yield name, entry, ""
        for suffix, variant in self.variant.items():
            for base in variant.of:
                if base in self.contender:
                    yield f"{base}-{suffix}", _varied(self.contender[base], variant), base


@dataclass(frozen=True, slots=True)
class Contender:
    """One server under test: a stack speaking one protocol for one domain."""

    id: str
    title: str
    protocol: str
    path: str
    command: tuple[str, ...]
    settings: Mapping[str, Setting]
    packages: tuple[str, ...]
    environment: Mapping[str, str]
    domain: str
    stack: str
    folder: Path
    requires: tuple[str, ...]
    build: Build
    dialect: str = ""
    address: str | None = None
    scheme: str | None = None
    tls: TlsOptions = field(default_factory=TlsOptions)
    headers: Mapping[str, str] = field(default_factory=dict)
    headers_file: Path | None = None
    pid: int | None = None
    working_folder: Path | None = None
    inherit: bool = False
    services: Mapping[str, Service] = field(default_factory=dict)
    """In the order in which they are started; clients ask the last. None: it is one program."""
    start_seconds: float | None = None
    variant_of: str = ""
    """The contender that this one is, with something set otherwise; "" for one in its own right."""

    def written_address(self) -> str:
        """Return the address, from the environment where a variable has it; "" without one."""
        if self.address is None or not VARIABLE.fullmatch(self.address):
            return self.address or ""
        return os.environ.get(self.address, "")

    def missing_programs(self) -> list[str]:
        """Return the programs it needs that are not on PATH, or not of the version it needs."""
        return [needed for needed in self.requires if not requirement.is_met(needed)]

    def input_paths(self) -> list[Path]:
        """Return the files whose content names the build."""
        return [self.folder / name for name in self.build.inputs]


def load_contenders(domain: Domain) -> dict[str, Contender]:
    """Load every contender of a domain, by id.

    Raises `ProblemsError` with everything that is wrong with any of the contender.toml files.
    """
    problems = Problems()
    stacks = _read_stacks(domain.folder, problems)
    for path, stack in stacks.items():
        _check(path, stack, domain, problems)
    contenders = _contenders(domain.name, stacks, problems)
    problems.raise_if_any()
    return contenders


def by_protocol(names: Iterable[str], contenders: Mapping[str, Contender]) -> tuple[str, ...]:
    """Put in the place of a protocol's name the contenders, but for variants, that speak it."""
    speakers: dict[str, list[str]] = {}
    for name, contender in contenders.items():
        if not contender.variant_of:
            speakers.setdefault(contender.protocol, []).append(name)
    return tuple(
        each
        for name in names
        for each in ([name] if name in contenders else speakers.get(name, [name]))
    )


def _read_stacks(folder: Path, problems: Problems) -> dict[Path, StackFile]:
    """Read the stacks of a domain; those that are wrong are noted and left out."""
    stacks = {}
    for path in sorted(folder.glob(CONTENDER_FILES)):
        try:
            stacks[path] = StackFile.model_validate(visible_in(tomllib.loads(path.read_text())))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            problems.add(str(path), "", str(error), "TOML")
        except ValidationError as error:
            problems.extend(from_pydantic(str(path), error, StackFile))
    return stacks


def _contenders(
    domain: str, stacks: Mapping[Path, StackFile], problems: Problems
) -> dict[str, Contender]:
    """Return the contenders of all stacks by id, which must differ."""
    contenders: dict[str, Contender] = {}
    for path, stack in stacks.items():
        for name, entry, base in stack.entries():
            if name in contenders:
                other = contenders[name].folder / path.name
                problems.add(str(path), f"contender.{name}", name, f"an id not used in {other}")
            contenders[name] = Contender(
                id=name,
                domain=domain,
                stack=stack.stack,
                folder=path.parent.resolve(),
                build=stack.build,
                start_seconds=(
                    stack.start_seconds and stack.start_seconds * max(1, len(entry.services))
                ),
                variant_of=base,
                **{
                    **dict(entry),
                    "command": entry.command or (),
                    "requires": (*stack.requires, *entry.requires),
                },
            )
    return contenders


def _varied(entry: Entry, variant: Variant) -> Entry:
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


def _check(path: Path, stack: StackFile, domain: Domain, problems: Problems) -> None:
    """Check what the model cannot: files, placeholders, and that the domain speaks the protocol."""
    where = str(path)
    for number, name in enumerate(stack.build.inputs):
        if not (path.parent / name).is_file():
            problems.add(where, f"build.inputs.{number}", name, f"a file in {path.parent}")
    commands: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
        f"build.commands.{number}": (command, BUILD)
        for number, command in enumerate(stack.build.commands)
    }
    commands["build.versions"] = (stack.build.versions, BUILD)
    spoken = {name for operation in domain.operations.values() for name in operation.bindings}
    for suffix, variant in stack.variant.items():
        for number, name in enumerate(variant.of):
            if name not in stack.contender:
                key = f"variant.{suffix}.of.{number}"
                hint = close_match(name, stack.contender)
                problems.add(where, key, name, one_of(stack.contender), hint)
    for name, entry, _ in stack.entries():
        commands[f"contender.{name}.command"] = (entry.command or (), START)
        commands[f"contender.{name}.environment"] = (tuple(entry.environment.values()), START)
        for service_name, service in entry.services.items():
            key = f"contender.{name}.service.{service_name}"
            commands[f"{key}.command"] = ((*(service.command or ()), *service.arguments), START)
            commands[f"{key}.environment"] = (tuple(service.environment.values()), START)
        if entry.dialect and entry.dialect not in domain.dialects:
            known_dialects = one_of(domain.dialects) or f"none: {domain.name} has no dialects"
            hint = close_match(entry.dialect, domain.dialects)
            key = f"contender.{name}.dialect"
            problems.add(where, key, entry.dialect, known_dialects, hint)
        if entry.protocol not in spoken:
            expected = f"a protocol that operations of {domain.name} are bound to: "
            hint = close_match(entry.protocol, spoken)
            key = f"contender.{name}.protocol"
            problems.add(where, key, entry.protocol, expected + one_of(spoken), hint)
    for key, (command, known) in commands.items():
        for unknown in unknown_placeholders(command, known):
            expected = one_of(f"{{{name}}}" for name in known)
            problems.add(where, key, f"{{{unknown}}}", expected, close_match(unknown, known))
