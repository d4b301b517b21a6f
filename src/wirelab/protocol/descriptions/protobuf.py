"""Protocol Buffers messages as JSON-like values, without the losses of the JSON mapping.

The official mapping to JSON writes 64-bit integers as strings and omits fields that are zero; here
integers are integers, and a field without presence always has a value.
"""

import base64
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Any

from google.protobuf import json_format, message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message

from wirelab.domain.kinds import BOOLEAN, LIST, NUMBER, TABLE, TEXT, WHOLE, Kinds
from wirelab.protocol.template import parameter_of

WELL_KNOWN = "google.protobuf."
SPECIAL_IN_JSON = {"Duration", "FieldMask", "ListValue", "Struct", "Timestamp", "Value"}
WRAPPED = ("Bool", "Bytes", "Double", "Float", "Int32", "Int64", "String", "UInt32", "UInt64")
WRAPPERS = {f"{kind}Value" for kind in WRAPPED}
OF_CPP_TYPE: Mapping[int, Kinds] = {
    **dict.fromkeys(
        (
            FieldDescriptor.CPPTYPE_INT32,
            FieldDescriptor.CPPTYPE_INT64,
            FieldDescriptor.CPPTYPE_UINT32,
            FieldDescriptor.CPPTYPE_UINT64,
        ),
        WHOLE,
    ),
    FieldDescriptor.CPPTYPE_FLOAT: NUMBER,
    FieldDescriptor.CPPTYPE_DOUBLE: NUMBER,
    FieldDescriptor.CPPTYPE_BOOL: BOOLEAN,
    FieldDescriptor.CPPTYPE_STRING: TEXT,
}
"""The kinds of values of a scalar field; a string of the C++ type may be bytes."""


def to_value(message: Message) -> Any:
    """Return a message as a dictionary with the field names of the .proto.

    Extensions have their full names in brackets. Enumerations are names, bytes are Base64, a
    wrapper is its value, and the other well-known types are as in JSON. Raises `ValueError`,
    `TypeError` or `json_format.Error` if a value has no JSON form, such as a time after the year
    9999.
    """
    kind = message.DESCRIPTOR.full_name
    known = kind.removeprefix(WELL_KNOWN) if kind.startswith(WELL_KNOWN) else ""
    if known in SPECIAL_IN_JSON:
        return json_format.MessageToDict(message)
    if known == "Any":
        return _any(message)
    fields = {
        name: read(getattr(message, name)) if read else getattr(message, name)
        for name, has_presence, read in _readers(message.DESCRIPTOR)
        if not has_presence or message.HasField(name)
    }
    if message.DESCRIPTOR.is_extendable:
        fields |= {
            f"[{field.full_name}]": _field(field, value)
            for field, value in message.ListFields()
            if field.is_extension
        }
    return fields["value"] if known in WRAPPERS else fields


def kinds_in_message(
    message: Descriptor, template: Mapping[str, object]
) -> Iterator[tuple[str, Kinds]]:
    """Yield the parameters that are whole fields of a message, and the kinds of their values."""
    spelled = {name: field for field in message.fields for name in (field.json_name, field.name)}
    for key, value in template.items():
        field = spelled.get(key)
        if field is None:
            continue
        name, kinds = parameter_of(value), _kinds(field)
        if name and kinds:
            yield name, kinds
        elif isinstance(value, Mapping) and field.message_type and kinds == TABLE:
            yield from kinds_in_message(field.message_type, value)


def _kinds(field: FieldDescriptor) -> Kinds | None:
    """Return the kinds of JSON values of a field; None if its JSON form is special."""
    entry: Descriptor | None = field.message_type
    if entry is not None and entry.GetOptions().map_entry:
        return TABLE
    if field.is_repeated:
        return LIST
    if entry is not None:
        return None if entry.full_name.startswith(WELL_KNOWN) else TABLE
    return TEXT | WHOLE if field.enum_type is not None else OF_CPP_TYPE[field.cpp_type]


def _any(message: Any) -> dict[str, object]:
    """Return the contained message with its type, or its bytes if its type is unknown."""
    if not message.type_url:
        return {}
    pool = message.DESCRIPTOR.file.pool
    try:
        inner = pool.FindMessageTypeByName(message.type_url.rpartition("/")[2])
        value = to_value(message_factory.GetMessageClass(inner).FromString(message.value))
    except (KeyError, DecodeError):
        value = base64.b64encode(message.value).decode()
    fields = value if isinstance(value, dict) else {"value": value}
    return {"@type": message.type_url, **fields}


@lru_cache(maxsize=1024)  # an answer has few types of messages, but may have very many messages
def _readers(message: Descriptor) -> list[tuple[str, bool, Callable[[Any], object] | None]]:
    """Return each field's name, whether it has presence, and how its value becomes JSON-like.

    None stands for values that stay as they are.
    """
    return [(field.name, field.has_presence, _reader(field)) for field in message.fields]


def _reader(field: FieldDescriptor) -> Callable[[Any], object] | None:
    stays = (
        field.message_type is None
        and field.enum_type is None
        and field.type != FieldDescriptor.TYPE_BYTES
    )
    return None if stays and not field.is_repeated else partial(_field, field)


def _field(field: FieldDescriptor, value: Any) -> object:
    entry: Descriptor | None = field.message_type
    if entry is not None and entry.GetOptions().map_entry:
        of_value = entry.fields_by_name["value"]
        return {_key(key): _single(of_value, item) for key, item in value.items()}
    if field.is_repeated:
        return [_single(field, item) for item in value]
    return _single(field, value)


def _single(field: FieldDescriptor, value: object) -> object:
    if isinstance(value, Message):
        return to_value(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if field.enum_type is not None and isinstance(value, int):
        known = field.enum_type.values_by_number.get(value)
        return known.name if known else value
    return value


def _key(key: object) -> str:
    return str(key).lower() if isinstance(key, bool) else str(key)
