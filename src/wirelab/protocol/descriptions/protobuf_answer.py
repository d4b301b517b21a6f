"""The form of the responses that Protocol Buffers messages describe."""

from collections.abc import Collection

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from wirelab.protocol.answer_shape import Entries, Fields, Items, Shape, Single
from wirelab.protocol.descriptions.protobuf import SPECIAL_IN_JSON, WELL_KNOWN, WRAPPERS

OPEN: Collection[str] = {f"{WELL_KNOWN}{name}" for name in (*SPECIAL_IN_JSON, "Any")}
"""The messages whose JSON form does not have their fields: nothing is known about its keys."""
SINGLE: Collection[str] = {f"{WELL_KNOWN}{name}" for name in WRAPPERS}
"""The messages whose JSON form is a single value."""


def shape_of(message: Descriptor) -> Shape:
    """Return the form of a message."""
    if message.full_name in OPEN:
        return None
    if message.full_name in SINGLE:
        return Single()
    fields = {field.name: _Field(field).shape for field in message.fields}
    return Fields(f"a field of {message.full_name}", fields)


class _Field:
    """A field, whose form is created when it is needed, since messages contain themselves."""

    def __init__(self, field: FieldDescriptor) -> None:
        self.field = field

    def shape(self) -> Shape:
        """Return the form of the field's value."""
        message: Descriptor | None = self.field.message_type
        if message is not None and message.GetOptions().map_entry:
            return Entries(_Field(message.fields_by_name["value"]).one)
        return Items(self.one) if self.field.is_repeated else self.one()

    def one(self) -> Shape:
        """Return the form of one value of the field."""
        message: Descriptor | None = self.field.message_type
        return Single() if message is None else shape_of(message)
