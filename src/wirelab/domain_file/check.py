"""Check a domain file beyond its schema: names exist, and descriptions are consistent."""

import os
import re
from collections.abc import Collection, Mapping

from wirelab.domain.checks import Look, Outage, Sequence, Step
from wirelab.domain.model import COUNT, PYTHON, Data, Operation, RequestTemplate
from wirelab.domain.parameters import NewRows, is_new, parse, unknown_count, unknown_table
from wirelab.domain.read import Reader
from wirelab.inputs.close_match import another_key, close_match, one_of
from wirelab.protocol.template import names, texts

_FILE = re.compile(r"[\w./-]+\.[A-Za-z]+")
"""An argument of a command that looks like a file."""
ITEM = "item"
"""The name that a repeated request of a later round uses for the current value."""


def check_operations(
    reader: Reader, operations: Mapping[str, Operation], data: Data | None
) -> None:
    """Check the parameters of operations, of their error cases and of their bindings."""
    for name, operation in operations.items():
        key = f"operation.{name}"
        for parameter, written in operation.parameters.items():
            drawn = data is not None and bool(data.generator)
            if data and drawn and not data.queries and written is None:
                expected = 'a source of values, such as "game.id", since a generator writes rows'
                reader.problem(f"{key}.parameters.{parameter}", None, expected)
                continue
            table = unknown_table(written, data.tables) if data and drawn else None
            if table is not None and data:
                expected = f'a table of the domain ({one_of(data.tables)}); "= …" for plain text'
                known = [f"new {each}" for each in data.tables] if is_new(written) else data.tables
                hint = close_match(f"new {table}" if is_new(written) else table, known)
                reader.problem(f"{key}.parameters.{parameter}", written, expected, hint)
            if data and drawn and not data.extra and is_new(written):
                _no_new_rows(reader, f"{key}.parameters.{parameter}", written, data)
            count = unknown_count(written, operation.parameters)
            if count is not None:
                others = set(operation.parameters) - {parameter}
                expected = f"in brackets the parameter that counts the rows: {one_of(others)}"
                hint = close_match(count, others)
                reader.problem(f"{key}.parameters.{parameter}", written, expected, hint)
        for number, case in enumerate(operation.errors):
            place = f"{key}.errors.{number}.parameters"
            check_keys(reader, place, case.parameters, operation.parameters)
        for protocol, binding in operation.bindings.items():
            for path, number, request in binding.requests():
                _check_template(reader, f"{key}.{protocol}{path}", number, request, operation)


def check_used(reader: Reader, operations: Mapping[str, Operation]) -> None:
    """Check that each parameter of an operation is sent, or counts the rows of another."""
    for name, operation in operations.items():
        used = {
            each
            for binding in operation.bindings.values()
            for _, _, request in binding.requests()
            for each in names(request.model_dump())
        }
        sources = map(parse, operation.parameters.values())
        used |= {source.count for source in sources if isinstance(source, NewRows)}
        for parameter in sorted(set(operation.parameters) - used) if operation.bindings else ():
            expected = f"a binding that sends it as {{{parameter}}}, or no such parameter"
            written = operation.parameters[parameter]
            reader.problem(f"operation.{name}.parameters.{parameter}", written, expected)


def _no_new_rows(reader: Reader, key: str, written: object, data: Data) -> None:
    if data.size == COUNT:
        expected = f"at least 1, since {key} takes {written!r}"
        reader.problem("data.extra", data.extra, expected)
    else:
        expected = f"rows of the store: with {data.size} as the size, there are none beyond them"
        reader.problem(key, written, expected)


def check_generator(reader: Reader, data: Data) -> None:
    """Check the placeholder of a generator in Python, and that its script exists."""
    for key, command in (("generator", data.generator), ("queries", data.queries)):
        interpreter, *arguments = command or ("",)
        if interpreter.startswith("{") and interpreter != PYTHON:
            hint = close_match(interpreter, [PYTHON])
            reader.problem(f"data.{key}.0", interpreter, f"{PYTHON}, or a program", hint)
        script = arguments[0] if interpreter == PYTHON and arguments else ""
        if _FILE.fullmatch(script) and not os.path.isfile(reader.folder / script):
            hint = close_match(script, (entry.name for entry in reader.folder.glob("*")))
            reader.problem(f"data.{key}.1", script, "a file in the domain's folder", hint)


