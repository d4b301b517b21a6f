"""Check a contender.toml beyond its schema: alone, and against its domain."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from wirelab.domain.model import Domain
from wirelab.inputs.close_match import close_match, one_of
from wirelab.inputs.problems import Problem, add_problem, shown
from wirelab.lab.contenders.contender_file import (
    ContenderEntry,
    StackFile,
    Variant,
    written_address,
)
from wirelab.lab.contenders.placeholder import BUILD, START, unknown_placeholders
from wirelab.lab.network.address import SECURE, Address, transports_of
from wirelab.terminal import words


def check_stack(path: Path, stack: StackFile) -> None:
    """Check what the model cannot: files, variants, placeholders, packages and schemes."""
    where = shown(path)
    _check_schemes(where, stack)
    _check_paths(path, stack)
    for number, name in enumerate(stack.build.inputs):
        if not os.path.isfile(path.parent / name):
            add_problem(where, f"build.inputs.{number}", name, f"a file in {shown(path.parent)}")
    commands: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
        f"build.commands.{number}": (command, BUILD)
        for number, command in enumerate(stack.build.commands)
    }
    commands["build.versions"] = (stack.build.versions, BUILD)
    commands["build.environment"] = (tuple(stack.build.environment.values()), BUILD)
    for suffix, variant in stack.variant.items():
        for number, name in enumerate(variant.of):
            if name not in stack.contender:
                key = f"variant.{suffix}.of.{number}"
                hint = close_match(name, stack.contender)
                add_problem(where, key, name, one_of(stack.contender), hint)
    for name, declared in stack.contender.items():
        if declared.packages and not stack.build.versions:
            key = f"contender.{name}.packages"
            expected = "no packages without versions in [build], the command that prints theirs"
            add_problem(where, key, list(declared.packages), expected)
    for name, entry, _ in stack.entries():
        commands[f"contender.{name}.command"] = (entry.command or (), START)
        commands[f"contender.{name}.environment"] = (tuple(entry.environment.values()), START)
        for service_name, service in entry.services.items():
            key = f"contender.{name}.service.{service_name}"
            commands[f"{key}.command"] = ((*(service.command or ()), *service.arguments), START)
            commands[f"{key}.environment"] = (tuple(service.environment.values()), START)
    for key, (command, known) in commands.items():
        for unknown in unknown_placeholders(command, known):
            expected = one_of(f"{{{name}}}" for name in known)
            add_problem(where, key, f"{{{unknown}}}", expected, close_match(unknown, known))


def _check_paths(path: Path, stack: StackFile) -> None:
    """Check that the files of `tls` and the working folders exist."""
    tables: dict[str, ContenderEntry | Variant] = {
        **{f"contender.{name}": entry for name, entry in stack.contender.items()},
        **{f"variant.{suffix}": variant for suffix, variant in stack.variant.items()},
    }
    for name, table in tables.items():
        for key, file in table.tls.files(path.parent).items() if table.tls else ():
            if not os.path.isfile(file):
                expected = f"a file, but {shown(file)} does not exist"
                written = str(getattr(table.tls, key))
                add_problem(shown(path), f"{name}.tls.{key}", written, expected)
    for name, entry in stack.contender.items():
        folder = entry.working_folder and path.parent / entry.working_folder
        if folder and not os.path.isdir(folder):
            expected = f"a folder, but {shown(folder)} does not exist"
            key = f"contender.{name}.working_folder"
            add_problem(shown(path), key, str(entry.working_folder), expected)


def _check_schemes(where: str, stack: StackFile) -> None:
    """Check that the schemes of contenders and variants support their protocols.

    Nothing that is written may be without effect: a scheme beside an address, and `tls` without
    TLS. An address in a variable of the environment is checked if the variable is set.
    """
    for name, entry in stack.contender.items():
        if entry.address is not None and entry.scheme is not None:
            expected = "no scheme beside an address, which begins with its own"
            hint = f"write {entry.scheme}://HOST:PORT as the address, and remove scheme"
            add_problem(where, f"contender.{name}.scheme", entry.scheme, expected, hint)
        key = f"contender.{name}.{'scheme' if entry.address is None else 'address'}"
        _check_support(where, key, _scheme(entry), entry.protocol)
        _check_tls(where, f"contender.{name}", entry, stack)
    for suffix, variant in stack.variant.items():
        for base in (stack.contender[name] for name in variant.of if name in stack.contender):
            key = f"variant.{suffix}.scheme"
            if base.address is not None and variant.scheme is not None:
                expected = "no scheme for a contender with an address, which begins with its own"
                hint = "write a contender with another address instead of a variant"
                add_problem(where, key, variant.scheme, expected, hint)
            _check_support(where, key, variant.scheme, base.protocol)
        _check_tls(where, f"variant.{suffix}", variant, stack)


def _check_support(where: str, key: str, scheme: str | None, protocol: str) -> None:
    """Check that a scheme supports a protocol; None is not known, or not written."""
    supporting = transports_of(protocol)
    if scheme is not None and scheme not in supporting:
        expected = f"a scheme that supports {protocol}: {one_of(supporting)}"
        add_problem(where, key, scheme, expected)


def _check_tls(where: str, key: str, table: ContenderEntry | Variant, stack: StackFile) -> None:
    """Check that one of the contenders to which the `tls` of a table applies uses TLS."""
    if table.tls is None or "tls" not in table.model_fields_set:
        return
    users = [entry for _, entry, _ in stack.entries() if entry.tls is table.tls]
    schemes = dict.fromkeys(map(_scheme, users))
    clear = [scheme for scheme in schemes if scheme is not None and scheme not in SECURE]
    if users and len(clear) == len(schemes):
        written = table.tls.model_dump(mode="json", exclude_unset=True)
        verb = "does" if len(clear) == 1 else "do"
        expected = f"no tls, since {words.listed(clear)} {verb} not use TLS"
        secure = SECURE & transports_of(users[0].protocol).keys()
        hint = f"use a scheme over TLS, {one_of(secure)}, or remove tls"
        add_problem(where, f"{key}.tls", written, expected, hint)


def _scheme(entry: ContenderEntry) -> str | None:
    """Return the scheme of a contender; None if its address is not known, or not valid."""
    if entry.address is None:
        return entry.scheme or "http"
    with suppress(ValueError):  # a mistake of the variable, reported when it is used
        return Address.parse(written_address(entry.address)).scheme
    return None


def in_its_domain(
    domain: Domain, where: str, name: str, entry: ContenderEntry
) -> Iterator[Problem]:
    """Yield what the domain lacks that a contender needs: dialect, protocol, control, headers."""
    if entry.dialect and entry.dialect not in domain.dialects:
        none = f"no dialect: domain {domain.name} has no dialects/*.toml"
        expected = one_of(domain.dialects) if domain.dialects else none
        hint = close_match(entry.dialect, domain.dialects)
        yield Problem(where, f"contender.{name}.dialect", entry.dialect, expected, hint)
    if entry.protocol not in domain.protocols:
        expected = f"a protocol that operations of {domain.name} are bound to: "
        hint = close_match(entry.protocol, domain.protocols)
        key = f"contender.{name}.protocol"
        yield Problem(where, key, entry.protocol, expected + one_of(domain.protocols), hint)
    elif not entry.dialect or entry.dialect in domain.dialects:
        yield from _without_control(entry.protocol, domain.in_dialect(entry.dialect))
        yield from _missing_headers(name, entry, domain.in_dialect(entry.dialect))


def _missing_headers(name: str, entry: ContenderEntry, domain: Domain) -> Iterator[Problem]:
    """Yield the headers that the description of the protocol requires and requests lack.

    Those in a private file are not known.
    """
    added = {header.lower() for header in entry.headers}
    for operation in () if entry.headers_file else domain.operations.values():
        is_bound = entry.protocol in operation.bindings
        missing = operation.missing_headers.get(entry.protocol, {}) if is_bound else {}
        for header, problem in missing.items():
            if header not in added:
                hint = problem.hint or f"add it to the binding, or to headers of {name}"
                yield replace(problem, hint=hint)


def _without_control(protocol: str, domain: Domain) -> Iterator[Problem]:
    """Yield the problem of a protocol without the control, which shows when a server is ready."""
    control = domain.control
    if control is not None and protocol not in control.bindings:
        where = shown(domain.folder / domain.spelled_in)
        expected = "a binding: the control must be bound to every protocol of a contender"
        yield Problem(where, f"operation.{control.name}.{protocol}", None, expected)
