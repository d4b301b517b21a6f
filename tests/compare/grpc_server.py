"""The items of servers.py over gRPC, with reflection: `python grpc_server.py PORT [WAY …]`."""

import itertools
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
from grpc_reflection.v1alpha import reflection

sys.path.insert(0, str(Path(__file__).parent))
messages: Any = grpc.protos("items.proto")
SERVICE = "items.v1.Items"
ITEMS = [{"id": n, "name": f"item {n}", "tags": ["a", f"t{n}"], "price": n / 7} for n in range(60)]
if "wrong" in sys.argv:
    ITEMS[0]["price"] = 99.0
LIMIT = next((int(way.partition("=")[2]) for way in sys.argv if way.startswith("limit=")), None)
requests = itertools.count(1)


def authorise(context: Any) -> None:
    """Refuse clients with expired credentials, or without a token if one is required."""
    if "token" in sys.argv and "authorization" not in dict(context.invocation_metadata()):
        context.abort(grpc.StatusCode.UNAUTHENTICATED, "who are you?")
    if LIMIT is not None and next(requests) > LIMIT:
        context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "slow down")


def get_item(request: Any, context: Any) -> Any:
    """Answer one item."""
    authorise(context)
    if not 0 <= request.item_id < len(ITEMS):
        context.abort(grpc.StatusCode.NOT_FOUND, "no such item")
    return messages.Item(**ITEMS[request.item_id])


def list_items(request: Any, context: Any) -> Any:
    """Answer some items."""
    authorise(context)
    found = ITEMS[: request.page_size or 10]
    return messages.ListItemsResponse(items=[messages.Item(**each) for each in found])


def handler(carry_out: Any, request: Any) -> Any:
    """Return how a method is carried out."""
    return grpc.unary_unary_rpc_method_handler(
        carry_out,
        request_deserializer=request.FromString,
        response_serializer=lambda answer: answer.SerializeToString(),
    )


if __name__ == "__main__":
    methods = {
        "GetItem": handler(get_item, messages.GetItemRequest),
        "ListItems": handler(list_items, messages.ListItemsRequest),
    }
    server = grpc.server(ThreadPoolExecutor(4))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, methods),))
    reflection.enable_server_reflection((SERVICE, reflection.SERVICE_NAME), server)
    where = f"127.0.0.1:{sys.argv[1]}"
    secret = next((way.partition("=")[2] for way in sys.argv if way.startswith("tls=")), None)
    if secret is None:
        server.add_insecure_port(where)
    else:
        chain, key = (Path(secret).with_suffix(suffix) for suffix in (".pem", ".key"))
        pair = (key.read_bytes(), chain.read_bytes())
        clients = [way.partition("=")[2] for way in sys.argv if way.startswith("clients=")]
        known = Path(clients[0]).read_bytes() if clients else None
        credentials = grpc.ssl_server_credentials([pair], known, require_client_auth=bool(known))
        server.add_secure_port(where, credentials)
    server.start()
    server.wait_for_termination()
