"""Load a domain; all errors in its folder are reported together."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from wirelab.domain.checks import Outage, Sequence
from wirelab.domain.kinds import in_common
from wirelab.domain.model import (
    Binding,
    Data,
    Domain,
    DomainFile,
    Interface,
    KeyCase,
    Operation,
    OperationFile,
    RequestTemplate,
)
from wirelab.domain.read import Reader
from wirelab.domain.stores import State, Stores
from wirelab.domain_file.check import (
    check_control,
    check_generator,
    check_operations,
    check_outages,
    check_sequences,
    check_used,
)
from wirelab.domain_file.check_interface import (
    OperationFacts,
    check_bindings,
    check_constants,
    counts,
    of_sources,
)
from wirelab.domain_file.check_reference import check_reference
from wirelab.domain_file.check_stores import check_stores
from wirelab.domain_file.dialect import at_every, dialect_files, in_dialect
from wirelab.inputs.close_match import close_match, one_of, similar_folder
from wirelab.inputs.problems import (
    Problem,
    ProblemsError,
    add_problems,
    captured_problems,
    collected_problems,
    read_toml,
    shown,
)
from wirelab.installation.resources import resource_folder
from wirelab.installation.search_path import FILES, find_folder, known_names
from wirelab.protocol import registry

FILE = FILES["domains"]


def load_domain(name_or_path: str | Path) -> Domain:
    """Load a domain by its name or by the path of its folder.

    Raises `ProblemsError` with everything that is wrong with domain.toml and the files that it
    names; if that is valid, with everything that is wrong with its dialects.
    """
    folder = find_domain(name_or_path).resolve()
    reader = Reader(folder, shown(folder / FILE))
    with collected_problems():
        raw = read_toml(folder / FILE)
    assert raw is not None
    domain = _read(reader, raw)
    with collected_problems():
        dialects = {
            name: _read_dialect(Reader(folder, shown(file)), file, raw, domain)
            for name, file in dialect_files(folder).items()
        }
    return replace(domain, dialects={name: each for name, each in dialects.items() if each})


def _read_dialect(
    reader: Reader, file: Path, raw: Mapping[str, Any], base: Domain
) -> Domain | None:
    """Return the domain in a dialect; None, with what is wrong noted, if its file is not valid."""
    written = read_toml(file)
    translated = None if written is None else in_dialect(reader, raw, written)
    if written is None or translated is None:
        return None
    with captured_problems() as problems:
        domain = _read(reader, translated.raw, base)
    if problems:
        add_problems(at_every(problems, written))
        return None
    return replace(
        domain,
        reference=translated.reference,
        spelled_in=str(file.relative_to(reader.folder)) if translated.raw is not raw else FILE,
    )


def find_domain(name_or_path: str | Path) -> Path:
    """Return the folder of a domain. Raises `ProblemsError` with the known domains."""
    folder = find_folder("domains", name_or_path)
    if folder is not None:
        return folder
    known = list_domains()
    expected = f"a folder with a {FILE} in it, or {one_of(known)}"
    hint = similar_folder(name_or_path, FILE, known)
    raise ProblemsError([Problem("domain", "", str(name_or_path), expected, hint)])


def packaged_domain(name: str) -> Path | None:
    """Return the folder of the domain of wirelab with a name; None if it has no such domain."""
    folder = resource_folder("domains") / name
    return folder if "/" not in name and os.path.isfile(folder / FILE) else None


def find_domain_of(study: Path, name_or_path: str) -> Path:
    """Return the folder of the domain that the study in a folder names.

    In a study of wirelab, the name of a domain of wirelab means that one, whatever the working
    directory contains. In any other study, a folder of that name must not be found as well. Raises
    `ProblemsError` if it is, or if there is no such domain.
    """
    where = shown(study / FILES["studies"])
    beside = {f"{start}{name_or_path}": study / start / name_or_path for start in ("../", "./")}
    beside = {path: folder for path, folder in beside.items() if os.path.isfile(folder / FILE)}
    packaged = packaged_domain(name_or_path)
    if packaged and study.resolve().is_relative_to(resource_folder("studies").resolve()):
        return packaged
    try:
        domain = find_domain(name_or_path)
    except ProblemsError as error:
        hint = f'did you mean "{next(iter(beside))}"?' if beside else ""
        raise ProblemsError(
            replace(problem, where=where, key="domain", hint=hint or problem.hint)
            for problem in error.problems
        ) from None
    others = [
        folder
        for folder in (domain, *beside.values())
        if packaged and not folder.samefile(packaged)
    ]
    if others:
        relative = os.path.relpath(others[0].resolve(), study.resolve())
        path = relative if relative.startswith("../") else f"./{relative}"
        what = f"{name_or_path!r} is a domain of wirelab and also the folder {shown(others[0])}"
        hint = f'write "{path}" for the folder, or "{packaged}" for the domain of wirelab'
        raise ProblemsError([Problem(where, "domain", what, "", hint)])
    return domain


def check_unambiguous(name: str) -> None:
    """Raise `ProblemsError` if a domain of wirelab and a folder here have the same name.

    `wirelab init` writes the domain of a folder `shop` to `shop/domain`.
    """
    packaged = packaged_domain(name)
    here = next(
        (folder for folder in (Path(name), Path(name, "domain")) if os.path.isfile(folder / FILE)),
        None,
    )
    if here is not None and packaged is not None and not here.samefile(packaged):
        sentence = f"{name!r} is a domain of wirelab and also a folder here"
        hint = f"write './{here}' for the folder, or '{packaged}' for the domain of wirelab"
        raise ProblemsError([Problem.stated(sentence, hint)])


def is_there(name_or_path: str | Path) -> bool:
    """Return whether a domain of this name, or at this path, exists."""
    return find_folder("domains", name_or_path) is not None


def list_domains() -> list[str]:
    """Return the names of the domains that can be loaded by name."""
    return known_names("domains")


def _read(reader: Reader, raw: Mapping[str, Any], base: Domain | None = None) -> Domain:
    """Return the domain. Raises `ProblemsError` with everything that is wrong."""
    with collected_problems() as problems:
        file = reader.piece(DomainFile, raw, "") or DomainFile.model_construct(
            name=reader.folder.name, title="", summary=""
        )
        data = reader.piece(Data, raw.get("data", {}), "data")
        interface = _interface(reader, raw.get("interface", {}))
        stores = reader.piece(Stores, raw.get("store", {}), "store")
        states = reader.pieces(State, raw.get("state", {}), "state")
        bindings = _bindings(reader, raw.get("operation", {}))
        operations = _operations(reader, raw.get("operation", {}), bindings)
        sequences = reader.pieces(Sequence, raw.get("sequence", {}), "sequence")
        outages = reader.pieces(Outage, raw.get("outage", {}), "outage")

        check_operations(reader, operations, data)
        if data and data.generator:
            check_generator(reader, data)
            check_control(reader, operations, bindings)
            check_reference(reader)
        check_sequences(reader, sequences, operations, bindings)
        check_outages(reader, outages, operations, bindings)
        if stores and data:
            check_stores(reader, stores, data.tables)
        declared = raw.get("interface", {})
        generated = data is not None and bool(data.generator)
        described = check_bindings(
            reader, bindings, interface, declared=declared, data=data, base=base
        )
        operations = {
            name: replace(
                operation,
                kinds=in_common([*each.kinds, counts(operation)]),
                declared=of_sources(operation) if generated else {},
                missing_headers=each.headers,
            )
            for name, operation in operations.items()
            for each in [described.get(name, OperationFacts())]
        }
        check_constants(reader, operations)
        if not problems:  # a misspelt name is also one that is not sent
            check_used(reader, operations)
    return Domain(
        name=file.name,
        title=file.title,
        summary=file.summary,
        folder=reader.folder,
        data=data or Data(),
        interface=interface,
        stores=stores or Stores(),
        states=states,
        operations=operations,
        sequences=sequences,
        outages=outages,
        parameter_file=file.parameters,
        one_backend=file.one_backend,
    )


def _interface(reader: Reader, raw: object) -> Interface:
    """Read the descriptions one by one: valid ones are kept if others are invalid."""
    if not isinstance(raw, Mapping):
        reader.problem("interface", raw, "a table")
        return Interface(files={})
    key_case = raw.get("key_case", {})
    written = {f"interface.{name}": (name, {"files": {name: raw[name]}}) for name in raw}
    written.pop("interface.key_case", None)
    if isinstance(key_case, Mapping):
        for name, case in key_case.items():
            key = f"interface.key_case.{name}"
            written[key] = (name, {"files": {}, "key_case": {name: case}})
    else:
        reader.problem("interface.key_case", key_case, "a table")
    files: dict[str, Path] = {}
    cases: dict[str, KeyCase] = {}
    for key, (name, part) in written.items():
        if name not in registry.NAMES:
            hint = close_match(name, registry.NAMES)
            reader.problem(key, name, one_of(registry.NAMES), hint)
        elif read := reader.piece(Interface, part, "interface", hide="files."):
            files |= read.files
            cases |= read.key_case
    return Interface(files=files, key_case=cases)


def _bindings(reader: Reader, raw: object) -> dict[str, dict[str, Binding]]:
    """Return how each operation is expressed in each protocol."""
    bindings: dict[str, dict[str, Binding]] = {}
    for name, table in reader.tables(raw, "operation").items():
        read = {
            protocol: _binding(reader, protocol, table[protocol], f"operation.{name}.{protocol}")
            for protocol in registry.NAMES
            if protocol in table
        }
        bindings[name] = {protocol: binding for protocol, binding in read.items() if binding}
    return bindings


def _operations(
    reader: Reader, raw: object, bindings: Mapping[str, Mapping[str, Binding]]
) -> dict[str, Operation]:
    operations = {}
    for name, bound in bindings.items():
        assert isinstance(raw, Mapping)
        rest = {word: value for word, value in raw[name].items() if word not in registry.NAMES}
        file = reader.piece(OperationFile, rest, f"operation.{name}", also=registry.NAMES)
        if file:
            operations[name] = Operation(
                name=name,
                summary=file.summary,
                effect=file.effect,
                parameters=file.parameters,
                answer=file.answer,
                errors=file.errors,
                masked=file.masked,
                bindings=bound,
                common=file.common,
            )
    return operations


def _binding(reader: Reader, protocol: str, raw: object, key: str) -> Binding | None:
    form: type[RequestTemplate] = registry.get(protocol).request
    if not (isinstance(raw, Mapping) and "rounds" in raw):
        request = reader.piece(form, raw, key)
        return Binding(((request,),)) if request else None
    for word in raw.keys() - {"rounds"}:
        reader.problem(f"{key}.{word}", raw[word], "no other key with rounds")
    rounds = []
    for number, round_ in enumerate(reader.lists(raw["rounds"], f"{key}.rounds")):
        requests = [
            reader.piece(form, request, f"{key}.rounds.{number}.{position}")
            for position, request in enumerate(round_)
        ]
        rounds.append(tuple(request for request in requests if request))
    return Binding(tuple(rounds)) if rounds and all(rounds) else None