def check_control(
    reader: Reader, operations: Mapping[str, Operation], declared: Collection[str]
) -> None:
    """Check that a domain with a generator has an operation that touches no store.

    `declared` are the names of all operations; one that could not be read may be the control.
    """
    control = any(operation.effect == "none" for operation in operations.values())
    if not control and len(operations) == len(declared):
        expected = 'one with effect = "none": the control, which also shows when a server is ready'
        reader.problem("operation", None, expected)
    for name, operation in operations.items():
        if operation.effect == "none" and operation.parameters:
            expected = 'no parameters, since effect = "none" says that it touches no data'
            written = dict(operation.parameters)
            reader.problem(f"operation.{name}.parameters", written, expected)


def check_sequences(
    reader: Reader,
    sequences: Mapping[str, Sequence],
    operations: Mapping[str, Operation],
    declared: Collection[str],
) -> None:
    """Check that sequences call existing operations, with values remembered before.

    `declared` are the names of all operations, including those that could not be read.
    """
    for name, sequence in sequences.items():
        remembered: set[str] = set()
        for number, step in enumerate(sequence.steps):
            key = f"sequence.{name}.steps.{number}"
            _check_call(reader, key, step, operations, declared)
            check_placeholders(reader, f"{key}.parameters", step.parameters, remembered)
            remembered |= set(step.remember)


def check_outages(
    reader: Reader,
    outages: Mapping[str, Outage],
    operations: Mapping[str, Operation],
    declared: Collection[str],
) -> None:
    """Check that outages call existing operations, and look with remembered values."""
    for name, outage in outages.items():
        _check_call(reader, f"outage.{name}", outage, operations, declared)
        for number, look in enumerate(outage.looks):
            key = f"outage.{name}.looks.{number}"
            _check_call(reader, key, look, operations, declared)
            check_placeholders(reader, f"{key}.parameters", look.parameters, outage.remember)
            if (read := operations.get(look.operation)) and read.effect == "write":
                reader.problem(f"{key}.operation", look.operation, 'one with effect = "read"')


def _check_call(
    reader: Reader,
    key: str,
    call: Step | Look | Outage,
    operations: Mapping[str, Operation],
    declared: Collection[str],
) -> None:
    """Check that an operation exists and has the given parameters."""
    if call.operation not in declared:
        hint = close_match(call.operation, declared)
        reader.problem(f"{key}.operation", call.operation, one_of(declared), hint)
    elif operation := operations.get(call.operation):
        check_keys(reader, f"{key}.parameters", call.parameters, operation.parameters)


def _check_template(
    reader: Reader, key: str, number: int, request: RequestTemplate, operation: Operation
) -> None:
    if request.each and number == 0:
        reader.problem(
            f"{key}.each", request.each, "a later round: the first has no earlier answers"
        )
    if request.into.count("*") > request.each.count("*"):
        expected = f"at most as many * as in each = {request.each!r}, whose matches replace them"
        reader.problem(f"{key}.into", request.into, expected)
    known = {*operation.parameters, *([ITEM] if request.each else [])}
    template = request.model_dump(exclude=set(RequestTemplate.model_fields))
    check_placeholders(reader, key, template, known)


def check_keys(
    reader: Reader, key: str, table: Mapping[str, object], known: Collection[str]
) -> None:
    """Note each key of a table that is not known."""
    for name in sorted(table.keys() - set(known)):
        hint = close_match(name, known)
        reader.problem(f"{key}.{name}", table[name], another_key(known), hint)


def check_placeholders(reader: Reader, key: str, template: object, known: Collection[str]) -> None:
    """Note each text of a template with a placeholder that is not known."""
    braced = [f"{{{each}}}" for each in known]
    for place, text in texts(template, key):
        for name in sorted(names(text) - set(known)):
            expected = f"as placeholder {one_of(braced)}"
            reader.problem(place, text, expected, close_match(f"{{{name}}}", braced))
