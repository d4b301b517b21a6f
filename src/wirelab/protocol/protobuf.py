"""Protocol Buffers messages as JSON-like values, without what JSON loses.

The official mapping to JSON writes 64-bit integers as strings and leaves out fields that are zero;
here integers are integers, and a field without presence is always there.
"""

import base64
from typing import Any

from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message


def to_value(message: Message) -> object:
    """Return a message as a dictionary with the field names of the .proto.

    Enumerations are names, bytes are Base64, and the well-known types are what JSON makes of them.
    """
    if message.DESCRIPTOR.full_name.startswith("google.protobuf."):
        return json_format.MessageToDict(message)
    return {
        field.name: _field(field, getattr(message, field.name))
        for field in message.DESCRIPTOR.fields
        if not field.has_presence or message.HasField(field.name)
    }


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
