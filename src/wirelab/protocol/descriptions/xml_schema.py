"""What XML Schema types say: values of XML, kinds of parameters, the form of responses.

zeep would convert empty texts to None and dates to objects; here texts remain texts, numbers and
booleans are converted, and repeatable elements are always lists. What a type does not declare is
kept, too: attributes, texts between elements, and elements of another namespace.
"""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from lxml import etree
from zeep.xsd import Attribute, ComplexType, Element
from zeep.xsd.types import AnySimpleType, builtins
from zeep.xsd.types.collection import ListType

from wirelab.domain.kinds import BOOLEAN, LIST, NUMBER, TABLE, WHOLE, Kinds
from wirelab.protocol.answer_shape import Fields, Items, Shape, Single, single
from wirelab.protocol.http import read_number
from wirelab.protocol.key_case import to_camel
from wirelab.protocol.template import parameter_of

_INSTANCE = "{http://www.w3.org/2001/XMLSchema-instance}"
_NIL = f"{_INSTANCE}nil"
_OF_ENCODING = (_INSTANCE, "{http://schemas.xmlsoap.org/soap/", "{http://www.w3.org/2003/05/soap-")
"""Beginnings of attributes that say how a value is written, such as its type."""
_TEXT = "_value_1"
"""The key of a text beside attributes or elements, as zeep calls it."""
_INTEGER = re.compile(r"\s*[-+]?[0-9]+\s*")
_DECIMAL = re.compile(r"\s*[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*")
_FLOAT = re.compile(r"\s*([-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?|-?INF|\+INF|NaN)\s*")
"""Numbers as XML Schema writes them (part 2, 3.3): Python reads 1_000 and infinity, too."""


def parse_xml(body: bytes) -> etree._Element | None:
    """Parse a document; None if it is not XML, or has a document type, which SOAP forbids."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    return None if root.getroottree().docinfo.doctype else root


def to_value(element: etree._Element, kind: object) -> object:
    """Return an element as its type requires: an object, a list, a number, a boolean or a text."""
    if element.get(_NIL) in ("true", "1"):
        return None
    text = element.text or ""
    if isinstance(kind, ComplexType):
        return _complex(element, kind)
    if isinstance(kind, ListType):
        return [_simple(word, kind.item_type) for word in text.split()]
    if len(element) or _attributes(element, {}):
        return _complex(element, None)
    return _simple(text, kind)


def _attributes(element: etree._Element, declared: Mapping[Any, object]) -> dict[str, object]:
    """Return the attributes of an element; those that its type does not declare are texts."""
    return {
        name: _simple(text, declared[name]) if name in declared else text
        for name, text in element.attrib.items()
        if not name.startswith(_OF_ENCODING)
    }


def _complex(element: etree._Element, kind: ComplexType | None) -> object:
    # Arbitrary content (xsd:any, xsd:anyAttribute) has no type.
    members = [] if kind is None else [it for _, it in kind.elements if isinstance(it, Element)]
    attributes = {
        each.name: each.type
        for _, each in ([] if kind is None else kind.attributes)
        if isinstance(each, Attribute)
    }
    value = _attributes(element, attributes)
    if [each.name for each in members] == [None]:
        # Simple content: a text with attributes, which zeep calls _value_1.
        text = _simple(element.text or "", members[0].type)
        return value | {_TEXT: text} if attributes or value else text
    if text := " ".join(filter(None, map(str.strip, _texts(element)))):
        value[_TEXT] = text
    declared = {each.name: each for each in members}
    for child in element:
        name = etree.QName(child).localname
        known = declared.get(name)
        if known is not None and known.qname.text != child.tag:
            # A client would not find it.
            name, known = f"{{{etree.QName(child).namespace or ''}}}{name}", None
        item = to_value(child, None if known is None else known.type)
        if name not in value:
            value[name] = [item] if known is not None and known.accepts_multiple else item
        elif isinstance(held := value[name], list):
            held.append(item)
        else:
            value[name] = [held, item]
    return value


def _texts(element: etree._Element) -> Iterator[str]:
    """Yield the texts between the children of an element."""
    yield element.text or ""
    yield from (child.tail or "" for child in element)


def _simple(text: str, kind: object) -> object:
    try:
        if isinstance(kind, builtins.Boolean):
            return {"true": True, "1": True, "false": False, "0": False}.get(text.strip(), text)
        if isinstance(kind, builtins.Integer):
            return int(text) if _INTEGER.fullmatch(text) else text
        if isinstance(kind, builtins.Decimal):
            return read_number(text.strip()) if _DECIMAL.fullmatch(text) else text
        if isinstance(kind, builtins.Float | builtins.Double):
            return float(text) if _FLOAT.fullmatch(text) else text
    except (ValueError, ArithmeticError):
        return text
    return text


def shape_of(kind: object, what: str) -> Shape:
    """Return the form of an element of a type; `what` is one of its parts in words."""
    if isinstance(kind, ListType):
        return Items(single)
    if isinstance(kind, AnySimpleType):
        return Single()
    if not isinstance(kind, ComplexType):
        return None
    members = [member for _, member in (*kind.elements, *kind.attributes)]
    if not all(isinstance(member, Element | Attribute) for member in members):
        return None  # it may have any content
    if [member.name for member in members] == [None]:
        return Single()  # a text
    return Fields(what, {member.name or _TEXT: partial(_part, member, what) for member in members})


def _part(member: Element | Attribute, what: str) -> Shape:
    one = partial(shape_of, member.type, what)
    return Items(one) if isinstance(member, Element) and member.accepts_multiple else one()


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
    declared = {name: element for name, element in body.elements if isinstance(element, Element)}
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
        has_text = any(name is None or name == _TEXT for name, _ in part.type.elements)
        kinds = None if has_text else TABLE
    return kinds | LIST if kinds and part.accepts_multiple else kinds
