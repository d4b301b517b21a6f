"""A REST server out of an OpenAPI document: routes by its paths, values by its schemas."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import yaml

from tests.support.mocks import dice
from tests.support.mocks.http import answering

JSON = "application/json"


@contextmanager
def serving(description: Path) -> Iterator[str]:
    """Serve the operations of a document; yield the address."""
    with answering(_Api(description).answer) as address:
        yield address


class _Api:
    def __init__(self, description: Path) -> None:
        written = description.read_text()
        self.document = (
            json.loads(written)
            if description.suffix == ".json"
            else yaml.load(written, Loader=yaml.CSafeLoader)
        )
        servers = self.document.get("servers") or [{"url": self.document.get("basePath", "")}]
        self.base = urlsplit(servers[0]["url"]).path.rstrip("/")
        # Those with more literal parts come first: /pets/mine before /pets/{id}.
        paths = sorted(self.document["paths"], key=lambda path: path.count("{"))
        self.routes = [
            (re.compile(re.sub(r"\\{[^}]*\\}", "[^/]+", re.escape(p))), p) for p in paths
        ]

    def answer(self, method: str, target: str, sent: bytes) -> tuple[int, str, bytes]:
        request = urlsplit(target)
        path = request.path.removeprefix(self.base)
        for pattern, written in self.routes:
            item = self.resolved(self.document["paths"][written])
            if pattern.fullmatch(path) and method.lower() in item:
                operation = item[method.lower()]
                if missing := self.missing(item, operation, parse_qs(request.query)):
                    return 400, JSON, json.dumps({"missing": missing}).encode()
                return self.carried_out(operation, target)
        return 404, JSON, b'{"error": "no such path"}'

    def missing(self, item: Any, operation: Any, query: dict[str, list[str]]) -> list[str]:
        listed = [*item.get("parameters", ()), *operation.get("parameters", ())]
        needed = [it for it in map(self.resolved, listed) if it.get("required")]
        return [it["name"] for it in needed if it["in"] == "query" and it["name"] not in query]

    def carried_out(self, operation: Any, target: str) -> tuple[int, str, bytes]:
        right = sorted(str(it) for it in operation["responses"] if str(it)[0] == "2")
        status = next((it for it in right if it.isdecimal()), "200")
        responses = {str(code): each for code, each in operation["responses"].items()}
        response = self.resolved(responses.get(status, {}))
        for kind, media in (response.get("content") or {}).items():
            if "json" in kind:
                value = self.value(media.get("schema", {}), (target,), dice.DEEPEST)
                return int(status), JSON, json.dumps(value).encode()
            return int(status), kind, b"some text"
        return int(status), JSON, b""

    def value(self, written: Any, at: tuple[object, ...], depth: int) -> object:
        """Return what fits a schema."""
        schema = self.resolved(written)
        if schema.get("enum"):
            return schema["enum"][dice.number(*at) % len(schema["enum"])]
        for several in ("oneOf", "anyOf"):
            if schema.get(several):
                return self.value(schema[several][0], at, depth)
        kind = schema.get("type")
        kind = next((it for it in kind if it != "null"), None) if isinstance(kind, list) else kind
        parts = [schema, *map(self.resolved, schema.get("allOf", ()))]
        members = {name: it for part in parts for name, it in part.get("properties", {}).items()}
        if members or kind == "object":
            return (
                {name: self.value(it, (*at, name), depth - 1) for name, it in members.items()}
                if depth
                else {}
            )
        if kind == "array":
            items = schema.get("items", {})
            count = dice.ITEMS if depth else 0
            return [self.value(items, (*at, n), depth - 1) for n in range(count)]
        if kind in ("integer", "number"):
            return dice.number(*at) if kind == "integer" else dice.number(*at) / 8
        return dice.number(*at) % 2 == 0 if kind == "boolean" else dice.text(*at)

    def resolved(self, node: Any) -> dict[str, Any]:
        while "$ref" in node:
            found = self.document
            for part in node["$ref"].removeprefix("#/").split("/"):
                found = found[part.replace("~1", "/").replace("~0", "~")]
            node = found
        return dict(node)
