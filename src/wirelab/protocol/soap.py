"""SOAP 1.1 and 1.2: zeep builds envelopes from the WSDL; replies are decoded by its types."""

import os
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import zeep
from lxml import etree
from pydantic import Field
from zeep.wsdl.bindings.soap import Soap12Binding, SoapBinding, SoapOperation

from wirelab.domain import pointer
from wirelab.domain.kinds import Kinds, united
from wirelab.domain.model import Domain, KeyCase, RequestTemplate
from wirelab.domain.refusal import RefusalOrFault
from wirelab.engine.job import Transport
from wirelab.inputs.close_match import close_match, one_of
from wirelab.protocol.answer_shape import Shape
from wirelab.protocol.base import Codec, Mistake, Protocol
from wirelab.protocol.descriptions.xml_schema import kinds_in_parts, parse_xml, shape_of, to_value
from wirelab.protocol.http import excerpt, is_labelled, media_type, refusal_kind, succeeded
from wirelab.protocol.key_case import inward, outward
from wirelab.protocol.message import (
    Answer,
    CannotEncodeError,
    InterfaceError,
    Malformed,
    Refusal,
    WireReply,
    WireRequest,
)
from wirelab.protocol.template import fill

_KINDS: dict[str, RefusalOrFault] = {
    "not_found": "not_found",
    "invalid": "invalid",
    "conflict": "conflict",
    "unauthenticated": "unauthenticated",
}

_SENDERS = {"Client", "Sender", "VersionMismatch", "MustUnderstand"}
"""Fault codes that blame the request, in SOAP 1.1 and 1.2."""
ENDLESS = "its imports or types refer to one another without end"
"""What is wrong with a WSDL that cannot be read to its end."""


class SoapRequest(RequestTemplate):
    """`[operation.NAME.soap]`: one call of an operation of the WSDL."""

    operation: str
    """Name of the operation in the WSDL."""
    message: dict[str, Any] = Field(default={})
    """The parts of its input message, by name. Default: none."""


