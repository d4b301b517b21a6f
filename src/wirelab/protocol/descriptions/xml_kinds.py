"""The kinds of values that the parts of a SOAP message take, by their XML Schema types."""

from collections.abc import Iterator, Mapping

from zeep.xsd import ComplexType, Element
from zeep.xsd.types import builtins
from zeep.xsd.types.collection import ListType

from wirelab.domain.kinds import BOOLEAN, LIST, NUMBER, TABLE, WHOLE, Kinds
from wirelab.protocol.key_case import to_camel
from wirelab.protocol.template import parameter_of

OF_TYPE: tuple[tuple[type, Kinds], ...] = (
    (builtins.Boolean, BOOLEAN),
    (builtins.Integer, WHOLE),  # before Decimal, from which it is derived
    (builtins.Decimal, NUMBER),
    (builtins.Float, NUMBER),
    (builtins.Double, NUMBER),
    (ListType, LIST),
)
"""The kinds of values of simple types and of types derived from them.

Others may have any value, since every value is a text in XML.
"""


def kinds_in_parts(body: ComplexType, message: Mapping[str, object]) -> Iterator[tuple[str, Kinds]]:
    """Yield the parameters that are whole parts of a message, and the kinds of their values."""
    declared = {name: it for name, it in body.elements if isinstance(it, Element)}
    for key, value in message.items():
        part = declared.get(key) or declared.get(to_camel(key))
        if part is None:
            continue
        name, kinds = parameter_of(value), _kinds(part)
        if name and kinds:
            yield name, kinds
        elif isinstance(value, Mapping) and isinstance(part.type, ComplexType):
            yield from kinds_in_parts(part.type, value)


def _kinds(part: Element) -> Kinds | None:
    """Return the kinds of JSON values of an element; None if its type may have any."""
    kinds = next((kinds for known, kinds in OF_TYPE if isinstance(part.type, known)), None)
    if isinstance(part.type, ComplexType):
        has_text = any(name is None or name == "_value_1" for name, _ in part.type.elements)
        kinds = None if has_text else TABLE
    return kinds | LIST if kinds and part.accepts_multiple else kinds
