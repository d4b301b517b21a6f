"""XML as JSON-like values, by the XML Schema types that a WSDL declares.

zeep would convert empty texts to None and dates to objects; here texts remain texts, numbers and
booleans are converted, and repeatable elements are always lists.
"""

from decimal import Decimal

from lxml import etree
from zeep.xsd import Attribute, ComplexType, Element
from zeep.xsd.types import builtins
from zeep.xsd.types.collection import ListType

_NIL = "{http://www.w3.org/2001/XMLSchema-instance}nil"


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
    if len(element):
        return _complex(element, None)
    return _simple(text, kind)


def _complex(element: etree._Element, kind: ComplexType | None) -> object:
    # Arbitrary content (xsd:any, xsd:anyAttribute) has no type.
    members = [] if kind is None else [it for _, it in kind.elements if isinstance(it, Element)]
    attributes = {
        each.name: each.type
        for _, each in ([] if kind is None else kind.attributes)
        if isinstance(each, Attribute)
    }
    value: dict[str, object] = {}
    for name, written in element.attrib.items():
        if name in attributes:
            value[name] = _simple(written, attributes[name])
    if [each.name for each in members] == [None]:
        # Simple content: a text with attributes, which zeep calls _value_1.
        text = _simple(element.text or "", members[0].type)
        return value | {"_value_1": text} if attributes else text
    declared = {each.name: each for each in members}
    for child in element:
        name = etree.QName(child).localname
        known = declared.get(name)
        item = to_value(child, None if known is None else known.type)
        if name not in value:
            value[name] = [item] if known is not None and known.accepts_multiple else item
        elif isinstance(held := value[name], list):
            held.append(item)
        else:
            value[name] = [held, item]
    return value


def _simple(text: str, kind: object) -> object:
    try:
        if isinstance(kind, builtins.Boolean):
            return {"true": True, "1": True, "false": False, "0": False}.get(text.strip(), text)
        if isinstance(kind, builtins.Integer):
            return int(text)
        if isinstance(kind, builtins.Decimal):
            return float(Decimal(text))
        if isinstance(kind, builtins.Float | builtins.Double):
            return float(text)
    except (ValueError, ArithmeticError):
        return text
    return text
