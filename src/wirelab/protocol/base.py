"""The interface of a protocol: read its description, and encode operations as requests."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Generic, TypeVar, cast

import jmespath
import xxhash
from jmespath.exceptions import JMESPathError

from wirelab.domain.kinds import Kinds
from wirelab.domain.model import Domain, KeyCase, Operation, RequestTemplate
from wirelab.engine.job import Message, Transport
from wirelab.protocol.answer_shape import Shape, expected_instead
from wirelab.protocol.message import (
    Answer,
    Expectation,
    Headers,
    Malformed,
    Refusal,
    WireReply,
    WireRequest,
)

RequestT = TypeVar("RequestT", bound=RequestTemplate)
InterfaceT = TypeVar("InterfaceT")


@dataclass(frozen=True, slots=True)
class Mistake:
    """A value of a request template that contradicts the description of the interface."""

    key: str
    value: object
    expected: str
    hint: str = ""


class Codec(ABC, Generic[RequestT]):
    """The operations of one domain as requests of one protocol, and the replies as answers.

    `transport` is the engine's transport, `path` the one that the contender declares.
    """

    protocol: ClassVar[str]
    transport: ClassVar[Transport]
    error_markers: ClassVar[tuple[str, ...]] = ()
    headers: ClassVar[Headers] = ()
    """Headers of a WebSocket's opening handshake."""
    subscribe: ClassVar[Message | None] = None
    """What a client sends first on each WebSocket."""
    path: str

    @abstractmethod
    def encode_request(self, request: RequestT, parameters: Mapping[str, object]) -> WireRequest:
        """Encode one request; raises `CannotEncodeError` if its values do not fit the types."""

    @abstractmethod
    def decode_reply(self, request: RequestT, reply: WireReply) -> Answer | Refusal:
        """Decode the reply to one request. Never raises: a broken reply is "unreadable"."""

    def outcome(self, request: RequestT, reply: WireReply) -> Answer | Refusal:
        """Decode the reply to one request, and select what the operation answers with."""
        decoded = self.decode_reply(request, reply)
        if request.select is None or isinstance(decoded, Refusal):
            return decoded
        try:
            selected = jmespath.search(request.select, decoded.value)
        except JMESPathError as error:
            return Refusal("unreadable", f"select does not fit the answer: {error}")
        return replace(decoded, value=selected)

    @abstractmethod
    def malformed_requests(self, request: WireRequest) -> list[Malformed]:
        """Return malformed variants of this request, which are specific to the protocol."""

    def rounds(self, operation: Operation) -> tuple[tuple[RequestT, ...], ...]:
        """Return the operation's rounds in this protocol; raises `KeyError` if it has none."""
        binding = operation.bindings[self.protocol]
        return cast("tuple[tuple[RequestT, ...], ...]", binding.rounds)

    def encode(self, operation: Operation, parameters: Mapping[str, object]) -> WireRequest:
        """Encode an operation that is one request."""
        return self.encode_request(self._only_request(operation), parameters)

    def decode(self, operation: Operation, reply: WireReply) -> Answer | Refusal:
        """Decode the reply to an operation that is one request."""
        return self.outcome(self._only_request(operation), reply)

    def malformed(self, operation: Operation, parameters: Mapping[str, object]) -> list[Malformed]:
        """Return malformed inputs for the first request of an operation."""
        return self.malformed_requests(
            self.encode_request(self.rounds(operation)[0][0], parameters)
        )

    def expectation(
        self, operation: Operation, reply: WireReply, *repeats: WireReply
    ) -> Expectation:
        """Return what the engine can expect of every reply to this request.

        `reply` has been verified; `repeats` are further replies to the same request. If the
        operation changes nothing and all bodies are equal, their hash is expected; if they only
        have the same length, that length; otherwise the status, and no sign of an error. Bodies are
        compared after content decoding, as in the engine.
        """
        if operation.effect == "write":
            return self.loose_expectation(reply, has_length=False)
        if all(repeat.content == reply.content for repeat in repeats):
            return Expectation(reply.status, body_xxh3=xxhash.xxh3_64_hexdigest(reply.content))
        has_length = all(len(repeat.content) == len(reply.content) for repeat in repeats)
        return self.loose_expectation(reply, has_length=has_length)

    def loose_expectation(self, reply: WireReply, *, has_length: bool) -> Expectation:
        """Return what can be expected of replies that differ from this one in their bytes."""
        return Expectation(
            reply.status,
            body_length=len(reply.content) if has_length else None,
            must_not_contain=tuple(
                mark for mark in self.error_markers if mark.encode() not in reply.content
            ),
        )

    def _only_request(self, operation: Operation) -> RequestT:
        rounds = self.rounds(operation)
        if operation.bindings[self.protocol].composed:
            raise ValueError(f"{operation.name} takes several requests over {self.protocol}")
        return rounds[0][0]


