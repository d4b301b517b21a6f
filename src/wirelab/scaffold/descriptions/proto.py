"""Read gRPC services: unary methods, from .proto files or by server reflection."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from google.protobuf import message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.descriptor_pb2 import MethodOptions

from wirelab.domain.model import Effect
from wirelab.inputs.problems import Problem, ProblemsError
from wirelab.protocol.grpc import PROTOCOL, Services
from wirelab.protocol.message import InterfaceError
from wirelab.scaffold.descriptions.given import NO_DETAILS, Details
from wirelab.scaffold.descriptions.offer import LeftOut, Offer, OfferedInterface, Parameter
from wirelab.scaffold.lists import answers_list
from wirelab.scaffold.names import KEYS, LIMIT, LIMITS, operation_name, spelled, words

DEEPEST = 5
READING = {"get", "list", "read", "search", "find", "query", "fetch", "lookup", "describe", "show"}
READING |= {"retrieve"}
"""Words that begin the names of reads. Not among them: `check`, `load` and `count`, which begin the
names of reads and of writes alike (CheckIn, LoadData, CountDown)."""
WRITING = {"and", "or", "then", "create", "add", "insert", "update", "upsert", "set", "increment"}
WRITING |= {"delete", "remove", "reset", "clear", "lock", "acquire", "claim", "next", "pop"}
"""Words that no name of a read contains: GetOrCreate, FetchAndLock, GetNextNumber."""
REQUIRED = 2
"""The number of google.api.FieldBehavior.REQUIRED."""
OPTIONAL = {"page_token", "filter", "order_by", "read_mask", "field_mask", "view", "parent_filter"}


def read_proto(file: Path, details: Details = NO_DETAILS) -> OfferedInterface:
    """Read the operations of services, from a .proto or from descriptors.

    Raises `ProblemsError` if there are none.
    """
    try:
        return offers_of(PROTOCOL.read(file), details)
    except InterfaceError as error:
        raise ProblemsError([Problem.unreadable(file, "a valid .proto file", error)]) from None


def offers_of(services: Services, details: Details = NO_DETAILS) -> OfferedInterface:
    """Return the operations of services."""
    offers, left_out = [], []
    taken: set[str] = set()
    several = _names_of_several(services)
    for full, method in services.methods.items():
        if full.startswith(("grpc.reflection.", "grpc.health.")):
            continue
        if method.client_streaming or method.server_streaming:
            left_out.append(LeftOut(full, "streams"))
            continue
        service = method.containing_service.name
        name = f"{service}_{method.name}" if method.name in several else method.name
        offers.append(_offer(full, method, operation_name(name, taken), details))
    return OfferedInterface("grpc", tuple(offers), tuple(left_out))


def _names_of_several(services: Services) -> set[str]:
    """Return the names of methods that several services have."""
    counted = Counter(method.name for method in services.methods.values())
    return {name for name, count in counted.items() if count > 1}


def _offer(full: str, method: MethodDescriptor, name: str, details: Details) -> Offer:
    parameters = [
        Parameter(field.name, _written(field), examples=_examples(field), schema=_schema(field))
        for field in _chosen(method.input_type, details)
    ]
    values = dict(_leaves(method.output_type, "", DEEPEST, frozenset()))
    names = full, full.rpartition("/")[0].rpartition(".")[2] + "/" + method.name, method.name
    declared: Effect | None = "read" if details.is_read(*names) else declared_effect(method)
    return Offer(
        protocol="grpc",
        name=name,
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
        names=names,
    )


def declared_effect(method: MethodDescriptor) -> Effect | None:
    """Return the effect that options declare: `idempotency_level`, or a GET of google.api.http.

    None if neither does.
    """
    level = method.GetOptions().idempotency_level
    if level == MethodOptions.IDEMPOTENT:
        return "write"
    http = _option(method, "google.api.http")
    gets = http is not None and http.WhichOneof("pattern") == "get"
    return "read" if gets or level == MethodOptions.NO_SIDE_EFFECTS else None


def _option(described: Any, name: str) -> Any:
    """Return a custom option of a field or a method; None if its file does not know that."""
    options = described.GetOptions()
    owner = described.containing_service if isinstance(described, MethodDescriptor) else described
    pool = owner.file.pool
    try:
        extension = pool.FindExtensionByName(name)
        form = pool.FindMessageTypeByName(options.DESCRIPTOR.full_name)
    except KeyError:
        return None
    parsed: Any = message_factory.GetMessageClass(form).FromString(options.SerializeToString())
    return parsed.Extensions[extension]


def effect_by_name(name: str) -> Effect:
    """Guess from the words of its name whether an operation only reads; if unknown, it may write.

    A leading `batch` is ignored, as in `BatchGetItems`.
    """
    named = words(name)
    if named[:1] == ["batch"]:
        del named[0]
    is_read = named and named[0] in READING and WRITING.isdisjoint(named)
    return "read" if is_read else "write"


def _chosen(message: Descriptor, details: Details) -> list[FieldDescriptor]:
    """Return the fields that a request sets: those with values of the user, and required ones.

    Without any, plain texts and numbers, since proto3 does not say what a request needs. Flags and
    enumerations stay unset, unless there is nothing else.
    """
    fields = list(message.fields)
    needed = [each for each in fields if _is_required(each) or details.has_values(each.name)]
    if needed:
        return needed
    scalars = [field for field in fields if not field.is_repeated and field.message_type is None]
    plain = [field for field in scalars if _kind(field) not in ("boolean", "enum")]
    always = [
        field for field in plain if field.containing_oneof is None and field.name not in OPTIONAL
    ]
    keys = [field for field in plain if words(field.name)[-1:] and words(field.name)[-1] in KEYS]
    return always or keys[:1] or [field for field in scalars if field.enum_type is not None]


def _is_required(field: FieldDescriptor) -> bool:
    """Return whether a field is required, by proto2 or by google.api.field_behavior."""
    if field.is_required:
        return True
    is_plain = field.message_type is None and not field.is_repeated
    return is_plain and REQUIRED in (_option(field, "google.api.field_behavior") or ())


def _schema(field: FieldDescriptor) -> dict[str, Any]:
    """Return the schema to draw values from: of bytes, those that are text as Base64."""
    is_bytes = field.type == FieldDescriptor.TYPE_BYTES
    return {"type": "string", "pattern": "^([a-z0-9]{4}){1,3}$"} if is_bytes else {}


def _written(field: FieldDescriptor) -> str:
    """Return the kind of a parameter that is a whole field."""
    entry: Descriptor | None = field.message_type
    is_map = entry is not None and entry.GetOptions().map_entry
    return "array" if field.is_repeated and not is_map else _kind(field)


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
    if spelled(field.name) in LIMITS and _kind(field) == "integer":
        return (LIMIT,)
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