@dataclass(frozen=True)
class SoapCodec(Codec[SoapRequest]):
    """Operations as envelopes."""

    path: str
    case: KeyCase
    binding: Any  # zeep's SoapBinding, whose own annotations lack what is used here
    protocol = "soap"
    transport: ClassVar[Transport] = "http1"
    error_markers = (":Fault>", ":Fault ", "<Fault>", "<Fault ")

    def encode_request(self, request: SoapRequest, parameters: Mapping[str, object]) -> WireRequest:
        """Encode one envelope."""
        message = outward(fill(request.message, parameters), self.case)
        assert isinstance(message, dict)
        operation = self.binding.get(request.operation)
        try:
            envelope = operation.create(**message).content
        except (zeep.exceptions.Error, TypeError, ValueError) as error:
            raise CannotEncodeError(str(error)) from None
        body = etree.tostring(envelope, xml_declaration=True, encoding="utf-8")
        return WireRequest("POST", self.path, self._headers(operation), body)

    def decode_reply(self, request: SoapRequest, reply: WireReply) -> Answer | Refusal:
        """Decode the reply to one envelope."""
        envelope = parse_xml(reply.content)
        namespace = self.binding.nsmap["soap-env"]
        body = None if envelope is None else envelope.find(f"{{{namespace}}}Body")
        if body is None:
            remark = "the body is not a SOAP envelope"
            detail = f"HTTP {reply.status}: {excerpt(reply.content)}"
            return Refusal(refusal_kind(reply.status), detail, remark)
        fault = body.find(f"{{{namespace}}}Fault")
        if fault is not None:
            return _refusal(fault)
        if not (succeeded(reply) and is_labelled(reply, "xml")):
            kind = f"the body is XML, but its media type is {media_type(reply)}"
            detail = kind if succeeded(reply) else f"HTTP {reply.status} with an answer"
            return Refusal(refusal_kind(reply.status), detail)
        wrapper = _answer_of(self.binding.get(request.operation))
        content = next(iter(body), None)
        if content is None or wrapper is None:
            return Answer(None)
        if content.tag != wrapper.qname.text:
            return Refusal("unreadable", f"{content.tag} instead of {wrapper.qname.text}")
        value = inward(to_value(content, wrapper.type), self.case)
        return Answer(pointer.find(value, request.answer))

    def malformed_requests(self, request: WireRequest) -> list[Malformed]:
        """Return invalid bodies: not XML, not an envelope, an unknown operation."""
        envelope = etree.fromstring(request.body)
        content = envelope.find(f"{{{self.binding.nsmap['soap-env']}}}Body")[0]
        content.tag = f"{{{etree.QName(content).namespace}}}NoSuchOperation"
        bodies = {
            "a body that is not XML": request.body[: len(request.body) // 2],
            "XML that is not an envelope": b"<nothing/>",
            "an envelope with an unknown operation": etree.tostring(envelope),
        }
        return [Malformed(what, replace(request, body=body)) for what, body in bodies.items()]

    def _headers(self, operation: SoapOperation) -> tuple[tuple[str, str], ...]:
        action = operation.soapaction or ""
        if isinstance(self.binding, Soap12Binding):
            return (("content-type", f'application/soap+xml; charset=utf-8; action="{action}"'),)
        return (("content-type", "text/xml; charset=utf-8"), ("soapaction", f'"{action}"'))


class Soap(Protocol[Any, SoapRequest]):
    """SOAP, described by a WSDL."""

    name = "soap"
    description = "WSDL"
    request = SoapRequest

    def read(self, path: Path) -> SoapBinding:
        """Read a WSDL and its local imports; nothing is fetched from a network."""
        binding: SoapBinding = soap_ports(path).ports[0].binding
        return binding

    def mistakes(self, interface: Any, request: SoapRequest) -> Iterator[Mistake]:
        """Yield where the operation or a part of its message is not in the WSDL."""
        operations = interface.all()
        operation = operations.get(request.operation)
        if operation is None:
            hint = close_match(request.operation, operations)
            yield Mistake("operation", request.operation, one_of(operations), hint)
            return
        body = operation.input.body
        parts = [name for name, _ in body.type.elements] if body is not None else []
        for name, value in request.message.items():
            if name not in parts:
                expected = f"no such key, but a part of {request.operation}: {one_of(parts)}"
                yield Mistake(f"message.{name}", value, expected, close_match(name, parts))

    def response(self, interface: Any, request: SoapRequest) -> Shape:
        """Return the form of the output message."""
        operation = interface.all().get(request.operation)
        body = _answer_of(operation)
        return body and shape_of(body.type, f"a part of the response of {request.operation}")

    def kinds(self, interface: Any, request: SoapRequest) -> dict[str, Kinds]:
        """Return the kinds of values that the types of the parts allow."""
        body = interface.get(request.operation).input.body
        return {} if body is None else united(kinds_in_parts(body.type, request.message))

    def codec(self, domain: Domain, interface: Any, path: str) -> SoapCodec:
        """Return the codec; all requests go to the contender's path."""
        return SoapCodec(path, domain.interface.case(self.name), interface)


PROTOCOL = Soap()


class SoapPorts(NamedTuple):
    """The SOAP ports of a WSDL, as zeep reads them, and what it leaves out of them."""

    ports: list[Any]
    remarks: tuple[str, ...]


def soap_ports(path: Path) -> SoapPorts:
    """Return the SOAP ports of a WSDL. Raises `InterfaceError` without any."""
    settings = zeep.Settings(forbid_external=True)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            client = zeep.Client(str(path), settings=settings)  # type: ignore[no-untyped-call]
            services = client.wsdl.services.values()
            ports = [port for service in services for port in service.ports.values()]
            known = [port for port in ports if isinstance(port.binding, SoapBinding)]
            for each in known:
                each.binding.all()  # which may still read what it needs
        except zeep.exceptions.ExternalReferenceForbidden as error:
            what = f"it imports {error.url}, and nothing is fetched"
            raise InterfaceError(f"{what}: save that beside it, and import the file") from None
        except OSError as error:
            missing = os.path.relpath(str(error.filename or error), path.parent)
            what = f"it imports {missing}, which is not in its folder or below"
            raise InterfaceError(f"{what}: put it there, and import it from there") from None
        except RecursionError:
            raise InterfaceError(ENDLESS) from None
        except zeep.exceptions.EntitiesForbidden as error:
            raise InterfaceError(f"it declares entities, such as {error.name}") from None
        except KeyError as error:
            raise InterfaceError(f"it does not define {error}") from None
        except (zeep.exceptions.Error, etree.LxmlError, IndexError, ValueError) as error:
            said = " ".join(str(error).split()).replace(f"{path.parent}/", "")
            raise InterfaceError(said or type(error).__name__) from None
        except (AttributeError, TypeError) as error:  # raised by zeep for some invalid documents
            raise InterfaceError(f"zeep cannot read it: {error}") from None
    if not known:
        raise InterfaceError("it has no service with a SOAP port over HTTP")
    return SoapPorts(known, tuple(dict.fromkeys(str(each.message) for each in warned)))


def _answer_of(operation: Any) -> Any:
    """Return the message that answers an operation; None for one that is one-way."""
    return operation.output.body if operation is not None and operation.output else None


def _refusal(fault: etree._Element) -> Refusal:
    """Read a Fault: the first kind in its detail counts, otherwise the side that it blames."""
    texts = [element.text.strip() for element in fault.iter() if (element.text or "").strip()]
    words = {etree.QName(element).localname: element for element in fault}
    detail = words.get("detail", words.get("Detail"))
    details = [] if detail is None else [(each.text or "").strip() for each in detail.iter()]
    kind = next((_KINDS[word] for word in details if word in _KINDS), None)
    if kind is None:
        code = words.get("faultcode", words.get("Code"))
        named = "" if code is None else "".join(code.itertext()).strip()
        sender = any(named.split(":")[-1].startswith(each) for each in _SENDERS)
        kind = "invalid" if sender else "internal"
    return Refusal(kind, "; ".join(texts))
