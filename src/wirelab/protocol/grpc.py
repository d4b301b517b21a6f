"""gRPC: methods of a .proto that receive and return one message or a stream.

The .proto is compiled when it is loaded; no generated code is needed.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

from google.protobuf import json_format, message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError, Message

from wirelab.domain import pointer
from wirelab.domain.kinds import WHOLE, Kinds, united
from wirelab.domain.model import Domain, KeyCase, RequestTemplate
from wirelab.domain.refusal import RefusalOrFault
from wirelab.engine.job import Transport
from wirelab.inputs.close_match import close_match, one_of
from wirelab.protocol.answer_shape import Entries, Fields, Items, Shape, Single
from wirelab.protocol.base import Codec, Mistake, Protocol
from wirelab.protocol.descriptions.proto_file import compile_proto
from wirelab.protocol.descriptions.protobuf import (
    SPECIAL_IN_JSON,
    WELL_KNOWN,
    WRAPPERS,
    kinds_in_message,
    to_value,
)
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
from wirelab.protocol.template import fill, names

_KINDS: dict[str, RefusalOrFault] = {
    "NOT_FOUND": "not_found",
    "INVALID_ARGUMENT": "invalid",
    "OUT_OF_RANGE": "invalid",
    "ALREADY_EXISTS": "conflict",
    "FAILED_PRECONDITION": "conflict",
    "ABORTED": "conflict",
    "UNAUTHENTICATED": "unauthenticated",
    "UNAVAILABLE": "unavailable",
    "DEADLINE_EXCEEDED": "too_late",
}

UNKNOWN = "@unknown"
"""The key of a message's bytes if it has fields that its type lacks."""

DESCRIPTORS = ".binpb"
"""The extension of files with compiled descriptors, as server reflection returns them."""


class GrpcRequest(RequestTemplate):
    """`[operation.NAME.grpc]`: one call of a method."""

    method: str
    """The method as package.Service/Method, such as `shop.v1.Catalogue/ListProducts`."""
    message: dict[str, Any]
    """The fields of the request message."""
    send: int | str | None = None
    """For methods that take a stream, and required there: how often the message is sent, as a
    number or one parameter in braces."""
    in_turn: bool = False
    """For methods that stream in both directions: true sends each message only when the previous
    one is answered. Default: sent without waiting."""


@dataclass(frozen=True)
class Services:
    """The methods of a .proto by their full names, such as games.v1.Games/ReadGame."""

    methods: Mapping[str, MethodDescriptor]


@dataclass(frozen=True)
class GrpcCodec(Codec[GrpcRequest]):
    """Operations as protobuf messages."""

    path: str
    case: KeyCase
    services: Services
    protocol = "grpc"
    transport: ClassVar[Transport] = "grpc"

    def encode_request(self, request: GrpcRequest, parameters: Mapping[str, object]) -> WireRequest:
        """Encode one message, and the number of times that it is sent."""
        method = self.services.methods[request.method]
        message = message_factory.GetMessageClass(method.input_type)()
        value = outward(fill(request.message, parameters), self.case)
        try:
            json_format.ParseDict(value, message)
        except json_format.ParseError as error:
            raise CannotEncodeError(str(error)) from None
        if missing := message.FindInitializationErrors():  # of proto2
            raise CannotEncodeError(f"{method.input_type.full_name} lacks {', '.join(missing)}")
        body = message.SerializeToString(deterministic=True)
        send = 1 if request.send is None else fill(request.send, parameters)
        if type(send) is not int or send < 1:
            raise CannotEncodeError(f"a stream of {send!r} messages")
        return WireRequest(
            "POST",
            f"/{request.method}",
            body=body,
            binary=True,
            stream=method.server_streaming,
            send=send,
            in_turn=request.in_turn,
        )

    def decode_reply(self, request: GrpcRequest, reply: WireReply) -> Answer | Refusal:
        """Decode the reply to one call; a stream becomes the list of its messages."""
        if reply.status != 0:
            name = status_names().get(reply.status, str(reply.status))
            return Refusal(_KINDS.get(name, "internal"), f"{name}: {reply.message}")
        method = self.services.methods[request.method]
        form = message_factory.GetMessageClass(method.output_type)
        bodies = reply.items if method.server_streaming else (reply.body,)
        try:
            values = [_decoded(form, body) for body in bodies]
        except DecodeError as error:
            return Refusal("unreadable", f"the body is not a {form.DESCRIPTOR.full_name}: {error}")
        except (json_format.Error, TypeError, ValueError) as error:
            what = f"the body is a {form.DESCRIPTOR.full_name} with a value that JSON does not have"
            return Refusal("unreadable", f"{what}: {error}")
        value = values if method.server_streaming else values[0]
        return Answer(pointer.find(inward(value, self.case), request.answer))

    def malformed_requests(self, request: WireRequest) -> list[Malformed]:
        """Return bytes that are not a protobuf message.

        The gRPC libraries reject them before the server's own code runs, and gRPC's guide to status
        codes prescribes INTERNAL for them, so both refusals are accepted.
        """
        garbage = replace(request, body=b"\xff" * 12)
        return [Malformed("bytes that are not a message", garbage, ("invalid", "internal"))]


