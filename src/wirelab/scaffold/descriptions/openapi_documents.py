"""Bring the documents that an OpenAPI document refers to, and that are beside it, into it.

They become its key x-documents, and references to them become references inside of it. Documents
elsewhere, such as at URLs or outside of its folder, are not read: such references stay.
"""

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import yaml

from wirelab.domain import pointer
from wirelab.protocol.rest import load_yaml

KEY = "x-documents"
MOST = 5000
"""Maximum number of documents."""


def bundle_documents(copy: Path, source: Path) -> None:
    """Rewrite the copy of a document as one with all that it refers to, if that is beside `source`.

    It stays as it is if it refers to no other document there, or cannot be read.
    """
    bundle = _Bundle(source.resolve())
    try:
        document = bundle.read(bundle.main)
    except (yaml.YAMLError, OSError, UnicodeDecodeError, RecursionError):
        return  # its reader reports the error
    waiting = [(bundle.main, document)]
    while waiting:
        waiting += bundle.respell(*waiting.pop())
    if bundle.documents and isinstance(document, dict):
        document[KEY] = bundle.documents
        text = json.dumps(document, ensure_ascii=False, default=str)
        copy.write_text(text, encoding="utf-8", errors="backslashreplace")


class _Bundle:
    def __init__(self, main: Path) -> None:
        self.main = main
        self.documents: dict[str, Any] = {}
        """By path from the folder of the main document."""

    def read(self, file: Path) -> Any:
        """Read a document. Raises errors of YAML and of files."""
        return load_yaml(file.read_text(encoding="utf-8-sig"))

    def respell(self, file: Path, document: Any) -> list[tuple[Path, Any]]:
        """Rewrite the references in a document; return the documents that were not read before."""
        new: list[tuple[Path, Any]] = []
        nodes, seen = [document], set[int]()
        while nodes:
            node = nodes.pop()
            if id(node) in seen:  # a part that YAML shares
                continue
            seen.add(id(node))
            if isinstance(node, dict):
                nodes += node.values()
                if isinstance(node.get("$ref"), str):
                    node["$ref"] = self._reference(file, node["$ref"], new)
            elif isinstance(node, list):
                nodes += node
        return new

    def _reference(self, file: Path, reference: str, new: list[tuple[Path, Any]]) -> str:
        """Return how a reference of a document is written in the bundle."""
        path, _, fragment = reference.partition("#")
        if "://" in path:
            return reference
        try:
            target = (file.parent / unquote(path)).resolve() if path else file
            if target == self.main:
                return f"#{fragment}"
            name = target.relative_to(self.main.parent).as_posix()
            if name not in self.documents:
                if len(self.documents) >= MOST:
                    return reference
                self.documents[name] = self.read(target)
                new.append((target, self.documents[name]))
        except (ValueError, OSError, yaml.YAMLError, RecursionError):
            return reference  # outside of the folder, missing or no document
        return f"#{pointer.join([KEY, name])}{fragment}"
