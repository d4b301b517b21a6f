"""Read what an operation of OpenAPI sends: its parameters, how they are written, and its body."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from wirelab.inputs.credential_names import names_a_credential
from wirelab.protocol.descriptions.openapi import FORM, is_json, json_type, media_types
from wirelab.protocol.descriptions.openapi_required import IGNORED
from wirelab.protocol.styles import IN_PATH, IN_QUERY
from wirelab.scaffold.descriptions.given import Details
from wirelab.scaffold.descriptions.offer import Parameter
from wirelab.scaffold.descriptions.openapi_schemas import Schemas, as_dict, as_list, kind_of
from wirelab.scaffold.names import KEYS, LIMITS, spelled, words

JSON = "application/json"
OPTIONAL_BODIES = ("get", "head", "delete")
"""Methods whose requests have no body unless they need one."""
COLLECTIONS = {"csv": "form", "ssv": "spaceDelimited", "pipes": "pipeDelimited", "multi": "form*"}
"""The styles of version 2.0 by their names there."""
SEPARATED = {"csv": "simple", "ssv": "simple", "pipes": "simple"}


class LeftOutError(Exception):
    """The operation is left out; the text is the reason."""


@dataclass
class RequestParts:
    """The templates of a request, with the parameters that they need."""

    path: str
    parameters: list[Parameter] = field(default_factory=list)
    query: list[str] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    cookies: list[str] = field(default_factory=list)
    styles: dict[str, str] = field(default_factory=dict)
    body: object = None
    form: dict[str, str] = field(default_factory=dict)

    def named(self, name: str, location: str) -> str:
        """Return the name of a new parameter, which no other one of the operation has."""
        plain = re.sub(r"[^A-Za-z0-9_]", "_", name) or location
        plain = plain if not plain[0].isdigit() else f"_{plain}"
        taken = {each.name for each in self.parameters}
        return f"{plain}_in_{location}" if plain in taken else plain

    @property
    def undescribed(self) -> list[str]:
        """The parameters in the path that the document does not describe."""
        known = {each.name for each in self.parameters}
        return [name for name in re.findall(r"\{([^}]*)\}", self.path) if name not in known]

    def binding(self) -> dict[str, Any]:
        """Return the keys of a binding that are not empty."""
        cookie = {"cookie": "; ".join(self.cookies)} if self.cookies else {}
        keys = {
            "styles": self.styles,
            "headers": self.headers | cookie,
            "form": self.form,
        }
        body = {} if self.body is None else {"body": self.body}
        return {key: value for key, value in keys.items() if value} | body


class RequestReader:
    """Reads one operation.

    `by_fields` is whether the properties of a JSON body are parameters, instead of the whole.
    """

    def __init__(self, schemas: Schemas, details: Details, *, by_fields: bool) -> None:
        self.schemas = schemas
        self.details = details
        self.by_fields = by_fields

    def read(
        self, path: str, method: str, operation: dict[str, Any], listed: Iterable[object]
    ) -> RequestParts:
        """Return the templates of a request. Raises `LeftOutError` if it cannot be sent."""
        request = RequestParts(path)
        resolved = map(self.schemas.resolved, listed)
        declared = {(str(each.get("name")), each.get("in")): each for each in resolved}
        in_body: list[tuple[str, dict[str, Any]]] = []
        for (name, location), each in declared.items():
            if location in ("body", "formData"):
                in_body.append((name, each))
            else:
                self._add(request, name, str(location), each)
        if in_body:
            self._body_of_version_2(request, in_body, operation)
        else:
            self._body(request, method, operation)
        if request.query:
            request.path += "?" + "&".join(request.query)
        return request

    def _add(self, request: RequestParts, name: str, location: str, each: dict[str, Any]) -> None:
        """Add a parameter of the URL, the headers or the cookies, if the request needs it."""
        required = location == "path" or each.get("required") is True
        chosen = required or self.details.has_values(name)
        given = request.named(name, location)
        if location == "path":
            request.path = request.path.replace(f"{{{name}}}", f"{{{given}}}")
        elif location == "query":
            chosen = chosen or self._is_suggested(name, each)
        elif location == "header":
            chosen = chosen and name.lower() not in IGNORED and not names_a_credential(name)
        else:
            chosen = chosen and location == "cookie" and not names_a_credential(name)
        if not chosen:
            return
        parameter = self.parameter(given, each, required=required)
        request.parameters.append(parameter)
        if location == "query":
            request.query.append(f"{quote(name, safe=SAFE)}={{{given}}}")
        elif location == "header":
            request.headers[name.lower()] = f"{{{given}}}"
        elif location == "cookie":
            request.cookies.append(f"{quote(name)}={{{given}}}")
        style = _style(each, location, parameter.kind)
        if style != (IN_PATH if location in ("path", "header") else IN_QUERY):
            request.styles[given] = style

    def _is_suggested(self, name: str, each: dict[str, Any]) -> bool:
        """Return whether the document gives an optional parameter an example, or it is a limit."""
        described, schema = _media_of(each), self._schema(each)
        has_default = bool(self.schemas.examples(described, schema)) and spelled(name) in LIMITS
        return has_default or any(
            holder.get(key) is not None
            for holder in (described, schema)
            for key in ("example", "examples")
        )

    def parameter(self, name: str, each: dict[str, Any], *, required: bool = True) -> Parameter:
        """Return a parameter with its examples."""
        schema = self._schema(each)
        examples = self.schemas.examples(_media_of(each), schema)
        return Parameter(name, kind_of(schema), required, examples, schema)

    def _schema(self, each: dict[str, Any]) -> dict[str, Any]:
        own = {key: each[key] for key in ("type", "enum", "default", "items") if key in each}
        return self.schemas.plain(self.schemas.resolved(_media_of(each).get("schema") or own))

    def _body_of_version_2(
        self,
        request: RequestParts,
        listed: list[tuple[str, dict[str, Any]]],
        operation: dict[str, Any],
    ) -> None:
        consumed = [str(each).lower() for each in as_list(operation.get("consumes"))]
        consumed = consumed or [
            str(media_type).lower() for media_type in as_list(self._document("consumes"))
        ]
        needed = [(name, it) for name, it in listed if it.get("required") is True]
        if any(each.get("type") == "file" for _, each in needed):
            raise LeftOutError("uploads a file")
        fields = [(name, it) for name, it in listed if it.get("in") == "formData"]
        if not fields:
            known = {each.partition(";")[0].strip() for each in consumed}
            media = (json_type(known) if known else JSON) or ""
            name, described = listed[0]
            if not media and (needed or self.by_fields):
                raise LeftOutError(f"sends {' or '.join(consumed)}, not JSON")
            if needed or self.by_fields:
                self._json(request, name, described, media)
            return
        if needed and "multipart/form-data" in consumed and FORM not in consumed:
            raise LeftOutError("sends multipart/form-data, not JSON or a URL-encoded form")
        for name, described in fields:
            if described.get("required") is True or self.details.has_values(name):
                given = request.named(name, "form")
                request.parameters.append(self.parameter(given, described))
                self._field(request, name, given, _style(described, "query", "array"))

    def _document(self, key: str) -> object:
        return self.schemas.document.get(key)

    def _body(self, request: RequestParts, method: str, operation: dict[str, Any]) -> None:
        described = self.schemas.resolved(as_dict(operation.get("requestBody")))
        known = media_types(described.get("content"))
        required = described.get("required") is True
        if not known or (method in OPTIONAL_BODIES and not required and not self.by_fields):
            return
        media = json_type(known)
        if media is not None:
            self._json(request, "body", known[media], media)
        elif FORM in known:
            self._form(request, known[FORM])
        elif required or method not in OPTIONAL_BODIES:
            raise LeftOutError(self._unsendable(known))

    def _unsendable(self, known: dict[str, dict[str, Any]]) -> str:
        """Return why a body of other media types is not sent."""
        schemas = [self.schemas.resolved(parameter.get("schema")) for parameter in known.values()]
        members = [
            member for schema in schemas for member in self.schemas.properties(schema).values()
        ]
        parts = [
            *schemas,
            *members,
            *(self.schemas.resolved(member.get("items")) for member in members),
        ]
        kinds = ", ".join(known)
        if "octet-stream" in kinds or any(part.get("format") == "binary" for part in parts):
            return "uploads a file"
        if "multipart" in kinds and not members:
            return "uploads a file"
        return f"sends {kinds}, neither JSON nor a URL-encoded form"

    def _json(
        self, request: RequestParts, name: str, described: dict[str, Any], media: str
    ) -> None:
        """Add a JSON body: one parameter, or one for each property that is needed."""
        if is_json(media) and media != JSON:
            request.headers["content-type"] = media
        schema = self.schemas.plain(self.schemas.resolved(as_dict(described.get("schema"))))
        properties = self.schemas.properties(schema)
        chosen = self._fields(schema, properties)
        has_columns = any(map(self.details.has_values, properties))
        if properties and (self.by_fields or has_columns):
            body = {}
            for member, inner in chosen.items():
                given = request.named(member, "body")
                request.parameters.append(self.parameter(given, {"schema": inner}))
                body[member] = f"{{{given}}}"
            request.body = body
            return
        examples = self.schemas.examples(described, schema)
        given = request.named(name, "body")
        kind = kind_of(schema) if schema.get("type") else "object"
        request.parameters.append(Parameter(given, kind, True, examples, schema))
        request.body = f"{{{given}}}"

    def _fields(
        self, schema: dict[str, Any], properties: dict[str, dict[str, Any]]
    ) -> dict[str, dict[str, Any]]:
        """Return the properties that a request sets: needed ones, otherwise plain values."""
        required = self.schemas.required(schema)
        needed = {
            name: it
            for name, it in properties.items()
            if (name in required and not it.get("readOnly")) or self.details.has_values(name)
        }
        plain = {
            name: it
            for name, it in properties.items()
            if kind_of(it) in ("string", "integer", "number") and not it.get("readOnly")
        }
        keys = {name: it for name, it in plain.items() if {*words(name)[-1:]} & KEYS}
        return needed or keys or plain

    def _form(self, request: RequestParts, media: dict[str, Any]) -> None:
        schema = self.schemas.plain(self.schemas.resolved(as_dict(media.get("schema"))))
        properties = self.schemas.properties(schema)
        required = self.schemas.required(schema)
        encoding = as_dict(media.get("encoding"))
        if any(
            properties[name].get("format") == "binary" for name in required if name in properties
        ):
            raise LeftOutError("uploads a file")
        for name, inner in properties.items():
            if name in required or self.details.has_values(name):
                given = request.named(name, "form")
                request.parameters.append(self.parameter(given, {"schema": inner}))
                written = {**as_dict(encoding.get(name)), "schema": inner}
                self._field(request, name, given, _style(written, "query", kind_of(inner)))

    def _field(self, request: RequestParts, name: str, given: str, style: str) -> None:
        request.form[name] = f"{{{given}}}"
        if style != IN_QUERY:
            request.styles[given] = style


def _media_of(parameter: dict[str, Any]) -> dict[str, Any]:
    """Return what has the schema and the examples of a parameter: itself, or its only content."""
    return next(iter(media_types(parameter.get("content")).values()), parameter)


SAFE = "!$'()*+,;:@/?[]-._~"
"""The characters of a name in a query that stay as they are."""


def _style(each: dict[str, Any], location: str, kind: str) -> str:
    """Return how the value of a parameter is written, with `*` if it is exploded."""
    if each.get("content"):
        return "json"
    collection = str(each.get("collectionFormat") or "")
    if collection == "tsv" and each.get("required") is True:
        raise LeftOutError("sends values that are separated by tabs")
    if "schema" not in each and "style" not in each and each.get("type") == "array":
        kinds = SEPARATED if location == "path" else COLLECTIONS
        return kinds.get(collection or "csv", IN_PATH if location == "path" else "form")
    usual = "form" if location in ("query", "cookie") else "simple"
    style = str(each.get("style") or usual)
    exploded = each.get("explode", style == "form")
    if style == "deepObject":
        return "deepObject*"
    if style in ("spaceDelimited", "pipeDelimited"):
        return IN_QUERY if exploded else style
    if kind not in ("array", "object"):  # a single value is the same, exploded or not
        return style if style in ("label", "matrix") else (IN_PATH, IN_QUERY)[style == "form"]
    return f"{style}*" if exploded else style
