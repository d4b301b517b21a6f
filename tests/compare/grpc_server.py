"""The items of servers.py over gRPC, with reflection: `python grpc_server.py PORT`."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
from grpc_reflection.v1alpha import reflection

sys.path.insert(0, str(Path(__file__).parent))
ITEMS = [{"id": n, "name": f"item {n}", "tags": ["a", f"t{n}"], "price": n / 7} for n in range(60)]
messages, services = grpc.protos_and_services("items.proto")  # type: ignore[attr-defined]


class Items(services.ItemsServicer):
    """The service."""

    def GetItem(self, request, context):
        """Answer one item."""
        if not 0 <= request.item_id < len(ITEMS):
            context.abort(grpc.StatusCode.NOT_FOUND, "no such item")
        return messages.Item(**ITEMS[request.item_id])

    def ListItems(self, request, context):
        """Answer some items."""
        found = ITEMS[: request.page_size or 10]
        return messages.ListItemsResponse(items=[messages.Item(**each) for each in found])


if __name__ == "__main__":
    server = grpc.server(ThreadPoolExecutor(4))
    services.add_ItemsServicer_to_server(Items(), server)
    names = ("items.v1.Items", reflection.SERVICE_NAME)
    reflection.enable_server_reflection(names, server)
    server.add_insecure_port(f"127.0.0.1:{sys.argv[1]}")
    server.start()
    server.wait_for_termination()
