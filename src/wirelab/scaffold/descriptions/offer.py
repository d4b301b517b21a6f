"""The operations of an interface, independent of the kind of its description."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from wirelab.domain.model import Effect
from wirelab.inputs.problems import Problem, ProblemsError
from wirelab.protocol.template import fill, names
from wirelab.terminal import words

DOCUMENTS = "graphql"
"""The folder of a domain that contains its GraphQL documents."""
LONGEST_MESSAGE = 60
"""Characters of a WebSocket message in its title."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an operation. `examples` are those of the description."""

    name: str
    kind: str
    """string, integer, number, boolean, enum, object or array."""
    required: bool = True
    examples: tuple[object, ...] = ()
    schema: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Offer:
    """One operation of an interface, and its binding to the protocol.

    `binding` is its table in domain.toml. `answer` has the paths of the values in its answer with
    their kinds, items of lists as `*`; `lists` is whether it returns a list of objects.
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
    """The content of files that the binding names, by name."""
    is_guessed: bool = False
    """Whether `effect` was guessed from the name alone."""
    names: tuple[str, ...] = ()
    """What the interface itself calls the operation, with and without its service."""
    problems: tuple[Problem, ...] = ()
    """Why the operation cannot be used as described: mistakes in what it needs of the document."""

    @property
    def is_source(self) -> bool:
        """Whether it may return ids for others: a list, or what the description leaves open."""
        return self.effect == "read" and not self.problems and (self.lists or not self.answer)

    @property
    def all_names(self) -> tuple[str, ...]:
        """Its name here, and those of the interface itself."""
        return (self.name, *self.names)

    def at(self, base: str) -> "Offer":
        """Return the operation below the path of another server."""
        return replace(self, binding={**self.binding, "base": base})

    @property
    def shown(self) -> str:
        """The operation's name in its own protocol, for people."""
        known = self.binding
        if "path" in known:
            # Without a path of its own, each server has another one: the summary names them.
            unnamed = self.summary or str(known["method"])
            path = known["path"]
            path = path if names(path) else fill(path, {})
            return f"{known['method']} {path}" if path else unnamed
        if isinstance(message := known.get("message"), str):
            text = str(fill(message, {}))
            return text if len(text) <= LONGEST_MESSAGE else f"{text[: LONGEST_MESSAGE - 1]}…"
        return str(known.get("method") or known.get("operation") or self.name)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An operation that is left out, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class OfferedInterface:
    """The operations of a description, those left out, and notes for the user."""

    protocol: str
    offers: tuple[Offer, ...]
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()
    path: str = ""
    """The common prefix of all paths."""


def require_valid(offers: Iterable[Offer]) -> None:
    """Raise `ProblemsError` with all mistakes in what these operations need."""
    if problems := list(dict.fromkeys(each for offer in offers for each in offer.problems)):
        raise ProblemsError(problems)


def path_of(url: str) -> str:
    """Return the path of a server's URL, or "" if it has none or one with variables."""
    try:
        path = urlsplit(url).path
    except ValueError:
        return ""
    return path if path.startswith("/") and "{" not in path else ""


def included_mutations(offers: Iterable[Offer]) -> list[str]:
    """Return a note that mutations are among these operations, if there are any."""
    note = "mutations write: they are included, but measured only if writes are allowed"
    is_any = any(each.protocol == "graphql" and each.effect == "write" for each in offers)
    return [note] if is_any else []


def guessed_reads(offers: Iterable[Offer]) -> list[str]:
    """Return a note with the operations that are reads only by their names, if there are any."""
    names = [each.shown for each in offers if each.is_guessed and each.effect == "read"]
    what = "assumed to be reads because of their names: check that they change nothing"
    return [f"{what}: {words.first_few(names)}"] if names else []
