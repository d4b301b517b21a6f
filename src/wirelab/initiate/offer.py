"""What an interface offers: its operations as its description tells of them, whatever it is."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from wirelab import words
from wirelab.domain.model import Effect
from wirelab.protocol.template import fill

LONGEST_MESSAGE = 60
"""Characters of a WebSocket message in its title."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value that an operation needs. `examples` are those that the description gives."""

    name: str
    kind: str
    """string, integer, number, boolean, enum, object or array."""
    required: bool = True
    examples: tuple[object, ...] = ()
    schema: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Offer:
    """One operation of an interface, and how its protocol spells it.

    `binding` is the table that domain.toml has for it. `answer` has the paths of the values in its
    answer with their kinds, items of lists as `*`; `lists` says that it answers a list of things.
    """

    protocol: str
    name: str
    summary: str
    effect: Effect
    parameters: tuple[Parameter, ...]
    binding: Mapping[str, Any]
    answer: Mapping[str, str] = field(default_factory=dict)
    lists: bool = False
    documents: Mapping[str, str] = field(default_factory=dict)
    """Files that the binding names: their text by name."""
    is_guessed: bool = False
    """Whether `effect` follows from the name alone."""

    @property
    def shown(self) -> str:
        """Name it as its own protocol does, for a person."""
        known = self.binding
        if "path" in known:
            return f"{known['method']} {known['path']}"
        if isinstance(message := known.get("message"), str):
            text = str(fill(message, {}))
            return text if len(text) <= LONGEST_MESSAGE else f"{text[: LONGEST_MESSAGE - 1]}…"
        return str(known.get("method") or known.get("operation") or self.name)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An operation that is not taken up, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Interface:
    """What a description offers, what of it is left out, and what a person should know."""

    protocol: str
    offers: tuple[Offer, ...]
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()
    path: str = ""
    """What all paths begin with."""


def path_of(url: str) -> str:
    """Return the path of a server's URL, or "" if it has none or one with variables."""
    try:
        path = urlsplit(url).path
    except ValueError:
        return ""
    return path if path.startswith("/") and "{" not in path else ""


def guessed_reads(offers: Iterable[Offer]) -> list[str]:
    """Return a note that lists the operations that only their names make reads, if any are."""
    names = [each.shown for each in offers if each.is_guessed and each.effect == "read"]
    what = "taken for reads because of their names: check that they change nothing"
    return [f"{what}: {words.first_few(names)}"] if names else []


_LIST_OF_THINGS = re.compile(r"([^/*]+/){0,3}\*/")


def answers_list(parts: Iterable[str]) -> bool:
    """Tell whether an answer of these values is a list of things, or has one near its top."""
    return any(_LIST_OF_THINGS.match(part) for part in parts)
