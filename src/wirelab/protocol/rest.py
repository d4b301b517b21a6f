"""REST: a method, a path and JSON bodies, described by OpenAPI."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Literal
from urllib.parse import unquote

import yaml
from pydantic import Field

from wirelab.domain.kinds import Kinds, united
from wirelab.domain.model import Domain, KeyCase, RequestTemplate
from wirelab.engine.job import Transport
from wirelab.inputs.close_match import close_match, closest, one_of
from wirelab.inputs.credential_names import names_a_credential
from wirelab.inputs.header_values import unfit
from wirelab.protocol.answer_shape import Items, Shape, Single, unknown
from wirelab.protocol.base import Codec, Mistake, Protocol
from wirelab.protocol.descriptions.openapi import (
    FORM,
    find_path,
    kinds_in_request,
    operation_of,
    parameters_of,
)
from wirelab.protocol.descriptions.openapi_answer import shape_of
from wirelab.protocol.descriptions.openapi_required import (
    missing_headers,
    missing_queries,
    mistakes_in_body,
)
from wirelab.protocol.http import (
    EVENT_STREAM,
    as_exact_text,
    event_data,
    excerpt,
    from_json,
    is_labelled,
    json_or_text,
    media_type,
    refusal_kind,
    to_json,
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
    answer_at,
)
from wirelab.protocol.styles import Style, fill_form, fill_header, fill_url
from wirelab.protocol.template import fill
from wirelab.terminal.untrusted import NESTED
from wirelab.terminal.words import listed

METHODS = ("get", "post", "put", "patch", "delete", "head", "options", "trace", "query")
"""The methods that a path of an OpenAPI document can have."""

PROBLEM_JSON = "application/problem+json"
"""The media type of errors of HTTP APIs: RFC 9457."""

DEEPEST = 500
"""Maximum depth of an OpenAPI document in YAML."""
_INDENTED = re.compile(rf"^[ \-?]{{{DEEPEST}}}", re.MULTILINE)
"""A line that can begin this many collections of YAML's block style."""


