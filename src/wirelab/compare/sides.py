"""The sides to compare: addresses, commands or git versions, each with a name."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wirelab.initiate.names import identifier
from wirelab.lab.address import Address, without_credentials
from wirelab.problems import Problem, Problems, ProblemsError

_NAMED = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)=(?P<what>.+)", re.DOTALL)
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S*")
_HOST_PORT = re.compile(r"[A-Za-z0-9.-]+:\d+(?:/[^@?\s]*)?")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]+")
_BETWEEN = re.compile(r"\.{2,3}")
"""The separator of two git versions."""
PORT = "{port}"


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison. It has an address, or a command, and perhaps a git version.

    `folder` is the working directory of the command.
    """

    name: str
    title: str
    address: Address | None = None
    command: str = ""
    version: str = ""
    folder: Path | None = None


def read_sides(written: Sequence[str], start: str | None, *, least: int = 2) -> list[Side]:
    """Read the arguments of `wirelab compare`: NAME=ADDRESS, an address, a command with {port}.

    With `start`, they are git versions: A..B, or one each. Raises `ProblemsError`.
    """
    problems = Problems()
    sides = []
    if start is not None:
        if PORT not in start:
            expected = f"a command that contains {PORT}, since wirelab chooses the ports"
            problems.add("--start", "", start, expected)
        names = [part for each in written for part in _BETWEEN.split(each) if part]
        sides = [Side(identifier(name), name, command=start, version=name) for name in names]
    else:
        for each in written:
            try:
                sides.append(_side(each))
            except ProblemsError as wrong:
                problems.extend(wrong.problems)
    problems.raise_if_any()
    if len(sides) < least:
        number = "one" if least == 1 else "two"
        expected = f"at least {number}: addresses, commands with {PORT}, or versions with --start"
        raise ProblemsError([Problem("servers", "", list(written), expected)])
    return _with_own_names(sides)


def _side(written: str) -> Side:
    named = _NAMED.fullmatch(written)
    name, what = (named["name"], named["what"]) if named else ("", written)
    if PORT in what and not _ADDRESS.fullmatch(what):
        if _VARIABLE.fullmatch(name):
            sentence = f"{name}=… may be the name of the side, or a variable of its command"
            hint = f"write 'a={name}=…' for a variable, '{name.lower()}=…' for a name"
            raise ProblemsError([Problem.stated(sentence, hint)])
        return Side(identifier(name or what.split()[0]), name or what, command=what)
    try:
        address = Address.parse(what)
    except ValueError as error:
        if _HOST_PORT.fullmatch(what):
            hint = f"did you mean http://{what}?"
        else:
            hint = "" if "://" in what else "a git version needs --start"
        shown = without_credentials(written)
        raise ProblemsError([Problem("servers", "", shown, str(error), hint)]) from None
    port = "" if address.host_port.endswith((":80", ":443")) else f"-{address.port}"
    return Side(identifier(name or f"{address.host}{port}"), name or what, address=address)


def _with_own_names(sides: Sequence[Side]) -> list[Side]:
    """Add numbers to equal names of sides: a and a become a and a-2."""
    given = {side.name for side in sides}
    taken: set[str] = set()
    found = []
    for side in sides:
        name, number = side.name, 1
        while name in taken or (number > 1 and name in given):
            number += 1
            name = f"{side.name}-{number}"
        taken.add(name)
        found.append(replace(side, name=name))
    return found


def common_path(sides: Sequence[Side]) -> tuple[str, list[str]]:
    """Split the paths of addresses: the end that all have in common, and how each begins."""
    paths = [side.address.path if side.address else "" for side in sides]
    parts = [path.split("/") for path in paths]
    shared = 0
    shortest = min(len(each) for each in parts)
    while shared < shortest - 1 and len({each[-1 - shared] for each in parts}) == 1:
        shared += 1
    if not shared:
        return "", paths
    end = "/" + "/".join(parts[0][-shared:])
    return end, [path.removesuffix(end) for path in paths]
