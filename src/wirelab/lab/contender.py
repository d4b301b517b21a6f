"""The contenders of a domain, read from its files `contender.toml`."""

import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from wirelab.close_match import close_match, one_of
from wirelab.domain.model import Domain
from wirelab.domain.read import shown
from wirelab.lab import requirement
from wirelab.lab.contender_file import (
    VARIABLE,
    Build,
    Setting,
    StackFile,
    TlsOptions,
)
from wirelab.lab.placeholder import BUILD, START, unknown_placeholders
from wirelab.lab.service import Service
from wirelab.problems import Problem, Problems, from_pydantic, from_toml
from wirelab.search_path import CONTENDER_FILES
from wirelab.untrusted import visible_in


@dataclass(frozen=True, slots=True)
class Contender:
    """One server under test: a stack that speaks one protocol for one domain."""

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
    """In the order of their start; clients call the last. Empty: a single program."""
    start_seconds: float | None = None
    variant_of: str = ""
    """The contender that this one is a variant of; "" if it is not a variant."""

    def written_address(self) -> str:
        """Return the address, read from the environment if a variable is named; "" without one."""
        if self.address is None or not VARIABLE.fullmatch(self.address):
            return self.address or ""
        return os.environ.get(self.address, "")

    def missing_programs(self) -> list[str]:
        """Return the required programs that are not on PATH, or of a lower version."""
        return [needed for needed in self.requires if not requirement.is_met(needed)]

    def input_paths(self) -> list[Path]:
        """Return the files whose content determines the build."""
        return [self.folder / name for name in self.build.inputs]


def load_contenders(domain: Domain) -> dict[str, Contender]:
    """Load every contender of a domain, by id.

    Raises `ProblemsError` with all errors of all contender.toml files.
    """
    problems = Problems()
    stacks = _read_stacks(domain.folder, problems)
    for path, stack in stacks.items():
        _check(path, stack, domain, problems)
    contenders = _contenders(domain.name, stacks, problems)
    problems.raise_if_any()
    return contenders


def by_protocol(names: Iterable[str], contenders: Mapping[str, Contender]) -> tuple[str, ...]:
    """Replace the name of a protocol by its contenders, except variants."""
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
    """Read the stacks of a domain; invalid ones are noted and left out."""
    stacks = {}
    for path in sorted(folder.glob(CONTENDER_FILES)):
        try:
            stacks[path] = StackFile.model_validate(visible_in(tomllib.loads(path.read_text())))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            problems.found.append(from_toml(str(path), error))
        except ValidationError as error:
            problems.extend(from_pydantic(str(path), error, StackFile))
    return stacks


def _contenders(
    domain: str, stacks: Mapping[Path, StackFile], problems: Problems
) -> dict[str, Contender]:
    """Return the contenders of all stacks by id; ids must be unique."""
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


def _check(path: Path, stack: StackFile, domain: Domain, problems: Problems) -> None:
    """Check files, placeholders, and that the domain has the protocol."""
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
            none = f"no dialect: domain {domain.name} has no dialects/*.toml"
            known_dialects = one_of(domain.dialects) if domain.dialects else none
            hint = close_match(entry.dialect, domain.dialects)
            key = f"contender.{name}.dialect"
            problems.add(where, key, entry.dialect, known_dialects, hint)
        if entry.protocol not in spoken:
            expected = f"a protocol that operations of {domain.name} are bound to: "
            hint = close_match(entry.protocol, spoken)
            key = f"contender.{name}.protocol"
            problems.add(where, key, entry.protocol, expected + one_of(spoken), hint)
        elif not entry.dialect or entry.dialect in domain.dialects:
            _check_control(entry.protocol, domain.spoken(entry.dialect), problems)
    for key, (command, known) in commands.items():
        for unknown in unknown_placeholders(command, known):
            expected = one_of(f"{{{name}}}" for name in known)
            problems.add(where, key, f"{{{unknown}}}", expected, close_match(unknown, known))


def _check_control(protocol: str, domain: Domain, problems: Problems) -> None:
    """Check that contenders of a protocol offer the control, which shows when one is ready.

    The problem is noted once for all contenders of the protocol.
    """
    control = domain.control
    if control is not None and protocol not in control.bindings:
        where, key = (
            shown(domain.folder / domain.spelled_in),
            f"operation.{control.name}.{protocol}",
        )
        expected = "a binding: the control must be bound to every protocol of a contender"
        found = Problem(where, key, None, expected)
        if found not in problems.found:
            problems.extend([found])
