"""The sides to compare: addresses, commands or git versions, each with a name."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wirelab.inputs.problems import (
    Problem,
    ProblemsError,
    add_problem,
    add_problems,
    collected_problems,
    noting_problems,
    state_problem,
)
from wirelab.installation.search_path import find_folder
from wirelab.lab.network.address import Address, without_credentials
from wirelab.scaffold.names import identifier
from wirelab.terminal import words

_NAMED = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)=(?P<what>.+)", re.DOTALL)
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S*")
_HOST_PORT = re.compile(r"[A-Za-z0-9.-]+:\d+(?:/[^@?\s]*)?")
_WORD = re.compile(r"[A-Za-z0-9._/~-]+")
"""A name of a git version or of a domain, if it is a side."""
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]+")
_BETWEEN = re.compile(r"\.{2,3}")
"""The separator of two git versions."""
PORT = "{port}"


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """One side of a comparison. It has an address, or a command, and perhaps a git version.

    `folder` is the working directory of the command.
    """

    name: str
    """The id in options, progress and files."""
    title: str
    """The name in messages and reports: the one that the user gave, or else `name`."""
    address: Address | None = None
    command: str = ""
    version: str = ""
    folder: Path | None = None


def names_a_domain(written: Sequence[str]) -> bool:
    """Return whether the first argument is a domain, and others follow it."""
    if len(written) < 2 or "=" in written[0] or "://" in written[0]:
        return False
    return find_folder("domains", written[0]) is not None


def read_sides(written: Sequence[str], start: str | None, *, least: int = 2) -> list[ComparedSide]:
    """Read the arguments of `wirelab compare`: NAME=ADDRESS, an address, a command with {port}.

    With `start`, they are git versions: A..B, or one each. Raises `ProblemsError`.
    """
    sides: list[ComparedSide] = []
    with collected_problems() as problems:
        if start is not None:
            if PORT not in start:
                expected = f"a command that contains {PORT}, since wirelab chooses the ports"
                add_problem("--start", "", start, expected)
            if addresses := [without_credentials(each) for each in written if "://" in each]:
                sentence = f"addresses take no --start: {words.listed(addresses)}"
                hint = "with --start, give versions of git, such as main..HEAD"
                state_problem(sentence, hint)
            names = [part for each in written for part in _BETWEEN.split(each) if part]
            sides = [
                ComparedSide(identifier(name), name, command=start, version=name) for name in names
            ]
        else:
            names = [each for each in written if _WORD.fullmatch(each)]
            if names:
                add_problems([_neither_address_nor_command(names)])
            for each in written:
                if each not in names:
                    with noting_problems():
                        sides.append(_side(each))
            _check_given_names(written)
        if len(sides) < least and not problems:
            add_problems([_too_few(sides, least)])
    return _with_own_names(sides)


def _check_given_names(written: Sequence[str]) -> None:
    """Check that the user gave no name twice."""
    names = [identifier(named["name"]) for each in written if (named := _NAMED.fullmatch(each))]
    for name, count in Counter(names).items():
        if count > 1:
            sentence = f"{count} sides are named {name!r}"
            state_problem(sentence, "give each side its own name")


def _neither_address_nor_command(names: Sequence[str]) -> Problem:
    if len(names) == 1:
        sentence = f"{names[0]} is neither an address nor a command with {PORT}"
    else:
        sentence = f"{words.listed(names)} are neither addresses nor commands with {PORT}"
    return Problem.stated(
        sentence,
        "an address is SCHEME://HOST:PORT/PATH; git versions need --start;"
        " a domain is a folder, or one that `wirelab list` shows",
    )


def _too_few(sides: Sequence[ComparedSide], least: int) -> Problem:
    number = "one side" if least == 1 else "two sides"
    given = f"the only side is {sides[0].title!r}" if sides else "none is given"
    return Problem.stated(
        f"a comparison takes at least {number}, and {given}",
        f"give addresses, commands with {PORT}, or versions with --start, such as"
        " old=http://localhost:8081/items/7 new=http://localhost:8082/items/7",
    )


def _side(written: str) -> ComparedSide:
    named = _NAMED.fullmatch(written)
    name, what = (named["name"], named["what"]) if named else ("", written)
    if PORT in what and not _ADDRESS.fullmatch(what):
        if _VARIABLE.fullmatch(name):
            sentence = f"{name}=… may be the name of the side, or a variable of its command"
            hint = f"write 'a={name}=…' for a variable, '{name.lower()}=…' for a name"
            raise ProblemsError([Problem.stated(sentence, hint)])
        return _named(name, Path(what.split()[0]).name, command=what)
    if len(what.split()) > 1 and not _ADDRESS.match(what):
        expected = f"a command that contains {PORT}, since wirelab chooses the ports"
        raise ProblemsError([Problem("server", "", without_credentials(written), expected)])
    try:
        address = Address.parse(what)
    except ValueError as error:
        hint = f"did you mean http://{what}?" if _HOST_PORT.fullmatch(what) else ""
        shown = without_credentials(written)
        raise ProblemsError([Problem("server", "", shown, str(error), hint)]) from None
    port = "" if address.host_port.endswith((":80", ":443")) else f"-{address.port}"
    return _named(name, f"{address.host}{port}", address=address)


def _named(given: str, short: str, **what: Any) -> ComparedSide:
    """Return a side with the name that the user gave, or else with a short one everywhere."""
    name = identifier(given or short)
    return ComparedSide(name, given or name, **what)


def _with_own_names(sides: Sequence[ComparedSide]) -> list[ComparedSide]:
    """Add numbers to equal names of sides, and to their titles: a and a become a and a-2."""
    given = {side.name for side in sides}
    taken: set[str] = set()
    named_sides = []
    for side in sides:
        name, number = side.name, 1
        while name in taken or (number > 1 and name in given):
            number += 1
            name = f"{side.name}-{number}"
        taken.add(name)
        title = side.title if number == 1 else f"{side.title}-{number}"
        named_sides.append(replace(side, name=name, title=title))
    return named_sides


def common_path(sides: Sequence[ComparedSide]) -> tuple[str, list[str]]:
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
