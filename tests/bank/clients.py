"""The bank's operations by other people's clients, behind one face."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import grpc
import httpx

from tests.support.callers import GraphqlCaller, GrpcCaller, RestCaller
from tests.support.plain_http import NO_TLS
from wirelab.domain_file.load import find_domain
from wirelab.lab.contenders.contender import Contender

Row = dict[str, Any]

DOCUMENTS = find_domain("bank") / "graphql"
PATIENCE_S = 120.0
LARGEST_MESSAGE = 64 * 2**20
INCLUDES = {
    "list_movements": None,
    "list_movements_with_accounts": "account",
    "list_movements_with_customers": "customer",
}


class Client(Protocol):
    """What every protocol can be asked: an operation of the domain with its parameters."""

    def ask(self, operation: str, **parameters: Any) -> Any: ...


class RestClient(RestCaller):
    """The bank over REST."""

    def ask(self, operation: str, **parameters: Any) -> Any:
        if operation == "ping":
            return self.call("GET", "/ping")["status"]
        if operation == "insert_movements":
            return self.call("POST", "/movements", json=respelt(parameters, camel))["ids"]
        if operation == "read_movement":
            return respelt(self.call("GET", f"/movements/{parameters['id']}"), snake)
        query = {"include": INCLUDES[operation]} if INCLUDES[operation] else {}
        answer = self.call("GET", "/movements", params={**parameters, **query})
        return respelt(answer["movements"], snake)


class GraphqlClient(GraphqlCaller):
    """The bank over GraphQL."""

    def ask(self, operation: str, **parameters: Any) -> Any:
        (answer,) = self.call(operation, **respelt(parameters, camel)).values()
        return respelt(answer, snake)


class GrpcClient(GrpcCaller):
    """The bank over gRPC."""

    def ask(self, operation: str, **parameters: Any) -> Any:
        if operation in INCLUDES:
            include = f"INCLUDE_{(INCLUDES[operation] or 'unspecified').upper()}"
            answer = self.call("ListMovements", **parameters, include=include)
            return answer.get("movements", [])
        answer = self.call("".join(map(str.capitalize, operation.split("_"))), **parameters)
        return {"ping": answer.get("status"), "insert_movements": answer.get("ids")}.get(
            operation, answer
        )


@contextmanager
def open_client(contender: Contender, address: str) -> Iterator[Client]:
    """Connect to a contender with a client of its protocol."""
    url = f"{address}{contender.path.rstrip('/')}"
    match contender.protocol:
        case "rest":
            with httpx.Client(
                base_url=f"http://{url}", trust_env=False, timeout=PATIENCE_S, verify=NO_TLS
            ) as http:
                yield RestClient(http)
        case "graphql":
            with httpx.Client(trust_env=False, timeout=PATIENCE_S, verify=NO_TLS) as http:
                yield GraphqlClient(http, f"http://{url}", DOCUMENTS)
        case "grpc":
            options = [("grpc.max_receive_message_length", LARGEST_MESSAGE)]
            with grpc.insecure_channel(url, options=options) as channel:
                yield GrpcClient(channel, "bank.v1.Bank", PATIENCE_S)
        case protocol:
            raise ValueError(f"no client speaks {protocol}")


def camel(name: str) -> str:
    """Spell a name as JSON in this domain does."""
    return re.sub("_([a-z])", lambda found: found[1].upper(), name)


def snake(name: str) -> str:
    """Spell a name as the tables do."""
    return re.sub("([A-Z])", lambda found: f"_{found[1].lower()}", name)


def respelt(value: Any, spell: Any) -> Any:
    """Spell every key of a value in another way."""
    if isinstance(value, dict):
        return {spell(key): respelt(item, spell) for key, item in value.items()}
    return [respelt(item, spell) for item in value] if isinstance(value, list) else value
