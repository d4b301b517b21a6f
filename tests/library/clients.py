"""The library's operations by other people's clients, behind one face."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from zeep.helpers import serialize_object

from tests.support.callers import GraphqlCaller, GrpcCaller, RestCaller, SoapCaller
from tests.support.clients import Client, camel, connected, pascal, respelt, snake
from wirelab.domain_file.load import find_domain
from wirelab.lab.contenders.contender import Contender

DOCUMENTS = find_domain("library") / "graphql"
ROUTES = {
    "ping": ("GET", "/ping", "status"),
    "find_authors": ("GET", "/authors", "authors"),
    "add_author": ("POST", "/authors", ""),
    "read_author": ("GET", "/authors/{id}", ""),
    "update_author": ("PUT", "/authors/{id}", ""),
    "delete_author": ("DELETE", "/authors/{id}", "id"),
    "add_book": ("POST", "/authors/{author_id}/books", ""),
    "read_book": ("GET", "/books/{id}", ""),
    "update_book": ("PUT", "/books/{id}", ""),
    "delete_book": ("DELETE", "/books/{id}", "id"),
}
"""How REST spells an operation, and which member of the answer is meant."""

PATH_NAMES = ("id", "author_id")
FIELDS = {"author": ("name", "country"), "book": ("title", "year")}
"""The parameters that other protocols send together, as one thing."""


class RestClient(RestCaller):
    """The library over REST."""

    def ask(self, operation: str, **parameters: Any) -> Any:
        method, path, member = ROUTES[operation]
        rest = {name: value for name, value in parameters.items() if name not in PATH_NAMES}
        sent = {"params": rest} if method == "GET" else {"json": rest} if rest else {}
        answer = self.call(method, path.format(**parameters), **sent)
        return answer[member] if member else answer


class GraphqlClient(GraphqlCaller):
    """The library over GraphQL."""

    def ask(self, operation: str, **parameters: Any) -> Any:
        (answer,) = self.call(operation, **respelt(_grouped(parameters), camel)).values()
        return respelt(answer, snake)


class GrpcClient(GrpcCaller):
    """The library over gRPC."""

    def ask(self, operation: str, **parameters: Any) -> Any:
        answer = self.call(pascal(operation), **_grouped(parameters))
        member = ROUTES[operation][2]
        return answer.get(member, []) if member else answer


class SoapClient(SoapCaller):
    """The library over SOAP."""

    def ask(self, operation: str, **parameters: Any) -> Any:
        answer = self.call(pascal(operation), **_grouped(parameters))
        return serialize_object(answer, dict)  # type: ignore[no-untyped-call]


def open_client(contender: Contender, address: str) -> AbstractContextManager[Client]:
    """Connect to a contender with a client of its protocol."""
    return connected(contender, address, CLIENTS)


CLIENTS: dict[str, Callable[..., Client]] = {
    "rest": RestClient,
    "graphql": partial(GraphqlClient, documents=DOCUMENTS),
    "grpc": partial(GrpcClient, service="library.v1.Library"),
    "soap": partial(SoapClient, namespace="urn:wirelab:library:v1"),
}


def _grouped(parameters: dict[str, Any]) -> dict[str, Any]:
    grouped = dict(parameters)
    for thing, fields in FIELDS.items():
        if set(fields) & grouped.keys():
            grouped[thing] = {name: grouped.pop(name) for name in fields if name in grouped}
    return grouped
