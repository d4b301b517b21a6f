"""Read an OpenAPI document: versions 2.0 to 3.2, YAML or JSON, with or without references.

References to other documents are never fetched: operations that need them are left out and listed.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from wirelab.domain import pointer
from wirelab.domain.model import Effect
from wirelab.inputs.problems import Problem, ProblemsError
from wirelab.protocol.descriptions.openapi import json_type, local_path, media_types, value_at
from wirelab.protocol.rest import load_yaml, yaml_error
from wirelab.scaffold.descriptions.given import NO_DETAILS, Details
from wirelab.scaffold.descriptions.offer import LeftOut, Offer, OfferedInterface
from wirelab.scaffold.descriptions.openapi_notes import notes_on_credentials
from wirelab.scaffold.descriptions.openapi_request import LeftOutError, RequestReader
from wirelab.scaffold.descriptions.openapi_schemas import (
    RemoteError,
    Schemas,
    as_dict,
    as_list,
    kind_of,
)
from wirelab.scaffold.descriptions.openapi_servers import OfferingServer, server_of
from wirelab.scaffold.descriptions.references import Broken, References
from wirelab.scaffold.lists import answers_list
from wirelab.scaffold.names import operation_name
from wirelab.terminal import words

METHODS: Mapping[str, Effect] = {
    "get": "read",
    "query": "read",
    "post": "write",
    "put": "write",
    "patch": "write",
    "delete": "write",
}
UNSENT = ("head", "options", "trace")
"""Methods of a path that no operation uses."""
DEEPEST = 6
"""Maximum number of references that lead to an operation."""
TEXTS = ("text/", "application/xml", "+xml", "application/x-yaml", "application/yaml")


def read_openapi(file: Path, details: Details = NO_DETAILS) -> OfferedInterface:
    """Read the operations of a document. Raises `ProblemsError` if it is not OpenAPI."""
    try:
        document = load_yaml(file.read_text(encoding="utf-8-sig"))
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        problem = Problem.unreadable(file, "valid YAML or JSON", yaml_error(error))
        raise ProblemsError([problem]) from None
    if not isinstance(document, dict) or not isinstance(document.get("paths"), dict):
        expected = "an OpenAPI document, with paths"
        raise ProblemsError([Problem(str(file), "paths", None, expected)])
    return _Reader(file, document, details).interface()


class _Reader:
    def __init__(self, file: Path, document: dict[str, Any], details: Details) -> None:
        self.file = file
        self.document = document
        self.details = details
        self.names: set[str] = set()
        self.schemas = Schemas(document)
        self.references = References(document)
        self.needed: set[Broken] = set()
        """Those broken references that an operation needs."""

    def interface(self) -> OfferedInterface:
        offers: list[tuple[OfferingServer, Offer]] = []
        left_out: list[LeftOut] = []
        for path, written in self.document["paths"].items():
            if not str(path).startswith("x-"):
                self.read_path(str(path), written, offers, left_out)
        usual = self.usual_server([server for server, _ in offers])
        kept = []
        for server, offer in offers:
            if server.origin != usual.origin:
                why = f"is at another server, {server.origin or 'that of the document'}"
                left_out.append(LeftOut(offer.shown, why))
            else:
                kept.append(offer if server == usual else offer.at(server.path))
        return OfferedInterface(
            "rest", tuple(kept), tuple(left_out), tuple(self.notes()), usual.path
        )

    def read_path(
        self,
        path: str,
        written: object,
        offers: list[tuple[OfferingServer, Offer]],
        left_out: list[LeftOut],
    ) -> None:
        """Add the operations of a path to the offers, or to what is left out."""
        try:
            item = self.schemas.resolved(written)
        except RemoteError as remote:
            left_out.append(LeftOut(path, str(remote)))
            return
        if not item and (reference := as_dict(written).get("$ref")):
            left_out.append(LeftOut(path, f"needs {reference}, which leads nowhere"))
        if any(each in item for each in METHODS) and not path.startswith("/"):
            left_out.append(LeftOut(path, "has a path that does not begin with /"))
            return
        for method in (*METHODS, *UNSENT):
            if not isinstance(item.get(method), dict):
                continue
            shown = f"{method.upper()} {path}"
            if method in UNSENT:
                left_out.append(LeftOut(shown, f"uses {method.upper()}, which wirelab never sends"))
                continue
            try:
                operation = self.schemas.resolved(item[method])
                if not operation and (reference := item[method].get("$ref")):
                    raise LeftOutError(f"needs {reference}, which leads nowhere")
                server = server_of(self.document, item, operation)
                offers.append((server, self.offer(path, method, item, operation)))
            except (RemoteError, LeftOutError) as why:
                left_out.append(LeftOut(shown, str(why)))

    def offer(
        self, path: str, method: str, item: dict[str, Any], operation: dict[str, Any]
    ) -> Offer:
        written = str(operation.get("operationId") or f"{method} {path}")
        spellings = (written, f"{method.upper()} {path}", path)
        declared = self.details.is_read(*spellings, operation_name(written, set()))
        effect: Effect = "read" if declared else METHODS[method]
        listed = [*as_list(item.get("parameters")), *as_list(operation.get("parameters"))]
        by_fields = declared or method == "query"
        reader = RequestReader(self.schemas, self.details, by_fields=by_fields)
        request = reader.read(path, method, operation, listed)
        answered, content, answer = self.answer(operation)
        status = int(answered) if answered.isdecimal() else 200
        problems = tuple(self.problems(path, method, answered))
        for missing in request.undescribed:
            if not problems:  # one of them may be the reason
                raise LeftOutError(f"does not describe {{{missing}}}, which its path contains")
        values = self.schemas.values(answer)
        name = operation_name(_without_path(written, method, path), self.names)
        return Offer(
            protocol="rest",
            name=name,
            summary=words.shortened(
                operation.get("summary") or operation.get("description") or name, 100
            ),
            effect=effect,
            parameters=tuple(request.parameters),
            binding={
                "method": method.upper(),
                "path": request.path,
                **request.binding(),
                **({"status": status} if status != 200 else {}),
                **({"content": content} if content != "json" else {}),
            },
            answer=values,
            lists=answers_list(values) or self.is_open_list(answer),
            names=spellings,
            problems=problems,
        )

    def problems(self, path: str, method: str, status: str) -> Iterator[Problem]:
        """Yield the broken references in what a request needs, and in its successful response."""
        item: tuple[str, ...] = ("paths", path)
        for _ in range(DEEPEST):  # the item may be referred to by a reference, too
            item = local_path(str(_at(self.document, item).get("$ref", ""))) or item
        place: tuple[str, ...] = (*item, method)
        for _ in range(DEEPEST):
            place = local_path(str(_at(self.document, place).get("$ref", ""))) or place
        needed = [(*place, key) for key in ("parameters", "requestBody")]
        needed += [(*item, "parameters"), (*place, "responses", status)]
        for each in self.references.broken_in(needed):
            self.needed.add(each)
            yield each.problem(str(self.file), self.document)

    def answer(self, operation: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
        """Return the status of success as written, how its body is read, and its schema."""
        responses = {str(key): it for key, it in as_dict(operation.get("responses")).items()}
        statuses = sorted(responses)
        right = [status for status in statuses if status[:1] == "2" and status.isdecimal()]
        right += [status for status in statuses if status.upper() == "2XX"]
        if not right and "default" not in responses:
            if any(status[:1] == "3" for status in statuses):
                raise LeftOutError(f"redirects: it answers {' or '.join(statuses)}")
            if operation.get("responses") and all(status[:1] in "45" for status in statuses):
                raise LeftOutError("does not describe an answer of success")
        chosen = right[0] if right else "default"
        response = self.schemas.resolved(responses.get(chosen))
        known = media_types(response.get("content"))
        media = json_type(known)
        if known and media is None:
            return chosen, _content(known), {}
        schema = known[media].get("schema") if media else response.get("schema")
        return chosen, "json", self.schemas.resolved(as_dict(schema))

    def is_open_list(self, schema: dict[str, Any]) -> bool:
        """Return whether an answer is a list of objects that the document does not describe."""
        plain = self.schemas.plain(schema)
        if kind_of(plain) != "array":
            return False
        items = self.schemas.plain(as_dict(plain.get("items")))
        return kind_of(items) == "object" or not items.keys() - {"title", "description"}

    def usual_server(self, servers: Sequence[OfferingServer]) -> OfferingServer:
        """Return the document's own server, or that of most operations if none is there."""
        own = server_of(self.document)
        at_origin = Counter(server.origin for server in servers).most_common(1)
        origin = at_origin[0][0] if at_origin else own.origin
        counted = Counter(server for server in servers if server.origin == origin)
        return own if not counted or own in counted else counted.most_common(1)[0][0]

    def notes(self) -> Iterator[str]:
        if unneeded := [each for each in self.references.needing if each not in self.needed]:
            places = (f"{pointer.join(each.place)} ({each.reference})" for each in unneeded)
            listed = words.first_few(list(places))
            yield f"references that lead nowhere, which no operation needs: {listed}"
        yield from notes_on_credentials(self.document)


def _content(known: Mapping[str, object]) -> str:
    """Return how a body is read that is not JSON; raises `LeftOutError` if it is not text."""
    if "text/event-stream" in known:
        raise LeftOutError("answers with a stream of events")
    if any(text in media for media in known for text in TEXTS):
        return "text"
    raise LeftOutError(f"answers with {' or '.join(known)}, which is not compared")


def _without_path(written: str, method: str, path: str) -> str:
    """Return an operation id without the path and the method that FastAPI appends."""
    written_path = re.sub(r"\W", "_", path)
    return written.removesuffix(f"{written_path}_{method}") or written


def _at(document: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    return as_dict(value_at(document, path))
