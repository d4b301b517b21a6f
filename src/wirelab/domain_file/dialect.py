"""Dialects: how to query servers that offer the domain with their own interface."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field

from wirelab.domain.read import Reader
from wirelab.domain_file.check_reference import check_options, known_options
from wirelab.inputs.close_match import close_match, one_of
from wirelab.inputs.file_model import FileModel, Misfit
from wirelab.inputs.problems import Problem
from wirelab.protocol import registry

FOLDER = "dialects"


class DialectFile(FileModel):
    """`dialects/NAME.toml`: how to query servers that offer the domain with their own interface.

    A generic server derives its interface from the tables. Its dialect describes that interface in
    `[interface]` and defines the operations for it in `[operation.NAME.PROTOCOL]`; their meaning
    stays as in domain.toml. The error cases of domain.toml are not tested, because such an
    interface refuses in its own way.

    A dialect without these two uses the domain's interface. It is for servers that are known to
    answer differently (`reference`), or that offer only some operations (`only`).
    """

    interface: dict[str, Any] | None = None
    """As in domain.toml; needs `operation`. Default: the domain's."""
    every: dict[str, dict[str, Any]] = Field(default={})
    """By protocol: keys to add to the bindings of all operations, such as `persisted = true` in
    `[every.graphql]`. Default: none."""
    operation: dict[str, dict[str, dict[str, Any]]] = Field(default={})
    """The operations in the dialect's interface, by protocol, as in domain.toml; needs `interface`.
    An operation that is left out is not offered."""
    reference: dict[str, bool | str] = Field(default={})
    """Options for the domain's class `Reference`, which then defines the right answers of this
    dialect: arguments of its constructor, each a text, true or false. Default: none."""
    only: tuple[str, ...] = ()
    """The operations that the servers offer, as domain.toml defines them. Not with `interface`.
    Default: all."""

    def misfits(self) -> Iterator[Misfit]:
        """Yield which keys about an interface of its own exclude or need each other."""
        if self.interface is not None and not self.operation:
            expected = "at least one table [operation.NAME.PROTOCOL], which interface needs"
            hint = "add the operations, or remove interface to use that of domain.toml"
            yield Misfit("operation", None, expected, hint)
        if self.operation and self.interface is None:
            expected = "the descriptions of the dialect's interface, which operation needs"
            hint = "add [interface], or remove operation to use those of domain.toml"
            yield Misfit("interface", None, expected, hint)
        if self.interface is not None and self.only:
            why = "with interface, the operations in operation are those that are offered"
            yield Misfit.excluding(["interface", "only"], why, "remove only")


class Translated(NamedTuple):
    """A domain.toml as it would be for a dialect's interface, and options for the reference."""

    raw: Mapping[str, Any]
    reference: Mapping[str, bool | str]


def dialect_files(folder: Path) -> dict[str, Path]:
    """Return the files of a domain's dialects, by name."""
    return {file.stem: file for file in sorted((folder / FOLDER).glob("*.toml"))}


def in_dialect(
    reader: Reader, raw: Mapping[str, Any], written: Mapping[str, Any]
) -> Translated | None:
    """Return the content of domain.toml as it would be for the dialect's interface.

    None if the dialect's file is invalid; the problems are noted in `reader`.
    """
    written = _in_place(reader, written)
    dialect = reader.piece(DialectFile, written, "")
    if dialect is None:
        return None
    check_options(reader, dialect.reference)
    for word in dialect.every.keys() - set(registry.NAMES):
        hint = close_match(word, registry.NAMES)
        reader.problem(f"every.{word}", word, one_of(registry.NAMES), hint)
    meanings = {
        name: operation
        for name, operation in raw.get("operation", {}).items()
        if isinstance(operation, Mapping)
    }
    for name, spelled in dialect.operation.items():
        if name not in meanings:
            hint = close_match(name, meanings)
            reader.problem(f"operation.{name}", name, one_of(meanings), hint)
        for word in spelled.keys() - set(registry.NAMES):
            reader.problem(f"operation.{name}.{word}", word, one_of(registry.NAMES))
    for number, name in enumerate(dialect.only):
        if name not in meanings:
            hint = close_match(name, meanings)
            reader.problem(f"only.{number}", name, one_of(meanings), hint)
    if dialect.interface is None:
        offered = {
            name: _with_every(operation, dialect.every)
            if name in (dialect.only or meanings)
            else _meaning(operation)
            for name, operation in meanings.items()
        }
        return Translated({**raw, "operation": offered}, dialect.reference)
    operations = {}
    for name, operation in meanings.items():
        meaning = _meaning(operation)
        spelled = {
            protocol: {**dialect.every.get(protocol, {}), **binding}
            for protocol, binding in dialect.operation.get(name, {}).items()
        }
        operations[name] = {**meaning, **spelled}
    own_words = {"interface": dialect.interface, "operation": operations}
    return Translated({**raw, **own_words}, dialect.reference)


def at_every(problems: Iterable[Problem], written: Mapping[str, Any]) -> list[Problem]:
    """Return problems of bindings each once, at the key of `every` if that is where it is.

    `written` is the content of the dialect's file.
    """
    moved_problems: dict[str, Problem] = {}
    for each in problems:
        kind, name, protocol, *keys = [*each.key.split("."), "", "", ""]
        own = _table(_table(_table(written.get("operation")).get(name)).get(protocol))
        shared = _table(_table(written.get("every")).get(protocol))
        moved = each
        if kind == "operation" and keys[0] in shared.keys() - own.keys():
            moved = replace(each, key=f"every.{each.key.split('.', 2)[2]}")
        moved_problems.setdefault(str(moved), moved)
    return list(moved_problems.values())


def _table(node: object) -> Mapping[str, Any]:
    return node if isinstance(node, Mapping) else {}


def _in_place(reader: Reader, written: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the content without options outside [reference] and keys that are in it by mistake.

    A key of the file itself that follows the header of a table belongs to that table.
    """
    options, keys = known_options(reader.folder) or [], set(DialectFile.model_fields)
    reference = _table(written.get("reference"))
    for key in reference.keys() & keys - set(options):
        hint = f"write {key} before the first [table]: below [reference], it is an option"
        reader.problem(f"reference.{key}", reference[key], "no such key", hint)
    for key in set(options) & written.keys() - keys:
        hint = f"write {key} below [reference]: it is an option of the reference"
        reader.problem(key, written[key], "no such key", hint)
    kept = {key: value for key, value in written.items() if key in keys or key not in options}
    if isinstance(written.get("reference"), Mapping):
        kept["reference"] = {
            key: value for key, value in reference.items() if key in options or key not in keys
        }
    return kept


def _with_every(
    operation: Mapping[str, Any], every: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Return an operation of the domain's interface with the common keys of its bindings."""
    return {
        word: {**value, **every[word]} if word in every and isinstance(value, Mapping) else value
        for word, value in operation.items()
    }


def _meaning(operation: Mapping[str, Any]) -> dict[str, Any]:
    """Return an operation without its bindings and error cases."""
    spelling = {*registry.NAMES, "errors"}
    return {word: value for word, value in operation.items() if word not in spelling}
