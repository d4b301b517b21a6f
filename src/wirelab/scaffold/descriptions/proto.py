"""Read gRPC services: unary methods, from .proto files or by server reflection."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.descriptor_pb2 import MethodOptions

from wirelab.domain.model import Effect
from wirelab.inputs.problems import Problem, ProblemsError
from wirelab.protocol.grpc import PROTOCOL, Services
from wirelab.protocol.message import InterfaceError
from wirelab.scaffold.descriptions.offer import LeftOut, Offer, OfferedInterface, Parameter
from wirelab.scaffold.lists import answers_list
from wirelab.scaffold.names import operation_name, words

DEEPEST = 5
READING = {"get", "list", "read", "search", "find", "query", "fetch", "lookup", "describe", "show"}
READING |= {"retrieve"}
"""Words that begin the names of reads. Not among them: `check`, `load` and `count`, which begin the
names of reads and of writes alike (CheckIn, LoadData, CountDown)."""
WRITING = {"and", "or", "then", "create", "add", "insert", "update", "upsert", "set", "increment"}
WRITING |= {"delete", "remove", "reset", "clear", "lock", "acquire", "claim", "next", "pop"}
"""Words that no name of a read contains: GetOrCreate, FetchAndLock, GetNextNumber."""
PAGES = {"page_size": 20, "limit": 20, "max_results": 20, "first": 20, "count": 20}
OPTIONAL = {"page_token", "filter", "order_by", "read_mask", "field_mask", "view", "parent_filter"}


def read_proto(file: Path) -> OfferedInterface:
    """Read the operations of a .proto file. Raises `ProblemsError` if it has no services."""
    try:
        return offers_of(PROTOCOL.read(file))
    except InterfaceError as error:
        raise ProblemsError([Problem(str(file), "", str(error)[:500], "a .proto file")]) from None


def offers_of(services: Services) -> OfferedInterface:
    """Return the operations of services."""
    offers, left_out = [], []
    names: set[str] = set()
    for full, method in services.methods.items():
        if method.client_streaming or method.server_streaming:
            left_out.append(LeftOut(full, "streams"))
        elif not full.startswith(("grpc.reflection.", "grpc.health.")):
            offers.append(_offer(full, method, names))
    return OfferedInterface("grpc", tuple(offers), tuple(left_out))


def _offer(full: str, method: MethodDescriptor, names: set[str]) -> Offer:
    parameters = [
        Parameter(field.name, _kind(field), examples=_examples(field))
        for field in method.input_type.fields
        if _is_parameter(field)
    ]
    values = dict(_leaves(method.output_type, "", DEEPEST, frozenset()))
    declared = declared_effect(method)
    return Offer(
        protocol="grpc",
        name=operation_name(method.name, names),
        summary=full,
        effect=declared or effect_by_name(method.name),
        is_guessed=declared is None,
        parameters=tuple(parameters),
        binding={
            "method": full,
            "message": {parameter.name: f"{{{parameter.name}}}" for parameter in parameters},
        },
        answer=values,
        lists=answers_list(values),
    )


def declared_effect(method: MethodDescriptor) -> Effect | None:
    """Return the effect that `option idempotency_level` declares; None without the option."""
    level = method.GetOptions().idempotency_level
    effects: dict[int, Effect] = {
        MethodOptions.NO_SIDE_EFFECTS: "read",
        MethodOptions.IDEMPOTENT: "write",
    }
    return effects.get(level)


def effect_by_name(name: str) -> Effect:
    """Guess from the words of its name whether an operation only reads; if unknown, it may write.

    A leading `batch` is ignored, as in `BatchGetItems`.
    """
    named = words(name)
    if named[:1] == ["batch"]:
        del named[0]
    is_read = named and named[0] in READING and WRITING.isdisjoint(named)
    return "read" if is_read else "write"


def _is_parameter(field: FieldDescriptor) -> bool:
    """Return whether a request needs a field: scalar ones that are neither lists nor optional."""
    optional = field.name in OPTIONAL or (field.has_presence and field.message_type is None)
    of_choice = field.containing_oneof is not None
    return not (field.is_repeated or field.message_type is not None or optional or of_choice)


def _kind(field: FieldDescriptor) -> str:
    if field.enum_type is not None:
        return "enum"
    return {
        FieldDescriptor.CPPTYPE_BOOL: "boolean",
        FieldDescriptor.CPPTYPE_STRING: "string",
        FieldDescriptor.CPPTYPE_FLOAT: "number",
        FieldDescriptor.CPPTYPE_DOUBLE: "number",
        FieldDescriptor.CPPTYPE_MESSAGE: "object",
    }.get(field.cpp_type, "integer")


def _examples(field: FieldDescriptor) -> tuple[object, ...]:
    if field.enum_type is not None:
        return tuple(value.name for value in field.enum_type.values if value.number)
    if field.name in PAGES and _kind(field) == "integer":
        return (PAGES[field.name],)
    return (True, False) if _kind(field) == "boolean" else ()


def _leaves(
    message: Descriptor, path: str, depth: int, above: frozenset[str]
) -> Iterator[tuple[str, str]]:
    if not depth or message.full_name in above:
        return
    for field in message.fields:
        leaf = f"{path}/{field.name}" + ("/*" if field.is_repeated else "")
        inner = field.message_type
        if inner is None or inner.full_name.startswith("google.protobuf."):
            yield leaf.removeprefix("/"), _kind(field)
        else:
            yield from _leaves(inner, leaf, depth - 1, above | {message.full_name})


def copy_with_imports(file: Path, folder: Path) -> Path:
    """Copy a .proto and its imports into a folder, at the paths of the imports.

    Imports from outside the folder are not copied.
    """
    roots = [file.parent, *file.parents]
    target = folder / file.name
    shutil.copyfile(file, target)
    waiting, seen = [file], {file.name}
    while waiting:
        for name in _imports(waiting.pop()):
            source = next((root / name for root in roots if (root / name).is_file()), None)
            goal = (folder / name).resolve()
            if source is None or name in seen or not goal.is_relative_to(folder.resolve()):
                continue  # The compiler includes google's own, and reports missing files.
            seen.add(name)
            goal.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, goal)
            waiting.append(source)
    return target


def _imports(file: Path) -> list[str]:
    text = file.read_text(encoding="utf-8", errors="replace")
    form = r'(?:^|;)\s*import\s+(?:public\s+|weak\s+)?"([^"]+)"'
    return re.findall(form, text, re.MULTILINE)
