"""Check the operations of a domain against the native descriptions of its interface."""

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wirelab.domain.kinds import LIST, OF_CONSTANT, TABLE, WHOLE, Kinds, kind_of
from wirelab.domain.model import Binding, Data, Domain, Interface, Operation
from wirelab.domain.parameters import ConstantValue, NewRow, NewRows, StoredRow, parse
from wirelab.domain.read import Reader
from wirelab.inputs.problems import Problem, add_problems, shown
from wirelab.protocol import registry
from wirelab.protocol.message import InterfaceError


@dataclass(slots=True)
class OperationFacts:
    """What the descriptions of all protocols say about one operation."""

    kinds: list[Mapping[str, Kinds]] = field(default_factory=list)
    """The kinds of values that parameters take, by description and request."""
    headers: dict[str, Mapping[str, Problem]] = field(default_factory=dict)
    """See `Operation.missing_headers`."""


def check_bindings(
    reader: Reader,
    bindings: Mapping[str, Mapping[str, Binding]],
    interface: Interface,
    *,
    declared: Collection[str],
    data: Data | None,
    base: Domain | None = None,
) -> dict[str, OperationFacts]:
    """Check every binding against the native description of its protocol.

    Returns what the descriptions say about each operation that one of them describes.

    `declared` are the protocols that name a description, whether the file exists or not. If the
    data are the servers' own, protocols that need no description may do without. What a dialect
    inherits from its valid `base` is not checked again, because compiling descriptions takes long.
    """
    described: dict[str, OperationFacts] = {
        operation: OperationFacts(
            [base.operations[operation].kinds], dict(base.operations[operation].missing_headers)
        )
        for operation in bindings
        if base and operation in base.operations
    }
    for name in registry.NAMES:
        bound = {
            operation: each[name]
            for operation, each in bindings.items()
            if name in each and not (base and _is_of(base, interface, name, operation, each[name]))
        }
        protocol = registry.get(name) if bound else None
        if protocol is None or not protocol.description:
            continue
        own = data is not None and not data.generator
        if name not in declared and not (own and protocol.describes_itself):
            listed = f"these are bound to {name}: {', '.join(bound)}"
            reader.problem(f"interface.{name}", None, f"the {protocol.description}, for {listed}")
        if name not in interface.files:
            continue
        try:
            description = protocol.read(interface.files[name])
        except InterfaceError as error:
            kind = f"a valid {protocol.description}"
            add_problems([Problem.unreadable(shown(interface.files[name]), kind, error)])
            continue
        for operation, binding in bound.items():
            of_operation = described.setdefault(operation, OperationFacts())
            lacking: dict[str, Problem] = {}
            for path, _, request in binding.requests():
                key = f"operation.{operation}.{name}{path}"
                mistakes = list(protocol.mistakes(description, request))
                case = interface.case(name)
                for mistake in (*mistakes, *protocol.wrong_answer(description, request, case)):
                    value = mistake.value
                    if isinstance(value, Path):
                        value = os.path.relpath(value, reader.folder)
                    reader.problem(f"{key}.{mistake.key}", value, mistake.expected, mistake.hint)
                if not mistakes:
                    of_operation.kinds.append(protocol.kinds(description, request))
                for header, mistake in protocol.missing_headers(description, request):
                    place = f"{key}.{mistake.key}"
                    problem = Problem(reader.where, place, None, mistake.expected, mistake.hint)
                    lacking.setdefault(header.lower(), problem)
            of_operation.headers[name] = lacking
    return described


def counts(operation: Operation) -> dict[str, Kinds]:
    """Return the parameters of an operation that count rows, with their kind."""
    sources = map(parse, operation.parameters.values())
    return {source.count: WHOLE for source in sources if isinstance(source, NewRows)}


def of_sources(operation: Operation) -> dict[str, Kinds]:
    """Return the kinds of parameters by their sources, if no description of a protocol has them.

    The kind of a column is only known once its rows are generated.
    """
    kinds: dict[str, Kinds] = {}
    if any(registry.get(protocol).description for protocol in operation.bindings):
        return kinds
    for parameter, written in operation.parameters.items():
        match parse(written):
            case StoredRow() | NewRow():
                kinds[parameter] = TABLE
            case NewRows():
                kinds[parameter] = LIST
            case ConstantValue(value=value) if kind := kind_of(value):
                kinds[parameter] = OF_CONSTANT[kind]
    return kinds


def check_constants(reader: Reader, operations: Mapping[str, Operation]) -> None:
    """Check that constant parameters have a kind that the descriptions of the interface allow."""
    for name, operation in operations.items():
        for parameter, written in operation.parameters.items():
            source = parse(written)
            if not isinstance(source, ConstantValue):
                continue
            if expected := operation.why_unfit(parameter, source.value):
                reader.problem(f"operation.{name}.parameters.{parameter}", written, expected)


def _is_of(
    base: Domain, interface: Interface, protocol: str, operation: str, binding: Binding
) -> bool:
    known = base.operations.get(operation)
    return (
        known is not None
        and known.bindings.get(protocol) == binding
        and base.interface.files.get(protocol) == interface.files.get(protocol)
    )
