"""Read an OpenAPI document: versions 2.0 to 3.2, YAML or JSON, with or without references.

References to other documents are never fetched: operations that need them are left out and listed.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from wirelab.domain import pointer
from wirelab.domain.model import Effect
from wirelab.inputs.problems import Problem, ProblemsError
from wirelab.protocol.descriptions.openapi import local_path, value_at
from wirelab.protocol.rest import load_yaml, yaml_error
from wirelab.scaffold.descriptions.offer import LeftOut, Offer, OfferedInterface, Parameter, path_of
from wirelab.scaffold.descriptions.references import Broken, References
from wirelab.scaffold.lists import answers_list
from wirelab.scaffold.names import operation_name
from wirelab.terminal import words

METHODS: Mapping[str, Effect] = {
    "get": "read",
    "post": "write",
    "put": "write",
    "patch": "write",
    "delete": "write",
}
DEEPEST = 6
"""Maximum depth of an answer's values, since schemas may be recursive."""


class _RemoteError(Exception):
    """A reference to another document; the text is the reference."""


def read_openapi(file: Path) -> OfferedInterface:
    """Read the operations of a document. Raises `ProblemsError` if it is not OpenAPI."""
    try:
        document = load_yaml(file.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        invalid = f"not valid YAML or JSON: {yaml_error(error)[:300]}"
        raise ProblemsError([Problem(str(file), "", invalid, "")]) from None
    if not isinstance(document, dict) or not isinstance(document.get("paths"), dict):
        expected = "an OpenAPI document, with paths"
        raise ProblemsError([Problem(str(file), "paths", None, expected)])
    return _Reader(file, document).interface()


class _Reader:
    def __init__(self, file: Path, document: dict[str, Any]) -> None:
        self.file = file
        self.document = document
        self.names: set[str] = set()
        self.references = References(document)
        self.needed: set[Broken] = set()
        """Those broken references that an operation needs."""

    def interface(self) -> OfferedInterface:
        offers, left_out = [], []
        for path, written in self.document["paths"].items():
            try:
                item = self.resolved(written)
            except _RemoteError as remote:
                left_out.append(LeftOut(str(path), str(remote)))
                continue
            if not item and (reference := _dict(written).get("$ref")):
                left_out.append(LeftOut(str(path), f"needs {reference}, which leads nowhere"))
            for method, effect in METHODS.items():
                if not isinstance(item.get(method), dict):
                    continue
                shown = f"{method.upper()} {path}"
                try:
                    offers.append(self.offer(str(path), method, effect, item))
                except (_RemoteError, _LeftOutError) as why:
                    left_out.append(LeftOut(shown, str(why)))
        return OfferedInterface(
            "rest", tuple(offers), tuple(left_out), tuple(self.notes()), self.base()
        )

    def offer(self, path: str, method: str, effect: Effect, item: dict[str, Any]) -> Offer:
        operation = item[method]
        listed = [*_list(item.get("parameters")), *_list(operation.get("parameters"))]
        declared = {(each.get("name"), each.get("in")): each for each in map(self.resolved, listed)}
        parameters: list[Parameter] = []
        query: list[str] = []
        headers: dict[str, str] = {}
        template = path
        for (name, location), each in declared.items():
            parameter = self.parameter(str(name), each, required=location == "path")
            if location == "path":
                template = template.replace(f"{{{name}}}", f"{{{parameter.name}}}")
                parameters.append(parameter)
            elif location == "query" and (parameter.required or parameter.examples):
                query.append(f"{name}={{{parameter.name}}}")
                parameters.append(parameter)
            elif location == "header" and parameter.required and not _is_credential(str(name)):
                headers[str(name).lower()] = f"{{{parameter.name}}}"
                parameters.append(parameter)
            elif location in ("formData", "body") and parameter.required:
                parameters += self.body_of_version_2(str(name), location, each)
        body = self.body(operation, parameters)
        if query:
            template += "?" + "&".join(query)
        answered, answer = self.answer(operation)
        status = int(answered) if answered.isdecimal() else 200
        problems = tuple(self.problems(path, method, answered))
        for missing in set(re.findall(r"\{([^}]*)\}", template)) - {p.name for p in parameters}:
            if not problems:  # one of them may be the reason
                raise _LeftOutError(f"does not describe {{{missing}}}, which its path contains")
        written = str(operation.get("operationId") or f"{method} {path}")
        name = operation_name(_without_path(written, method, path), self.names)
        values = dict(self.leaves(answer, "", DEEPEST))
        return Offer(
            protocol="rest",
            name=name,
            summary=_line(operation.get("summary") or operation.get("description") or name),
            effect=effect,
            parameters=tuple(parameters),
            binding={
                "method": method.upper(),
                "path": template,
                **({"headers": headers} if headers else {}),
                **({"body": body} if body is not None else {}),
                **({"status": status} if status != 200 else {}),
            },
            answer=values,
            lists=answers_list(values),
            problems=problems,
        )

    def problems(self, path: str, method: str, status: str) -> Iterator[Problem]:
        """Yield the broken references in what a request needs, and in its successful response."""
        item: tuple[str, ...] = ("paths", path)
        for _ in range(DEEPEST):  # the item may be referred to by a reference, too
            item = local_path(str(_at(self.document, item).get("$ref", ""))) or item
        needed = [(*item, method, key) for key in ("parameters", "requestBody")]
        needed += [(*item, "parameters"), (*item, method, "responses", status)]
        for each in self.references.broken_in(needed):
            self.needed.add(each)
            yield each.problem(str(self.file), self.document)

    def parameter(self, name: str, each: dict[str, Any], *, required: bool) -> Parameter:
        schema = self.resolved(
            each.get("schema") or {k: each[k] for k in ("type", "enum", "default") if k in each}
        )
        examples = [
            *([each["example"]] if "example" in each else []),
            *(
                example.get("value")
                for example in map(self.resolved, _dict(each.get("examples")).values())
            ),
            *_examples(schema),
        ]
        return Parameter(
            name=re.sub(r"\W", "_", name),
            kind=_kind(schema),
            required=required or bool(each.get("required")),
            examples=tuple(example for example in examples if example is not None),
            schema=schema,
        )

    def body_of_version_2(self, name: str, location: str, each: dict[str, Any]) -> list[Parameter]:
        if each.get("type") == "file":
            raise _LeftOutError("uploads a file")
        if location == "formData":
            raise _LeftOutError("sends a form; wirelab sends JSON bodies only")
        return [self.parameter(name, each, required=True)]

    def body(self, operation: dict[str, Any], parameters: list[Parameter]) -> object:
        """Return the template of the request's body, if any, and add its parameters."""
        request = self.resolved(_dict(operation.get("requestBody")))
        content = _dict(request.get("content"))
        if not content:
            bodies = [each for each in parameters if each.schema and each.kind == "object"]
            return f"{{{bodies[0].name}}}" if bodies else None
        json_type = next((media for media in content if "json" in media), None)
        if json_type is None:
            kinds = ", ".join(content)
            uploads = "multipart" in kinds or "octet-stream" in kinds
            raise _LeftOutError("uploads a file" if uploads else f"sends {kinds}, not JSON")
        media = _dict(content[json_type])
        schema = self.resolved(_dict(media.get("schema")))
        shown = [
            *([media["example"]] if "example" in media else []),
            *(
                example.get("value")
                for example in map(self.resolved, _dict(media.get("examples")).values())
            ),
            *_examples(schema),
        ]
        known = tuple(value for value in shown if value is not None)
        parameters.append(Parameter("body", "object", True, known, schema))
        return "{body}"

    def answer(self, operation: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return the status of success, or "default", and the schema of its JSON."""
        responses = {
            str(key): response for key, response in _dict(operation.get("responses")).items()
        }
        right = sorted(
            response for response in responses if response[:1] == "2" and response.isdecimal()
        )
        chosen = right[0] if right else "default"
        response = self.resolved(_dict(responses.get(chosen)))
        content = _dict(response.get("content"))
        json_type = next((media for media in content if "json" in media), None)
        schema = _dict(content[json_type]).get("schema") if json_type else response.get("schema")
        return chosen, self.resolved(_dict(schema))

    def leaves(self, schema: dict[str, Any], path: str, depth: int) -> Iterator[tuple[str, str]]:
        """Yield the values of an answer by path; stops where a schema contains itself."""
        if depth == 0:
            return
        for part in (schema, *map(self.resolved, _list(schema.get("allOf")))):
            for name, member in _dict(part.get("properties")).items():
                yield from self.leaves(self.resolved(_dict(member)), f"{path}/{name}", depth - 1)
            if part.get("items"):
                yield from self.leaves(self.resolved(_dict(part["items"])), f"{path}/*", depth - 1)
        kind = _kind(schema)
        if kind not in ("object", "array") and path:
            yield path.removeprefix("/"), kind

    def resolved(self, node: Any) -> dict[str, Any]:
        """Resolve references inside the document, circular ones only once."""
        seen: set[str] = set()
        while isinstance(node, dict) and isinstance(node.get("$ref"), str):
            reference = node["$ref"]
            if not reference.startswith("#"):
                raise _RemoteError(
                    f"needs another document, {reference}, which is not fetched automatically"
                )
            if reference in seen:
                return {}
            seen.add(reference)
            path = local_path(reference)
            node = {} if path is None else value_at(self.document, path)
        return node if isinstance(node, dict) else {}

    def base(self) -> str:
        """Return the common prefix of all paths, from the first server in the document."""
        servers = _list(self.document.get("servers"))
        url = (
            str(_dict(servers[0]).get("url", "")) if servers else self.document.get("basePath", "")
        )
        return path_of(str(url)).rstrip("/")

    def notes(self) -> Iterator[str]:
        if unneeded := [each for each in self.references.needing if each not in self.needed]:
            places = (f"{pointer.join(each.place)} ({each.reference})" for each in unneeded)
            listed = words.first_few(list(places))
            yield f"references that lead nowhere, which no operation needs: {listed}"
        schemes = _dict(_dict(self.document.get("components")).get("securitySchemes")) or _dict(
            self.document.get("securityDefinitions")
        )
        for name, each in schemes.items():
            kind = _dict(each).get("type", "unknown")
            if kind in ("http", "basic"):
                yield f"it requires credentials ({name}): give a header authorization = '${{…}}'"
            elif kind == "apiKey":
                location, key = str(_dict(each).get("in")), str(_dict(each).get("name"))
                remedy = _how_to_give(location, key)
                yield f"it requires a key ({name}) in the {location} {key}: {remedy}"
            else:
                yield (
                    f"it requires credentials of kind {kind} ({name}), which wirelab cannot get by"
                    " itself: get a token, and give a header authorization = 'Bearer ${TOKEN}'"
                )


class _LeftOutError(Exception):
    """The operation is left out; the text is the reason."""


def _examples(schema: Mapping[str, Any]) -> list[object]:
    examples = [schema[key] for key in ("example", "default", "const") if key in schema]
    return [*examples, *_list(schema.get("examples")), *_list(schema.get("enum"))]


def _kind(schema: Mapping[str, Any]) -> str:
    if schema.get("enum"):
        return "enum"
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((each for each in kind if each != "null"), "string")
    if kind is None:
        kind = "object" if schema.get("properties") or schema.get("allOf") else "string"
    return str(kind)


def _without_path(written: str, method: str, path: str) -> str:
    """Return an operation id without the path and the method that FastAPI appends."""
    written_path = re.sub(r"\W", "_", path)
    return written.removesuffix(f"{written_path}_{method}") or written


def _is_credential(name: str) -> bool:
    return name.lower() in ("authorization", "cookie", "x-api-key", "api-key")


def _how_to_give(location: str, key: str) -> str:
    if location == "header":
        return f"give a header {key} = '${{KEY}}'"
    if location == "cookie":
        return f"give a header cookie = '{key}=${{KEY}}'"
    return "wirelab does not send keys in addresses, where they would be visible"


def _line(text: object) -> str:
    line = " ".join(str(text).split())
    return line if len(line) <= 100 else f"{line[:99]}…"


def _at(document: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    return _dict(value_at(document, path))


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