class Protocol(ABC, Generic[InterfaceT, RequestT]):
    """One protocol: the form of its request templates, its description, its codec.

    `description` is the name of the kind of native description; "" if the protocol has none in
    general use.
    """

    name: ClassVar[str]
    description: ClassVar[str]
    describes_itself: ClassVar[bool] = False
    """Requests can be encoded without the description, which only serves to check them."""
    request: type[RequestT]

    @abstractmethod
    def read(self, path: Path) -> InterfaceT:
        """Read the native description of an interface; raises `InterfaceError` if it is invalid."""

    @abstractmethod
    def mistakes(self, interface: InterfaceT, request: RequestT) -> Iterator[Mistake]:
        """Yield where a request template contradicts the description of the interface."""

    def missing_headers(
        self,
        interface: InterfaceT,  # noqa: ARG002
        request: RequestT,  # noqa: ARG002
    ) -> Iterator[tuple[str, Mistake]]:
        """Yield the headers that the description requires and a request template lacks.

        They are mistakes only if a contender does not add them to every request.
        """
        yield from ()

    def kinds(self, interface: InterfaceT, request: RequestT) -> dict[str, Kinds]:  # noqa: ARG002
        """Return the kinds of values that the description allows, by parameter.

        The request fits the description. What the description leaves open is left out.
        """
        return {}

    def response(self, interface: InterfaceT, request: RequestT) -> Shape:  # noqa: ARG002
        """Return what the description says about the response to a request.

        The request need not fit the description.
        """
        return None

    def wrong_answer(
        self, interface: InterfaceT, request: RequestT, case: KeyCase
    ) -> Iterator[Mistake]:
        """Yield why `answer` leads to no part of the response, if the description says so.

        `case` is how the protocol spells keys.
        """
        if expected := expected_instead(self.response(interface, request), request.answer, case):
            yield Mistake("answer", request.answer, *expected)

    @abstractmethod
    def codec(self, domain: Domain, interface: InterfaceT, path: str) -> Codec[RequestT]:
        """Return the codec for a domain whose description has been read."""

    def bind(self, domain: Domain, path: str = "/") -> Codec[RequestT]:
        """Return the codec for a domain and the path that a contender declares."""
        return self.codec(domain, self.read(domain.interface.files[self.name]), path)


class Undescribed(Protocol[None, RequestT]):
    """A protocol for which no description language is in general use."""

    description = ""
    codec_for: Callable[[str, KeyCase], Codec[RequestT]]
    """Makes the codec of a path: all requests go to the contender's."""

    def read(self, path: Path) -> None:
        """Read nothing."""

    def mistakes(self, interface: None, request: RequestT) -> Iterator[Mistake]:  # noqa: ARG002
        """Yield nothing: there is no description to compare with."""
        return iter(())

    def codec(self, domain: Domain, interface: None, path: str) -> Codec[RequestT]:  # noqa: ARG002
        """Return the codec."""
        return self.codec_for(path, domain.interface.case(self.name))

    def bind(self, domain: Domain, path: str = "/") -> Codec[RequestT]:
        """Return the codec for a domain and a contender's path."""
        return self.codec(domain, None, path)
