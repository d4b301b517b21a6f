"""GraphQL over HTTP: one path, a document and variables; errors are beside the data."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlencode

from graphql import (
    DocumentNode,
    GraphQLError,
    GraphQLSchema,
    OperationDefinitionNode,
    OperationType,
    build_ast_schema,
    parse,
    parse_const_value,
    validate,
)
from graphql.validation.validate import assert_valid_sdl
from pydantic import Field

from wirelab.domain import pointer
from wirelab.domain.file_model import FileInFolder
from wirelab.domain.json_value import SCALARS
from wirelab.domain.kinds import Kinds, united
from wirelab.domain.model import Domain, KeyCase, RequestTemplate
from wirelab.domain.refusal import RefusalOrFault
from wirelab.engine.job import Transport
from wirelab.inputs.close_match import another_key, close_match
from wirelab.protocol.answer_shape import Shape
from wirelab.protocol.base import Codec, Mistake, Protocol
from wirelab.protocol.descriptions.graphql_answer import shape_of
from wirelab.protocol.descriptions.graphql_kinds import kinds_in_variables
from wirelab.protocol.descriptions.graphql_literals import inlined
from wirelab.protocol.http import (
    EVENT_STREAM,
    event_data,
    excerpt,
    from_json,
    is_labelled,
    media_type,
    refusal_kind,
    succeeded,
    to_json,
)
from wirelab.protocol.key_case import inward, outward
from wirelab.protocol.message import (
    Answer,
    InterfaceError,
    Malformed,
    QueryIntroduction,
    Refusal,
    WireReply,
    WireRequest,
)
from wirelab.protocol.template import fill

_KINDS: dict[str, RefusalOrFault] = {
    "NOT_FOUND": "not_found",
    "CONFLICT": "conflict",
    "UNAUTHENTICATED": "unauthenticated",
    "BAD_USER_INPUT": "invalid",
    "BAD_REQUEST": "invalid",
    "GRAPHQL_PARSE_FAILED": "invalid",
    "GRAPHQL_VALIDATION_FAILED": "invalid",
    "OPERATION_RESOLUTION_FAILURE": "invalid",
    "SERVICE_UNAVAILABLE": "unavailable",
    "DEADLINE_EXCEEDED": "too_late",
}


_HEADERS = (("accept", "application/json"), ("content-type", "application/json"))
_UNKNOWN = b"PERSISTED_QUERY_NOT_FOUND"
"""The error of servers with automatic persisted queries for a hash that they do not know."""


@lru_cache(maxsize=16)
def schema_of(text: str) -> GraphQLSchema:
    """Return a schema by its definition, cached: large ones take seconds.

    Raises errors of graphql-core: GraphQLError for its grammar, TypeError if it defines nothing.
    Its rules for interfaces and deprecation are not checked; they are the server's responsibility.
    """
    document = parse(text)
    assert_valid_sdl(document)
    return build_ast_schema(document, assume_valid=True)


class GraphqlRequest(RequestTemplate):
    """`[operation.NAME.graphql]`: one query, mutation or subscription with its variables.

    `values`, `unwrap`, `text` and `literals` serve dialects, whose schemas express the domain in
    their own way.
    """

    document: FileInFolder
    """File with the document, in the domain's folder. It contains exactly one query, mutation or
    subscription. The answer to a subscription is the list of its results, and `answer` leads into
    each of them."""
    variables: dict[str, Any] = Field(default={})
    """Values of the document's variables, by name. Default: none."""
    inline: bool = False
    """True writes the values into the document as literals instead of sending variables. A workload
    can request the same for all its operations."""
    persisted: bool = False
    """True sends a query by GET with the hash of its document instead of the document (automatic
    persisted queries), so that HTTP caches can answer it. Mutations are sent as usual."""
    values: dict[str, dict[str, Any]] = Field(default={})
    """By parameter: how the schema spells its values, such as those of an enumeration. Default: as
    in the domain."""
    unwrap: tuple[str, ...] = ()
    """Keys that a schema puts around values: in answers, an object with one of them as its only key
    is replaced by what it contains. Default: none."""
    text: tuple[str, ...] = ()
    """Keys of ids that the schema returns as numbers; in answers they become text. Default:
    none."""
    literals: dict[str, dict[str, str]] = Field(default={})
    """With `inline`, by variable and value: the GraphQL literal to write instead of the value.
    Default: the value itself."""


