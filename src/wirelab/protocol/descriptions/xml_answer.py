"""The form of the responses that XML Schema types describe, as `xml_value` converts them."""

from functools import partial

from zeep.xsd import Attribute, ComplexType, Element
from zeep.xsd.types import AnySimpleType
from zeep.xsd.types.collection import ListType

from wirelab.protocol.answer_shape import Fields, Items, Shape, Single, single


def shape_of(kind: object, what: str) -> Shape:
    """Return the form of an element of a type; `what` is one of its parts in words."""
    if isinstance(kind, ListType):
        return Items(single)
    if isinstance(kind, AnySimpleType):
        return Single()
    if not isinstance(kind, ComplexType):
        return None
    members = [it for _, it in (*kind.elements, *kind.attributes)]
    if not all(isinstance(it, Element | Attribute) for it in members):
        return None  # it may have any content
    if [it.name for it in members] == [None]:
        return Single()  # a text
    # A text with attributes is called _value_1 by zeep, too.
    return Fields(what, {it.name or "_value_1": partial(_part, it, what) for it in members})


def _part(member: Element | Attribute, what: str) -> Shape:
    one = partial(shape_of, member.type, what)
    return Items(one) if isinstance(member, Element) and member.accepts_multiple else one()