class Grpc(Protocol[Services, GrpcRequest]):
    """gRPC, described by Protocol Buffers."""

    name = "grpc"
    description = ".proto file"
    request = GrpcRequest

    def read(self, path: Path) -> Services:
        """Compile a .proto and its imports from folders of the domain."""
        pool = DescriptorPool()
        methods = {}
        for file in _descriptors(path).file:
            pool.Add(file)
            prefix = f"{file.package}." if file.package else ""
            for service in file.service:
                service_descriptor = pool.FindServiceByName(prefix + service.name)
                for method in service_descriptor.methods:
                    methods[f"{service_descriptor.full_name}/{method.name}"] = method
        if not methods:
            raise InterfaceError("it has no service with a method")
        return Services(methods)

    def mistakes(self, interface: Services, request: GrpcRequest) -> Iterator[Mistake]:
        """Yield where the method does not exist, takes no such stream, or messages lack a field."""
        method = interface.methods.get(request.method)
        if method is None:
            hint = close_match(request.method, interface.methods)
            yield Mistake("method", request.method, one_of(interface.methods), hint)
            return
        if method.client_streaming and request.send is None:
            expected = f"the number of messages: {request.method} takes a stream"
            yield Mistake("send", None, expected)
        elif not _is_count(request.send):
            yield Mistake("send", request.send, "a number from 1, or one parameter in braces")
        if request.send is not None and not method.client_streaming:
            expected = f"no value: {request.method} takes one message"
            yield Mistake("send", request.send, expected)
        if request.in_turn and not (method.client_streaming and method.server_streaming):
            expected = f"false: {request.method} does not stream both ways"
            yield Mistake("in_turn", request.in_turn, expected)
        yield from _unknown_fields(method.input_type, request.message, "message")

    def response(self, interface: Services, request: GrpcRequest) -> Shape:
        """Return the form of the reply; a stream is the list of its messages."""
        method = interface.methods.get(request.method)
        if method is None:
            return None
        one = partial(shape_of, method.output_type)
        return Items(one) if method.server_streaming else one()

    def kinds(self, interface: Services, request: GrpcRequest) -> dict[str, Kinds]:
        """Return the kinds of values that the types of the fields allow."""
        kinds = kinds_in_message(interface.methods[request.method].input_type, request.message)
        return united(chain(kinds, ((name, WHOLE) for name in names(request.send))))

    def codec(self, domain: Domain, interface: Services, path: str) -> GrpcCodec:
        """Return the codec; a call's path is its method."""
        return GrpcCodec(path, domain.interface.case(self.name), interface)


PROTOCOL = Grpc()


@cache
def status_names() -> dict[int | None, str]:
    """Return the names of gRPC's statuses by number."""
    from grpc import StatusCode  # noqa: PLC0415  (commands that only plan receive no reply)

    return {code.value[0]: code.name for code in StatusCode}


def _is_count(send: int | str | None) -> bool:
    """Return whether `send` is valid: a number from 1, or a single parameter in braces."""
    if isinstance(send, str):
        return len(names(send)) == 1 and send == f"{{{names(send).pop()}}}"
    return send is None or send >= 1


def _descriptors(path: Path) -> FileDescriptorSet:
    if path.suffix != DESCRIPTORS:
        return compile_proto(path)
    try:
        return FileDescriptorSet.FromString(path.read_bytes())
    except DecodeError as error:
        raise InterfaceError(f"it is not a set of descriptors: {error}") from None


def _decoded(form: type[Message], body: bytes) -> Any:
    """Decode a message; one with fields that its type lacks keeps all bytes, to be compared."""
    message = form.FromString(body)
    value, size_bytes = to_value(message), message.ByteSize()
    message.DiscardUnknownFields()
    if message.ByteSize() < size_bytes:
        value = {**(value if isinstance(value, dict) else {"value": value}), UNKNOWN: body.hex()}
    return value


def _unknown_fields(
    message: Descriptor, template: Mapping[str, object], key: str
) -> Iterator[Mistake]:
    fields = {field.name: field for field in message.fields}
    spelled = fields | {field.json_name: field for field in message.fields}
    for name, value in template.items():
        field = spelled.get(name)
        if field is None:
            expected = f"no such key, but a field of {message.full_name}: {one_of(fields)}"
            yield Mistake(f"{key}.{name}", value, expected, close_match(name, fields))
        elif isinstance(value, Mapping) and field.message_type:
            yield from _unknown_fields(field.message_type, value, f"{key}.{name}")


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
