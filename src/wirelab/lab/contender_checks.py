"""Check a contender.toml beyond its schema: alone, and against its domain."""

import os
from contextlib import suppress
from pathlib import Path

from wirelab.close_match import close_match, one_of
from wirelab.domain.model import Domain
from wirelab.lab.address import OF_TRANSPORT, Address
from wirelab.lab.contender_file import Entry, StackFile, written_address
from wirelab.lab.placeholder import BUILD, START, unknown_placeholders
from wirelab.problems import Problem, Problems, shown


def check_stack(path: Path, stack: StackFile, problems: Problems) -> None:
    """Check what the model cannot: files, variants, placeholders, packages and schemes."""
    where = shown(path)
    _check_schemes(where, stack, problems)
    for number, name in enumerate(stack.build.inputs):
        if not os.path.isfile(path.parent / name):
            problems.add(where, f"build.inputs.{number}", name, f"a file in {shown(path.parent)}")
    commands: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
        f"build.commands.{number}": (command, BUILD)
        for number, command in enumerate(stack.build.commands)
    }
    commands["build.versions"] = (stack.build.versions, BUILD)
    for suffix, variant in stack.variant.items():
        for number, name in enumerate(variant.of):
            if name not in stack.contender:
                key = f"variant.{suffix}.of.{number}"
                hint = close_match(name, stack.contender)
                problems.add(where, key, name, one_of(stack.contender), hint)
    for name, declared in stack.contender.items():
        if declared.packages and not stack.build.versions:
            key = f"contender.{name}.packages"
            expected = "no packages without versions in [build], the command that prints theirs"
            problems.add(where, key, list(declared.packages), expected)
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
            problems.add(where, key, f"{{{unknown}}}", expected, close_match(unknown, known))


def _check_schemes(where: str, stack: StackFile, problems: Problems) -> None:
    """Check that the schemes of contenders and variants support their protocols.

    An address in a variable of the environment is checked if the variable is set.
    """
    written: list[tuple[str, str | None, str]] = []
    for name, entry in stack.contender.items():
        if entry.address is None:
            written.append((f"contender.{name}.scheme", entry.scheme, entry.protocol))
            continue
        with suppress(ValueError):  # a mistake of the variable, reported when it is used
            scheme = Address.parse(written_address(entry.address)).scheme
            written.append((f"contender.{name}.address", scheme, entry.protocol))
    for suffix, variant in stack.variant.items():
        for name in variant.of:
            if name in stack.contender:
                protocol = stack.contender[name].protocol
                written.append((f"variant.{suffix}.scheme", variant.scheme, protocol))
    for key, used, protocol in written:
        supporting = OF_TRANSPORT.get(protocol, OF_TRANSPORT["http1"])
        if used is not None and used not in supporting:
            expected = f"a scheme that supports {protocol}: {one_of(supporting)}"
            problems.add(where, key, used, expected)


def check_against(domain: Domain, where: str, name: str, entry: Entry, problems: Problems) -> None:
    """Check that the domain has the dialect and the protocol that a contender names."""
    dialects = {*domain.dialects, *(it[1] for it in domain.unread if it[0] == "dialect")}
    if entry.dialect and entry.dialect not in dialects:
        none = f"no dialect: domain {domain.name} has no dialects/*.toml"
        expected = one_of(dialects) if dialects else none
        hint = close_match(entry.dialect, dialects)
        problems.add(where, f"contender.{name}.dialect", entry.dialect, expected, hint)
    if domain.is_unread("operation"):
        return
    if entry.protocol not in domain.protocols:
        expected = f"a protocol that operations of {domain.name} are bound to: "
        hint = close_match(entry.protocol, domain.protocols)
        key = f"contender.{name}.protocol"
        problems.add(where, key, entry.protocol, expected + one_of(domain.protocols), hint)
    elif not entry.dialect or entry.dialect in domain.dialects:
        _check_control(entry.protocol, domain.in_dialect(entry.dialect), problems)


def _check_control(protocol: str, domain: Domain, problems: Problems) -> None:
    """Check that contenders of a protocol offer the control, which shows when one is ready.

    The problem is noted once for all contenders of the protocol.
    """
    control = domain.control
    if control is None or domain.is_unread("operation", control.name, protocol):
        return
    if protocol not in control.bindings:
        where, key = (
            shown(domain.folder / domain.spelled_in),
            f"operation.{control.name}.{protocol}",
        )
        expected = "a binding: the control must be bound to every protocol of a contender"
        found = Problem(where, key, None, expected)
        if found not in problems.found:
            problems.extend([found])
