"""Whether a JSON pointer leads to a value of a Protocol Buffers message."""

from collections.abc import Collection

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from wirelab.close_match import close_match, one_of
from wirelab.domain import pointer
from wirelab.protocol.base import Mistake
from wirelab.protocol.key_case import to_snake
from wirelab.protocol.protobuf import SPECIAL_IN_JSON, WELL_KNOWN, WRAPPERS

OPEN: Collection[str] = {f"{WELL_KNOWN}{name}" for name in (*SPECIAL_IN_JSON, "Any")}
"""The messages whose JSON form does not have their fields: nothing is known about its keys."""
SINGLE: Collection[str] = {f"{WELL_KNOWN}{name}" for name in WRAPPERS}
"""The messages whose JSON form is a single value."""


def mistake_in_answer(message: Descriptor, written: str, *, streams: bool) -> Mistake | None:
    """Return why a pointer leads to no value of a message, or of the list of them if it `streams`.

    A key may be in snake case although the field is not: the domain's own keys are.
    """
    node: Descriptor | None = message
    is_list, is_map = streams, False
    tokens = pointer.parts(written)
    for number, token in enumerate(tokens):
        before = pointer.join(tokens[:number])
        if is_list:
            if token != pointer.STAR and not token.isdecimal():
                stream = "first, since the answer is a stream"
                where = f"after {before}, which is a list" if before else stream
                return Mistake("answer", written, f"an index or * {where}")
            is_list = False
        elif is_map:
            is_map = False
        elif node is None:
            return Mistake("answer", written, f"no key after {before}, which is a single value")
        elif node.full_name in OPEN:
            return None
        else:
            fields = {name: it for it in node.fields for name in (to_snake(it.name), it.name)}
            if token not in fields:
                where = f" after {before}" if before else ""
                known = [each.name for each in node.fields]
                expected = f"a field of {node.full_name}{where}: {one_of(known)}"
                return Mistake("answer", written, expected, close_match(token, known))
            node, is_list, is_map = _below(fields[token])
    return None


def _below(field: FieldDescriptor) -> tuple[Descriptor | None, bool, bool]:
    """Return the message that a field contains, if any, and whether it is in a list or a map."""
    entry: Descriptor | None = field.message_type
    is_map = entry is not None and entry.GetOptions().map_entry
    if entry is not None and is_map:
        entry = entry.fields_by_name["value"].message_type
    message = None if entry is None or entry.full_name in SINGLE else entry
    return message, field.is_repeated and not is_map, is_map
