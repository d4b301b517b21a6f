"""A SOAP server out of a WSDL: zeep knows the types, every element of an answer is made up."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import zeep
from lxml import etree
from zeep.wsdl.bindings.soap import SoapBinding
from zeep.xsd import ComplexType, Element
from zeep.xsd.types import builtins

from tests.support.mocks import dice
from tests.support.mocks.http import answering

XML = "text/xml; charset=utf-8"
FAULT = b"""<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><e:Fault>
<faultcode>e:Client</faultcode><faultstring>no such operation</faultstring>
</e:Fault></e:Body></e:Envelope>"""


@contextmanager
def serving(description: Path) -> Iterator[str]:
    """Serve the first SOAP port of a WSDL; yield the address."""
    client = zeep.Client(str(description))  # type: ignore[no-untyped-call]
    ports = [port for it in client.wsdl.services.values() for port in it.ports.values()]
    binding: Any = next(port.binding for port in ports if isinstance(port.binding, SoapBinding))
    operations = {each.input.body.qname.text: each for each in binding.all().values()}
    envelope = binding.nsmap["soap-env"]

    def answer(method: str, target: str, sent: bytes) -> tuple[int, str, bytes]:
        request = etree.fromstring(sent).find(f"{{{envelope}}}Body")[0]
        operation = operations.get(request.tag)
        if operation is None:
            return 500, XML, FAULT
        whole = etree.Element(f"{{{envelope}}}Envelope")
        body = etree.SubElement(whole, f"{{{envelope}}}Body")
        wrapper = operation.output.body
        place = (etree.tostring(request, method="c14n").hex(),)
        _append(body, wrapper.qname.text, wrapper.type, place, dice.DEEPEST)
        return 200, XML, etree.tostring(whole)

    with answering(answer) as address:
        yield address


def _append(parent: Any, tag: str, kind: Any, at: tuple[object, ...], depth: int) -> None:
    """Put an element of a type below another one."""
    element = etree.SubElement(parent, tag)
    if not isinstance(kind, ComplexType):
        element.text = _plain(kind, at)
        return
    for name, member in kind.elements:
        if name is None or not isinstance(member, Element) or not depth:
            continue
        for number in range(dice.ITEMS if member.accepts_multiple else 1):
            _append(element, member.qname.text, member.type, (*at, name, number), depth - 1)


def _plain(kind: Any, at: tuple[object, ...]) -> str:
    number = dice.number(*at)
    if isinstance(kind, builtins.Boolean):
        return "true" if number % 2 else "false"
    if isinstance(kind, builtins.DateTime):
        return f"2026-01-01T00:{number % 60:02}:00Z"
    if isinstance(kind, builtins.Date):
        return f"2026-01-{number % 28 + 1:02}"
    if isinstance(kind, builtins.Integer | builtins.Decimal | builtins.Float | builtins.Double):
        return str(number)
    return dice.text(*at[:-1])
