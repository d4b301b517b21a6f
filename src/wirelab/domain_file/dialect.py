"""Dialects: how to ask a server that offers the same data under an interface of its own.

A generic server makes its interface of the tables. `dialects/<name>.toml` in the domain's folder
describes that one, and spells the operations anew; what they mean stays as it is in domain.toml.
An operation that it does not spell is not offered in the dialect, and how the interface refuses
what is wrong is its own affair: the error cases of domain.toml are not asked.

A dialect without an interface has the one of the domain, and all its words. It is for servers that
are known to answer otherwise: `reference` holds options for the class Reference, which then says
what is right in this dialect. Or it is for servers that are a part of the whole: `only` names the
operations that they offer.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

from pydantic import Field, model_validator

from wirelab.close_match import close_match, one_of
from wirelab.domain.model import FileModel
from wirelab.domain.read import Reader
from wirelab.protocol import registry

FOLDER = "dialects"


class DialectFile(FileModel):
    """The outline of a dialect's file.

    `every` holds, by protocol, what the bindings of all operations have in common.
    """

    interface: dict[str, Any] | None = None
    every: dict[str, dict[str, Any]] = Field(default={})
    operation: dict[str, dict[str, dict[str, Any]]] = Field(default={})
    reference: dict[str, bool | str] = Field(default={})
    only: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _words_for_an_interface(self) -> Self:
        if (self.interface is None) != (not self.operation):
            raise ValueError("interface and operation together, or neither")
        if self.interface is not None and self.only:
            raise ValueError("only without an interface: what operation spells is what is offered")
        return self


class Spoken(NamedTuple):
    """A domain.toml as it would be for a dialect's interface, and options for the reference."""

    raw: Mapping[str, Any]
    reference: Mapping[str, bool | str]


def dialect_files(folder: Path) -> dict[str, Path]:
    """Return the files of a domain's dialects, by name."""
    return {file.stem: file for file in sorted((folder / FOLDER).glob("*.toml"))}


def in_dialect(reader: Reader, raw: Mapping[str, Any], written: Mapping[str, Any]) -> Spoken | None:
    """Return the content of domain.toml as it would be for the dialect's interface.

    None where the dialect's file is not right; `reader` has been told why.
    """
    dialect = reader.piece(DialectFile, written, "")
    if dialect is None:
        return None
    for name, spelled in dialect.operation.items():
        if name not in raw["operation"]:
            hint = close_match(name, raw["operation"])
            reader.problem(f"operation.{name}", name, one_of(raw["operation"]), hint)
        for word in spelled.keys() - set(registry.NAMES):
            reader.problem(f"operation.{name}.{word}", word, one_of(registry.NAMES))
    for number, name in enumerate(dialect.only):
        if name not in raw["operation"]:
            hint = close_match(name, raw["operation"])
            reader.problem(f"only.{number}", name, one_of(raw["operation"]), hint)
    if dialect.interface is None:
        offered = {
            name: _with_every(operation, dialect.every)
            if name in (dialect.only or raw["operation"])
            else _meaning(operation)
            for name, operation in raw["operation"].items()
        }
        return Spoken({**raw, "operation": offered}, dialect.reference)
    operations = {}
    for name, operation in raw["operation"].items():
        meaning = _meaning(operation)
        spelled = {
            protocol: {**dialect.every.get(protocol, {}), **binding}
            for protocol, binding in dialect.operation.get(name, {}).items()
        }
        operations[name] = {**meaning, **spelled}
    own_words = {"interface": dialect.interface, "operation": operations}
    return Spoken({**raw, **own_words}, dialect.reference)


def _with_every(
    operation: Mapping[str, Any], every: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Return an operation of the domain's interface with what its bindings have in common."""
    return {word: {**it, **every[word]} if word in every else it for word, it in operation.items()}


def _meaning(operation: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an operation means, without how it is spelled and refused."""
    spelling = {*registry.NAMES, "errors"}
    return {word: it for word, it in operation.items() if word not in spelling}
