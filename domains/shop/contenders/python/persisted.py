"""Automatic persisted queries: a document comes once, then its hash stands for it, also by GET."""

from collections import OrderedDict
from hashlib import sha256

from graphql import DocumentNode, FieldNode, OperationDefinitionNode, OperationType
from pydantic_core import from_json
from starlette.requests import Request

MOST_DOCUMENTS = 1000
PUBLIC = frozenset({"products", "productsById", "product", "review"})
"""The queries that everybody gets the same answer to."""
UNKNOWN = {
    "errors": [
        {
            "message": "PersistedQueryNotFound",
            "extensions": {"code": "PERSISTED_QUERY_NOT_FOUND"},
        }
    ]
}


class UnknownQueryError(Exception):
    """The document of a hash has not come yet."""


class NotByGetError(ValueError):
    """What changes something came by GET."""

    def __init__(self) -> None:
        super().__init__("by GET there are queries only")


class PersistedQueries:
    """The documents that have come, by hash: the thousand that were asked for last."""

    def __init__(self) -> None:
        self._documents: OrderedDict[str, str] = OrderedDict()

    def whole(self, body: object) -> object:
        """Return a request with its document; ValueError where that is not what the hash says."""
        extensions = body.get("extensions") if isinstance(body, dict) else None
        persisted = extensions.get("persistedQuery") if isinstance(extensions, dict) else None
        if not isinstance(body, dict) or persisted is None:
            return body
        digest = persisted.get("sha256Hash") if isinstance(persisted, dict) else None
        query = body.get("query")
        if not isinstance(digest, str) or not isinstance(query, str | None):
            raise ValueError("persistedQuery must have a sha256Hash, query must be a string")
        if query is None:
            query = self._documents.get(digest)
            if query is None:
                raise UnknownQueryError
        elif sha256(query.encode()).hexdigest() != digest:
            raise ValueError("the hash is not that of the query")
        self._documents[digest] = query
        self._documents.move_to_end(digest)
        while len(self._documents) > MOST_DOCUMENTS:
            self._documents.popitem(last=False)
        return {**body, "query": query}


def by_get(request: Request) -> object:
    """Return what stands in the address as the body of a POST would have it."""
    given = dict(request.query_params)
    for word in ("variables", "extensions"):
        if word in given:
            given[word] = from_json(given[word])
    return given


def only_reads(document: DocumentNode | None) -> bool:
    """Tell whether no operation of a document changes anything; one that is none reads nothing."""
    return document is None or all(
        each.operation == OperationType.QUERY for each in _operations(document)
    )


def is_public(document: DocumentNode | None) -> bool:
    """Tell whether everybody gets the same answer to a document."""
    return document is not None and all(
        isinstance(field, FieldNode) and field.name.value in PUBLIC
        for each in _operations(document)
        for field in each.selection_set.selections
    )


def _operations(document: DocumentNode) -> list[OperationDefinitionNode]:
    return [each for each in document.definitions if isinstance(each, OperationDefinitionNode)]
