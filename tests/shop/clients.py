"""The shop's operations by other people's clients, behind one face."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Protocol

import grpc

from tests.support.callers import GraphqlCaller, GrpcCaller, McpCaller, RestCaller
from tests.support.clients import Client as AnyClient
from tests.support.clients import camel, connected, pascal, respelt, snake
from wirelab.domain_file.load import find_domain
from wirelab.lab.contenders.contender import Contender

Row = dict[str, Any]

DOCUMENTS = find_domain("shop") / "graphql"
PATIENCE_S = 30.0
DEADLINE = "x-request-timeout-ms"

REST: dict[str, tuple[str, str]] = {
    "list_products": ("GET", "/products?after={after}&limit={limit}&include=reviews"),
    "read_product": ("GET", "/products/{id}?include=reviews"),
    "create_product": ("POST", "/products"),
    "update_product": ("PUT", "/products/{id}"),
    "delete_product": ("DELETE", "/products/{id}"),
    "create_review": ("POST", "/products/{product_id}/reviews"),
    "read_review": ("GET", "/reviews/{id}"),
    "update_review": ("PUT", "/reviews/{id}"),
    "delete_review": ("DELETE", "/reviews/{id}"),
    "login": ("POST", "/sessions"),
    "create_user": ("POST", "/users"),
    "read_user": ("GET", "/users/{id}"),
    "update_user": ("PUT", "/users/{id}"),
    "delete_user": ("DELETE", "/users/{id}"),
    "checkout": ("POST", "/orders"),
    "read_order": ("GET", "/orders/{id}"),
    "update_order": ("PATCH", "/orders/{id}"),
    "delete_order": ("DELETE", "/orders/{id}"),
    "read_history": ("GET", "/users/{user_id}/orders?limit={limit}"),
    "list_orders": ("GET", "/users/{user_id}/orders?limit={limit}&include=products"),
    "ping": ("GET", "/ping"),
}
LISTS = {
    "list_products": "products",
    "read_history": "orders",
    "list_orders": "orders",
    "ping": "status",
}
SERVICES = {
    "product": "Catalogue",
    "review": "Catalogue",
    "login": "Users",
    "user": "Users",
    "checkout": "Orders",
    "order": "Orders",
    "history": "Orders",
    "ping": "Control",
}
"""The service of gRPC, by the last word of an operation."""
REVIEW = ("rating", "headline", "body")


def _grouped(operation: str, parameters: Row) -> Row:
    """Return parameters with those together that a protocol other than REST sends as one thing."""
    given = dict(parameters)
    if operation in {"create_review", "update_review"}:
        given["review"] = {name: given.pop(name) for name in REVIEW}
    elif operation == "update_user":
        given["user"] = {name: given.pop(name) for name in ("email", "name")}
    return given


class Client(AnyClient, Protocol):
    """A client that may set a deadline."""

    deadline_s: float | None


class RestClient(RestCaller):
    """The shop over REST."""

    deadline_s: float | None = None

    def ask(self, operation: str, **parameters: Any) -> Any:
        method, path = REST[operation]
        named = set(re.findall(r"{(\w+)}", path))
        body = {name: value for name, value in parameters.items() if name not in named}
        body = body.pop("product", body)
        options: Row = {"json": respelt(body, camel)} if method in {"POST", "PUT", "PATCH"} else {}
        if self.deadline_s is not None:
            options["headers"] = {DEADLINE: str(int(self.deadline_s * 1000))}
        answer = respelt(self.call(method, path.format_map(parameters), **options), snake)
        if method == "DELETE":
            return answer["id"]
        return answer[LISTS[operation]] if operation in LISTS else answer


class GraphqlClient(GraphqlCaller):
    """The shop over GraphQL."""

    deadline_s: float | None = None

    def ask(self, operation: str, **parameters: Any) -> Any:
        given = _grouped(operation, parameters)
        if operation in {"create_user", "checkout"}:
            given = {operation.removeprefix("create_"): given}
        if self.deadline_s is not None:
            self.http.headers[DEADLINE] = str(int(self.deadline_s * 1000))
        else:
            self.http.headers.pop(DEADLINE, None)
        (answer,) = self.call(operation, **respelt(given, camel)).values()
        if operation in {"read_history", "list_orders"}:
            answer = answer["orders"]
        return respelt(answer, snake)


class McpClient(McpCaller):
    """The shop over MCP."""

    deadline_s: float | None = None

    def ask(self, operation: str, **parameters: Any) -> Any:
        given = _grouped(operation, parameters)
        if operation == "create_user":
            given = {"user": given}
        elif operation == "list_orders":
            given["include_products"] = True
        tool = "list_orders" if operation == "read_history" else operation
        answer = respelt(self.call(tool, **respelt(given, camel)), snake)
        if operation.startswith("delete_"):
            return answer["id"]
        return answer[LISTS[operation]] if operation in LISTS else answer


class GrpcClient:
    """The shop over gRPC."""

    deadline_s: float | None = None

    def __init__(self, channel: grpc.Channel) -> None:
        self._channel = channel
        self._callers: dict[str, GrpcCaller] = {}

    def ask(self, operation: str, **parameters: Any) -> Any:
        service = SERVICES[operation.rpartition("_")[2].removesuffix("s")]
        method = "ListOrders" if operation == "read_history" else pascal(operation)
        given = _grouped(operation, parameters)
        if operation in {"list_products", "read_product"}:
            given["include_reviews"] = True
        elif operation == "list_orders":
            given["include_products"] = True
        if service not in self._callers:
            self._callers[service] = GrpcCaller(self._channel, f"shop.v1.{service}")
        caller = self._callers[service]
        caller.timeout_s = self.deadline_s or PATIENCE_S
        answer = caller.call(method, **given)
        if operation.startswith("delete_"):
            return answer["id"]
        return answer.get(LISTS[operation], []) if operation in LISTS else answer


def open_client(contender: Contender, address: str) -> AbstractContextManager[Client]:
    """Connect to a contender with a client of its protocol."""
    return connected(contender, address, CLIENTS)


CLIENTS: dict[str, Callable[..., Client]] = {
    "rest": RestClient,
    "graphql": partial(GraphqlClient, documents=DOCUMENTS),
    "grpc": GrpcClient,
    "mcp": McpClient,
}
