"""What is compared: addresses, commands or git versions, each with a name."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wirelab.initiate.names import identifier
from wirelab.lab.address import Address, without_credentials
from wirelab.problems import Problem, ProblemsError

_NAMED = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)=(?P<what>.+)", re.DOTALL)
PORT = "{port}"


@dataclass(frozen=True, slots=True)
class Side:
    """One of those that are compared. It has an address, or a command, perhaps of a version.

    `folder` is where a command is carried out.
    """

    name: str
    title: str
    address: Address | None = None
    command: str = ""
    version: str = ""
    folder: Path | None = None


def read_sides(written: Sequence[str], start: str | None, *, least: int = 2) -> list[Side]:
    """Read the arguments of `wirelab compare`: NAME=ADDRESS, an address, a command with {port}.

    With `start` they are versions of git: A..B, or one each. Raises `ProblemsError`.
    """
    if start is not None:
        if PORT not in start:
            expected = f"a command with {PORT} in it, since wirelab chooses the ports"
            raise ProblemsError([Problem("--start", "", start, expected)])
        names = [part for each in written for part in each.split("..") if part]
        sides = [Side(identifier(name), name, command=start, version=name) for name in names]
    else:
        sides = [_side(each) for each in written]
    if len(sides) < least:
        expected = "at least two: addresses, commands with {port}, or versions with --start"
        raise ProblemsError([Problem("wirelab compare", "", list(written), expected)])
    return _with_own_names(sides)


def _side(written: str) -> Side:
    named = _NAMED.fullmatch(written)
    if named and "://" not in named["name"]:
        name, what = named["name"], named["what"]
    else:
        name, what = "", written
    if "://" not in what and PORT in what:
        return Side(identifier(name or what.split()[0]), name or what, command=what)
    try:
        address = Address.parse(what)
    except ValueError as error:
        hint = "" if "://" in what else "a version of git needs --start"
        shown = without_credentials(written)
        raise ProblemsError([Problem("wirelab compare", "", shown, str(error), hint)]) from None
    port = "" if address.host_port.endswith((":80", ":443")) else f"-{address.port}"
    return Side(identifier(name or f"{address.host}{port}"), name or what, address=address)


def _with_own_names(sides: Sequence[Side]) -> list[Side]:
    """Give a number to those that are called the same: a and a are a and a-2."""
    seen: dict[str, int] = {}
    found = []
    for side in sides:
        seen[side.name] = seen.get(side.name, 0) + 1
        number = seen[side.name]
        name = side.name if number == 1 else f"{side.name}-{number}"
        found.append(Side(name, side.title, side.address, side.command, side.version, side.folder))
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