@dataclass(frozen=True)
class GraphqlCodec(Codec[GraphqlRequest]):
    """Operations as POST requests with a JSON body; subscriptions are answered by events."""

    path: str
    case: KeyCase
    schema: GraphQLSchema
    protocol = "graphql"
    transport: ClassVar[Transport] = "http1"
    error_markers = ('"errors":[', '"errors": [')

    def encode_request(
        self, request: GraphqlRequest, parameters: Mapping[str, object]
    ) -> WireRequest:
        """Encode one request; the document is sent as it is in its file, unless it is inline."""
        spelled = {
            name: request.values.get(name, {}).get(str(value), value)
            for name, value in parameters.items()
        }
        document = request.document.read_text(encoding="utf-8")
        variables: Any = outward(fill(request.variables, spelled), self.case)
        if request.inline:
            body = {"query": inlined(document, variables, self.schema, request.literals)}
        else:
            body = {"query": document, "variables": variables}
        if (
            request.persisted
            and not request.inline
            and _kind_of(document) != OperationType.MUTATION
        ):
            return _by_hash(self.path, document, variables)
        if not subscribes(document):
            return WireRequest("POST", self.path, _HEADERS, to_json(body))
        headers = (("accept", EVENT_STREAM), *_HEADERS[1:])
        posted = WireRequest("POST", self.path, headers, to_json(body))
        return replace(posted, stream=True, item_pointer="/data")

    def decode_reply(self, request: GraphqlRequest, reply: WireReply) -> Answer | Refusal:
        """Decode the reply to one request; a stream of events has the results of a subscription."""
        if media_type(reply) != EVENT_STREAM:
            return self.result(request, reply)
        return self.results(request, (each.encode() for each in event_data(reply) if each))

    def results(self, request: GraphqlRequest, bodies: Iterable[bytes]) -> Answer | Refusal:
        """Return the list of the results of a subscription, or the first that is a refusal."""
        values = []
        for body in bodies:
            outcome = self.result(request, WireReply(None, (), body))
            if isinstance(outcome, Refusal):
                return outcome
            values.append(outcome.value)
        return Answer(values)

    def result(self, request: GraphqlRequest, reply: WireReply) -> Answer | Refusal:
        """Read one result."""
        try:
            document = from_json(reply.content)
        except ValueError:
            document = None
        if not isinstance(document, dict) or not {"data", "errors"} & document.keys():
            kind = refusal_kind(reply.status)
            remark = "the body is not a GraphQL response"
            return Refusal(kind, f"HTTP {reply.status}: {excerpt(reply.content)}", remark)
        if document.get("errors"):
            return _refusal(document, reply.status)
        if not succeeded(reply):
            return Refusal(refusal_kind(reply.status), f"HTTP {reply.status} with data")
        if not is_labelled(reply, "json"):
            return Refusal(
                "unreadable", f"the body is JSON, but its media type is {media_type(reply)}"
            )
        answer = pointer.find(document, request.answer)
        if request.unwrap or request.text:
            answer = _plain(answer, request)
        return Answer(inward(answer, self.case))

    def malformed_requests(self, request: WireRequest) -> list[Malformed]:
        """Return invalid bodies: not JSON, no document, a syntax error, an unknown field."""
        posted = WireRequest("POST", self.path, _HEADERS)
        bodies = {
            "a body that is not JSON": request.body[:-1] or b"{",
            "a request without a document": b"{}",
            "a document with a syntax error": to_json({"query": "query { "}),
            "a field that the schema does not have": to_json(
                {"query": "{ aFieldThatNoSchemaHas }"}
            ),
        }
        return [Malformed(what, replace(posted, body=body)) for what, body in bodies.items()]


class Graphql(Protocol[GraphQLSchema, GraphqlRequest]):
    """GraphQL, described by its schema definition language."""

    name = "graphql"
    description = "GraphQL schema"
    request = GraphqlRequest

    def read(self, path: Path) -> GraphQLSchema:
        """Read a schema definition."""
        try:
            return schema_of(path.read_text(encoding="utf-8"))
        except (GraphQLError, TypeError, UnicodeDecodeError) as error:
            raise InterfaceError(located(error)) from None

    def mistakes(self, interface: GraphQLSchema, request: GraphqlRequest) -> Iterator[Mistake]:
        """Yield where the document does not fit the schema, or the variables the document."""
        file = request.document
        try:
            text = file.read_text(encoding="utf-8")
            document = _document(text)
        except (GraphQLError, UnicodeDecodeError) as error:
            yield Mistake("document", file, f"a GraphQL document: {located(error)}")
            return
        for misfit in _misfits(interface, text):
            yield Mistake("document", file, f"a document that fits the schema: {misfit}")
        operation = _only_operation(document)
        if operation is None:
            yield Mistake("document", file, "one query, mutation or subscription in it")
            return
        declared = {
            definition.variable.name.value: definition
            for definition in operation.variable_definitions or ()
        }
        for key, table in (("variables", request.variables), ("literals", request.literals)):
            for word in table.keys() - declared.keys():
                expected = another_key(f"${each}" for each in declared)
                hint = close_match(word, declared)
                yield Mistake(f"{key}.{word}", table[word], expected, hint)
        for word, spelled in request.literals.items():
            for value, text in spelled.items():
                if not _is_literal(text):
                    yield Mistake(f"literals.{word}.{value}", text, "a GraphQL literal")
        for word in declared.keys() - request.variables.keys():
            if declared[word].type.kind == "non_null_type" and not declared[word].default_value:
                yield Mistake(f"variables.{word}", None, f"a value: {file.name} requires it")

    def response(self, interface: GraphQLSchema, request: GraphqlRequest) -> Shape:
        """Return what the document selects; None if it cannot be read."""
        try:
            document = _document(request.document.read_text(encoding="utf-8"))
        except (GraphQLError, UnicodeDecodeError):
            return None
        operation = _only_operation(document)
        if operation is None:
            return None
        return shape_of(interface, document, operation, request.document.name)

    def wrong_answer(
        self,
        interface: GraphQLSchema,
        request: GraphqlRequest,
        case: KeyCase,  # noqa: ARG002  (the pointer has keys as the document has them)
    ) -> Iterator[Mistake]:
        """Yield why `answer` leads to nothing that the document selects."""
        yield from super().wrong_answer(interface, request, "snake")

    def kinds(self, interface: GraphQLSchema, request: GraphqlRequest) -> dict[str, Kinds]:
        """Return the kinds of values that the types of the variables allow.

        Values that the request spells in another way are left out.
        """
        operation = _only_operation(_document(request.document.read_text(encoding="utf-8")))
        assert operation is not None
        plain = {
            key: variable
            for key, variable in request.variables.items()
            if key not in request.literals
        }
        of_variables = united(kinds_in_variables(interface, operation, plain))
        return {name: kinds for name, kinds in of_variables.items() if name not in request.values}

    def codec(
        self,
        domain: Domain,
        interface: GraphQLSchema,
        path: str,
    ) -> GraphqlCodec:
        """Return the codec; all requests go to the contender's path."""
        return GraphqlCodec(path, domain.interface.case(self.name), interface)


