"""The library's operations by other people's clients, behind one face."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import grpc
import httpx
import zeep
from zeep.helpers import serialize_object

from tests.support.callers import GraphqlCaller, GrpcCaller, RestCaller, SoapCaller
from tests.support.plain_http import NO_TLS
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


class Client(Protocol):
    """What every protocol can be asked: an operation of the domain with its parameters."""

    def ask(self, operation: str, **parameters: Any) -> Any: ...


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
        (answer,) = self.call(operation, **_camel(_grouped(parameters))).values()
        return _snake(answer)


class GrpcClient(GrpcCaller):
    """The library over gRPC."""

    def ask(self, operation: str, **parameters: Any) -> Any:
        answer = self.call(_pascal(operation), **_grouped(parameters))
        member = ROUTES[operation][2]
        return answer.get(member, []) if member else answer


class SoapClient(SoapCaller):
    """The library over SOAP."""

    def ask(self, operation: str, **parameters: Any) -> Any:
        answer = self.call(_pascal(operation), **_grouped(parameters))
        return serialize_object(answer, dict)  # type: ignore[no-untyped-call]


@contextmanager
def open_client(contender: Contender, address: str) -> Iterator[Client]:
    """Connect to a contender with a client of its protocol."""
    url = f"{address}{contender.path.rstrip('/')}"
    match contender.protocol:
        case "rest":
            with httpx.Client(base_url=f"http://{url}", trust_env=False, verify=NO_TLS) as http:
                yield RestClient(http)
        case "graphql":
            with httpx.Client(trust_env=False, verify=NO_TLS) as http:
                yield GraphqlClient(http, f"http://{url}", DOCUMENTS)
        case "grpc":
            with grpc.insecure_channel(url) as channel:
                yield GrpcClient(channel, "library.v1.Library")
        case "soap":
            client = zeep.Client(f"http://{url}?wsdl")  # type: ignore[no-untyped-call]
            with client.transport.session:
                yield SoapClient(client, "urn:wirelab:library:v1")
        case protocol:
            raise ValueError(f"no client speaks {protocol}")


def _grouped(parameters: dict[str, Any]) -> dict[str, Any]:
    grouped = dict(parameters)
    for thing, fields in FIELDS.items():
        if set(fields) & grouped.keys():
            grouped[thing] = {name: grouped.pop(name) for name in fields if name in grouped}
    return grouped


def _pascal(operation: str) -> str:
    return "".join(word.capitalize() for word in operation.split("_"))


def _camel(value: dict[str, Any]) -> dict[str, Any]:
    return {re.sub("_([a-z])", lambda found: found[1].upper(), key): value[key] for key in value}


def _snake(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            re.sub("([A-Z])", lambda found: f"_{found[1].lower()}", key): _snake(item)
            for key, item in value.items()
        }
    return [_snake(item) for item in value] if isinstance(value, list) else value