class RestRequest(RequestTemplate):
    """`[operation.NAME.rest]`: one HTTP request."""

    method: str = Field(pattern=r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
    """The HTTP method: any token (RFC 9110, 9.1)."""
    path: str = Field(pattern="^(/.*)?$")
    """Path and query below the contender's own `path`, such as `/notes?limit={limit}`. Inserted
    values are quoted for URLs."""
    base: str | None = Field(default=None, pattern="^(/.*)?$")
    """Path of the server that has this operation, if that is not the contender's `path`."""
    styles: dict[str, Style] = Field(default={})
    """By parameter: how a list or an object is written in the URL or the form, by the styles of
    OpenAPI, with `*` for those that are exploded. Default: `simple` in the path, `form*` in the
    query and in a form, such as `?id=1&id=2`."""
    headers: dict[str, str] = Field(default={})
    """Headers by name, in addition to `accept` and, with a body, `content-type`. Default: none."""
    body: Any = None
    """The request body, sent as JSON. Default: no body."""
    form: dict[str, Any] = Field(default={})
    """The fields of a form, which is sent URL-encoded instead of `body`. Default: no form."""
    status: int = 200
    """The HTTP status of a successful response. Any other status counts as a refusal or a fault."""
    content: Literal["json", "text", "any", "events"] = "json"
    """How the response body is read: `json`; `text`; `any` (JSON if it is valid JSON, otherwise
    text); or `events` (server-sent events until the server ends the response: the answer is the
    list of their data, each of them JSON)."""


@dataclass(frozen=True)
class RestCodec(Codec[RestRequest]):
    """Operations as HTTP requests with JSON bodies, all below one path."""

    path: str
    case: KeyCase
    protocol = "rest"
    transport: ClassVar[Transport] = "http1"

    def encode_request(self, request: RestRequest, parameters: Mapping[str, object]) -> WireRequest:
        """Encode one request."""
        streams = request.content == "events"
        headers = {"accept": EVENT_STREAM if streams else "application/json"}
        body = b""
        if request.body is not None:
            headers["content-type"] = "application/json"
            body = to_json(outward(fill(request.body, parameters), self.case))
        elif request.form:
            headers["content-type"] = FORM
            filled: Any = fill(request.form, parameters)
            body = fill_form(request.form, filled, request.styles)
        for name, template in request.headers.items():
            value = fill_header(name.lower(), template, parameters, request.styles)
            if why := unfit(value):
                raise CannotEncodeError(f"the value of the header {name} {why}")
            headers[name.lower()] = value
        base = self.path if request.base is None else request.base
        path = base.rstrip("/") + fill_url(request.path, parameters, request.styles) or "/"
        return WireRequest(request.method, path, tuple(headers.items()), body, stream=streams)

    def decode_reply(self, request: RestRequest, reply: WireReply) -> Answer | Refusal:
        """Decode the reply to one request."""
        if reply.status != request.status:
            return _refusal(request, reply)
        if request.content == "events":
            return _events(request, reply, self.case)
        if request.content != "json":
            read = as_exact_text if request.content == "text" else json_or_text
            return answer_at(inward(read(reply.content), self.case), request.answer)
        try:
            document = from_json(reply.content or b"null")
        except ValueError as error:
            return Refusal("unreadable", f"the body is not JSON: {error}")
        if reply.body and not is_labelled(reply, "json"):
            return Refusal(
                "unreadable",
                f"the body is JSON, but its media type is {media_type(reply)}, not"
                " application/json",
            )
        return answer_at(inward(document, self.case), request.answer)

    def malformed_requests(self, request: WireRequest) -> list[Malformed]:
        """Return the request with invalid bodies; an empty list if it has no JSON."""
        is_json = any(name == "content-type" and "json" in value for name, value in request.headers)
        if not (request.body and is_json):
            return []
        return [
            Malformed("a body that is not JSON", replace(request, body=request.body[:-1] + b",")),
            Malformed("a JSON body of the wrong type", replace(request, body=b"[[]]")),
        ]


class Rest(Protocol[dict[str, Any], RestRequest]):
    """REST, described by OpenAPI 3."""

    name = "rest"
    description = "OpenAPI document"
    describes_itself = True
    request = RestRequest

    def read(self, path: Path) -> dict[str, Any]:
        """Read an OpenAPI document, YAML or JSON."""
        try:
            document = load_yaml(path.read_text(encoding="utf-8"))
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise InterfaceError(yaml_error(error)) from None
        if not isinstance(document, dict) or not isinstance(document.get("paths"), dict):
            raise InterfaceError("it has no paths")
        return document

    def mistakes(self, interface: dict[str, Any], request: RestRequest) -> Iterator[Mistake]:
        """Yield what is not in the document, or what it requires besides headers.

        That is paths, query parameters, methods, statuses, bodies and their properties.
        """
        path, _, query = request.path.partition("?")
        described = find_path(interface, path)
        if described is None:
            hint = close_match(path, interface["paths"])
            yield Mistake("path", request.path, one_of(interface["paths"]), hint)
            return
        item = described.item
        methods = [name.upper() for name in item if name.lower() in METHODS]
        if request.method not in methods:
            yield Mistake("method", request.method, f"{one_of(methods)} for {path}")
            return
        operation = operation_of(interface, item, request.method)
        resolved = parameters_of(interface, item, operation)
        queries = [each["name"] for each in resolved if each.get("in") == "query"]
        words = [unquote(part.partition("=")[0]) for part in query.split("&") if part]
        for word in words:
            if word not in queries:
                hint = close_match(word, queries)
                yield Mistake("path", request.path, f"as query parameter {one_of(queries)}", hint)
        shown = f"{request.method} {path}"
        if missing := list(missing_queries(resolved, words)):
            expected = f"{listed(missing)} in the query, which {shown} requires"
            more = "&".join(f"{name}=…" for name in missing)
            hint = f"write {path}?{'&'.join(filter(None, (query, more)))}"
            yield Mistake("path", request.path, expected, hint)
        if not request.form:
            yield from mistakes_in_body(interface, operation, resolved, request.body, shown=shown)
        statuses = [str(status) for status in operation.get("responses") or {}]
        right = {str(request.status), f"{request.status // 100}XX", "default"}
        if statuses and not right & set(statuses):  # optional since OpenAPI 3.1
            yield Mistake("status", request.status, one_of(statuses))

    def kinds(self, interface: dict[str, Any], request: RestRequest) -> dict[str, Kinds]:
        """Return the kinds of values that the schemas of the document allow."""
        return united(kinds_in_request(interface, request.path, request.method, request.body))

    def response(self, interface: dict[str, Any], request: RestRequest) -> Shape:
        """Return the form of the body as the document describes it."""
        described = find_path(interface, request.path.partition("?")[0])
        if request.content == "text":
            return Single()
        if request.content == "events":
            return Items(unknown)
        if described is None:
            return None
        operation = operation_of(interface, described.item, request.method)
        what = f"a key of the response to {request.method} {described.path}"
        return shape_of(interface, operation, request.status, what)

    def missing_headers(
        self, interface: dict[str, Any], request: RestRequest
    ) -> Iterator[tuple[str, Mistake]]:
        """Yield the headers that the document requires and the request lacks.

        Those with credentials are left out: servers say that they need them, if they do.
        """
        described = find_path(interface, request.path.partition("?")[0])
        if described is None:
            return
        operation = operation_of(interface, described.item, request.method)
        resolved = parameters_of(interface, described.item, operation)
        for name in missing_headers(resolved, request.headers):
            if not names_a_credential(name):
                expected = f"a value, which {request.method} {described.path} requires"
                close = closest(name, request.headers)
                hint = f"did you mean it by {close!r}?" if close else ""
                yield name, Mistake(f"headers.{name}", None, expected, hint)

    def codec(
        self,
        domain: Domain,
        interface: dict[str, Any],  # noqa: ARG002  (needed only to check the templates)
        path: str,
    ) -> RestCodec:
        """Return the codec; every path begins with the contender's own."""
        return RestCodec(path, domain.interface.case(self.name))

    def bind(self, domain: Domain, path: str = "/") -> RestCodec:
        """Return the codec for a domain and a contender's path."""
        return self.codec(domain, {}, path)


PROTOCOL = Rest()


def load_yaml(text: str) -> Any:
    """Parse YAML or JSON, with libyaml if available: a description may have megabytes.

    Dates and times are text, as in JSON: OpenAPI allows only the types that JSON has. Raises
    `yaml.YAMLError` if it is neither, or nested too deeply.
    """
    if text.lstrip().startswith("{"):
        try:
            return json.loads(text)
        except RecursionError:
            raise yaml.YAMLError(NESTED) from None
        except ValueError:
            pass
    if _may_be_deep(text) and _is_deep(text):
        raise yaml.YAMLError(NESTED)
    return yaml.load(text, Loader=_loader())  # noqa: S506  (it is a safe loader)


def yaml_error(error: Exception) -> str:
    """Return an error of `load_yaml` in one line, without its name for a text that has no file."""
    return re.sub(r'in "<\w+ string>", line', "in line", " ".join(str(error).split()))


def _may_be_deep(text: str) -> bool:
    """Return whether a YAML text can be nested beyond `DEEPEST`; fast, unlike `_is_deep`."""
    return text.count("[") + text.count("{") > DEEPEST or _INDENTED.search(text) is not None


def _is_deep(text: str) -> bool:
    """Return whether a YAML text is nested so deeply that libyaml would exceed the stack."""
    depth = 0
    for event in yaml.parse(text, Loader=_loader()):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEEPEST:
            return True
    return False


_PLAIN = {
    "bool": (r"true|True|TRUE|false|False|FALSE", "tTfF"),
    "null": (r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    "int": (r"-?(?:0|[1-9][0-9]*)", "-0123456789"),
    "float": (
        r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|-?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
        "-.0123456789",
    ),
    "merge": (r"<<", "<"),
}
"""What plain scalars of YAML 1.2 mean, and their first characters; all others are text.

Numbers are those of JSON, as OpenAPI requires (3.0.3, 4.3): 0123, 0x1F and 1_000 are text.
"""


@cache
def _loader() -> Any:
    safe: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    loader: Any = type("Yaml12Loader", (safe,), {"yaml_implicit_resolvers": {}})
    for kind, (pattern, first) in _PLAIN.items():
        form = re.compile(rf"^(?:{pattern})$")
        loader.add_implicit_resolver(f"tag:yaml.org,2002:{kind}", form, list(first))
    return loader


def _events(request: RestRequest, reply: WireReply, case: KeyCase) -> Answer | Refusal:
    """Return the data of all events, each of them JSON."""
    if media_type(reply) != EVENT_STREAM:
        form = media_type(reply) or "missing"
        return Refusal("unreadable", f"the body's media type is {form}, not {EVENT_STREAM}")
    answers: list[object] = []
    for number, data in enumerate(event_data(reply), start=1):
        try:
            answers.append(inward(from_json(data.encode()), case))
        except ValueError as error:
            return Refusal("unreadable", f"the data of event {number} is not JSON: {error}")
    return answer_at(answers, request.answer)


def _refusal(request: RestRequest, reply: WireReply) -> Refusal:
    kind = refusal_kind(reply.status)
    detail = f"HTTP {reply.status}: {excerpt(reply.content)}"
    if kind == "unreadable":
        return Refusal(
            kind, f"HTTP {reply.status}, neither {request.status} nor the status of a refusal"
        )
    form = media_type(reply)
    remark = (
        ""
        if form == PROBLEM_JSON
        else f"the error's media type is {form or 'missing'}, not {PROBLEM_JSON}"
    )
    return Refusal(kind, detail, remark)