PROTOCOL = Graphql()


@lru_cache(maxsize=256)
def _document(text: str) -> DocumentNode:
    """Return a document that nothing changes. Raises `GraphQLError`."""
    return parse(text)


@lru_cache(maxsize=256)
def _misfits(schema: GraphQLSchema, document: str) -> tuple[str, ...]:
    """Return why a document does not fit a schema, cached: it takes most of loading a domain."""
    return tuple(located(misfit) for misfit in validate(schema, _document(document)))


def subscribes(document: str) -> bool:
    """Return whether a document is a subscription."""
    return _kind_of(document) == OperationType.SUBSCRIPTION


@lru_cache(maxsize=256)
def _kind_of(document: str) -> OperationType | None:
    operation = _only_operation(_document(document))
    return None if operation is None else operation.operation


def _by_hash(path: str, document: str, variables: object) -> WireRequest:
    """Send the hash of a document; the document itself is sent before it if the server lacks it.

    A GET has no body; its content type shows the server that no HTML form of another site made the
    request.
    """
    digest = sha256(document.encode()).hexdigest()
    extensions = {"persistedQuery": {"version": 1, "sha256Hash": digest}}
    query = {"variables": to_json(variables), "extensions": to_json(extensions)}
    whole = {"query": document, "variables": variables, "extensions": extensions}
    introduction = WireRequest("POST", path, _HEADERS, to_json(whole))
    return WireRequest(
        "GET",
        f"{path}?{urlencode(query)}",
        _HEADERS,
        introduction=QueryIntroduction(introduction, _UNKNOWN),
    )


def _is_literal(text: str) -> bool:
    try:
        parse_const_value(text)
    except GraphQLError:
        return False
    return True


def _plain(value: object, request: GraphqlRequest) -> object:
    if isinstance(value, list):
        return [_plain(item, request) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and next(iter(value)) in request.unwrap:
        return _plain(next(iter(value.values())), request)
    plain = {
        key: item if type(item) in SCALARS else _plain(item, request) for key, item in value.items()
    }
    for key in request.text:
        if isinstance(value.get(key), int):
            plain[key] = str(value[key])
    return plain


def _refusal(document: dict[str, Any], status: int | None) -> Refusal:
    first = document["errors"][0] if isinstance(document["errors"], list) else {}
    message = str(first.get("message", "")) if isinstance(first, dict) else str(first)
    extensions = (first.get("extensions") or {}) if isinstance(first, dict) else {}
    code = extensions.get("code")
    if code in _KINDS:
        return Refusal(_KINDS[code], f"{code}: {message}")
    if code is None and document.get("data") is None and "path" not in first:
        # Refused before it was executed: the document or its variables do not fit the schema.
        kind: RefusalOrFault = "internal" if (status or 0) >= 500 else "invalid"
        return Refusal(kind, message)
    return Refusal("internal", f"{code or 'an error without a code'}: {message}")


def _only_operation(document: DocumentNode) -> OperationDefinitionNode | None:
    operations = [it for it in document.definitions if isinstance(it, OperationDefinitionNode)]
    return operations[0] if len(operations) == 1 else None


def located(error: Exception) -> str:
    """Return an error of graphql-core in one line, with its place in the document."""
    if isinstance(error, GraphQLError) and error.locations:
        location = error.locations[0]
        return f"{error.message} (line {location.line}, column {location.column})"
    return " ".join(str(error).split())
