"""The bank's operations by other people's clients, behind one face."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from tests.support.callers import GraphqlCaller, GrpcCaller, RestCaller
from tests.support.clients import PATIENCE_S, Client, camel, connected, pascal, respelt, snake
from wirelab.domain_file.load import find_domain
from wirelab.lab.contenders.contender import Contender

Row = dict[str, Any]

DOCUMENTS = find_domain("bank") / "graphql"
INCLUDES = {
    "list_movements": None,
    "list_movements_with_accounts": "account",
    "list_movements_with_customers": "customer",
}


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
        answer = self.call(pascal(operation), **parameters)
        return {"ping": answer.get("status"), "insert_movements": answer.get("ids")}.get(
            operation, answer
        )


def open_client(contender: Contender, address: str) -> AbstractContextManager[Client]:
    """Connect to a contender with a client of its protocol."""
    return connected(contender, address, CLIENTS)


CLIENTS: dict[str, Callable[..., Client]] = {
    "rest": RestClient,
    "graphql": partial(GraphqlClient, documents=DOCUMENTS),
    "grpc": partial(GrpcClient, service="bank.v1.Bank", timeout_s=PATIENCE_S),
}
