"""Read a WSDL: the operations of its first SOAP port."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import etree
from zeep.xsd import ComplexType, Element
from zeep.xsd.types import builtins

from wirelab.inputs.problems import Problem, ProblemsError
from wirelab.protocol.message import InterfaceError
from wirelab.protocol.soap import soap_ports
from wirelab.scaffold.descriptions.given import NO_DETAILS, Details
from wirelab.scaffold.descriptions.offer import LeftOut, Offer, OfferedInterface, Parameter, path_of
from wirelab.scaffold.descriptions.proto import effect_by_name
from wirelab.scaffold.lists import answers_list
from wirelab.scaffold.names import operation_name
from wirelab.scaffold.querying.draws import PLAIN
from wirelab.terminal.words import first_few

DEEPEST = 5
CLOSED = {"additionalProperties": False}


def read_wsdl(file: Path, details: Details = NO_DETAILS) -> OfferedInterface:
    """Read the operations of a WSDL. Raises `ProblemsError` if it is invalid or incomplete."""
    try:
        (port, *others), remarks = soap_ports(file)
    except InterfaceError as error:
        raise ProblemsError([Problem.unreadable(file, "a valid WSDL", error)]) from None
    offers: list[Offer] = []
    left_out: list[LeftOut] = []
    names: set[str] = set()
    operations = port.binding.all()
    for name, operation in operations.items():
        if operation.output is None:
            left_out.append(LeftOut(str(name), "has no answer: it is one-way"))
            continue
        if operation.input is None:
            left_out.append(LeftOut(str(name), "has no request: it is a notification"))
            continue
        body = operation.input.body
        if body is not None and not isinstance(body.type, ComplexType):
            left_out.append(LeftOut(str(name), "has a request that is one value, without parts"))
            continue
        try:
            offers.append(_offer(str(name), operation, names, details))
        except (AttributeError, TypeError, KeyError, ValueError, RecursionError) as error:
            left_out.append(LeftOut(str(name), f"has a message that cannot be read: {error}"))
    left_out += [
        LeftOut(str(name), f"is of another port, {each.name}")
        for each in others
        for name in each.binding.all()
        if name not in operations
    ]
    notes = (f"zeep leaves out what is not valid: {first_few(remarks)}",) if remarks else ()
    path = path_of(str((port.binding_options or {}).get("address") or ""))
    return OfferedInterface("soap", tuple(offers), tuple(left_out), notes, path)


def _offer(name: str, operation: Any, names: set[str], details: Details) -> Offer:
    body = operation.input.body
    parts = list(body.type.elements) if body is not None else []
    parameters = tuple(
        Parameter(
            str(part),
            _kind(element.type),
            examples=_examples(element.type),
            schema=_schema(element.type, DEEPEST),
        )
        for part, element in parts
        if part is not None and (not element.is_optional or details.has_values(str(part)))
    )
    output = operation.output.body
    declared = details.is_read(name)
    values = dict(_leaves(output.type, "", DEEPEST)) if output is not None else {}
    return Offer(
        protocol="soap",
        name=operation_name(name, names),
        summary=name,
        effect="read" if declared else effect_by_name(name),
        is_guessed=not declared,
        parameters=parameters,
        binding={
            "operation": name,
            **(
                {"message": {parameter.name: f"{{{parameter.name}}}" for parameter in parameters}}
                if parameters
                else {}
            ),
        },
        answer=values,
        lists=answers_list(values),
        names=(name,),
    )


def _leaves(kind: Any, path: str, depth: int) -> Iterator[tuple[str, str]]:
    if not isinstance(kind, ComplexType):
        if path:
            yield path.removeprefix("/"), _kind(kind)
        return
    if depth == 0:
        return
    for name, element in kind.elements:
        if name is None or not hasattr(element, "type"):
            continue
        repeated = "/*" if getattr(element, "accepts_multiple", False) else ""
        yield from _leaves(element.type, f"{path}/{name}{repeated}", depth - 1)


def _kind(kind: Any) -> str:
    for known, word in (
        (builtins.Boolean, "boolean"),
        (builtins.Integer, "integer"),
        (builtins.Decimal, "number"),
        (builtins.Float, "number"),
        (builtins.Double, "number"),
        (ComplexType, "object"),
    ):
        if isinstance(kind, known):
            return word
    return "string"


def _schema(kind: Any, depth: int) -> dict[str, Any]:
    """Return a JSON schema of the minimal value of a type; {} if none is known."""
    if not isinstance(kind, ComplexType):
        return dict(PLAIN.get(_kind(kind), {}))
    members: dict[str, Any] = {}
    for name, member in kind.elements if depth else ():
        if name is None or not isinstance(member, Element) or member.is_optional:
            continue
        inner = _schema(member.type, depth - 1)
        several = {"type": "array", "items": inner, "minItems": 1, "maxItems": 2}
        members[str(name)] = several if member.accepts_multiple else inner
    if not depth or not all(members.values()):
        return {}
    return {"type": "object", "properties": members, "required": list(members)} | CLOSED


def _examples(kind: Any) -> tuple[object, ...]:
    return (True, False) if isinstance(kind, builtins.Boolean) else ()


def copy_with_imports(file: Path, folder: Path) -> Path:
    """Copy a WSDL and the documents beside it that it includes, at their relative paths."""
    target = folder / file.name
    shutil.copyfile(file, target)
    waiting, seen = [file], {file.resolve()}
    while waiting:
        here = waiting.pop()
        for location in _locations(here):
            imported = _local(here.parent, location)
            if imported is None or imported in seen:
                continue
            seen.add(imported)
            if imported.is_relative_to(file.parent.resolve()):
                goal = folder / imported.relative_to(file.parent.resolve())
                goal.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(imported, goal)
                waiting.append(imported)
    return target


def _local(folder: Path, location: str) -> Path | None:
    """Return the file that a location means; None for one of another kind, such as an address."""
    if "://" in location:
        return None
    try:
        path = (folder / location).resolve()
        return path if path.is_file() else None
    except (OSError, ValueError):  # such as an IOR of CORBA, which is longer than any name
        return None


def _locations(file: Path) -> list[str]:
    """Return the references of a document: none if it is not XML, which its reader reports."""
    try:
        tree = etree.parse(str(file), etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:
        return []
    locations = (
        element.get("schemaLocation") or element.get("location") for element in tree.iter()
    )
    return [location for location in locations if location]
