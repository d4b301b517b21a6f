"""The shop over GraphQL: Strawberry on ASGI under uvicorn."""

from typing import Any

from pydantic_core import to_json
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send
from strawberry.asgi import GraphQL
from strawberry.dataloader import DataLoader
from strawberry.types import ExecutionResult

from graphql_errors import answer_of, formatted
from http_serving import LARGEST_BODY_BYTES, JsonResponse, bounded, read_json, run
from loaders import Loaders
from settings import Settings
from shop import Shop
from strawberry_schema import schema


class Server(GraphQL[Any, Any]):
    """The schema over HTTP and, for subscriptions, WebSocket (graphql-transport-ws)."""

    decode_json = staticmethod(read_json)
    encode_json = staticmethod(to_json)

    def __init__(self, shop: Shop, *, batching: bool) -> None:
        super().__init__(schema, graphql_ide=None)
        self._shop = shop
        self._batching = batching

    async def get_context(self, request: Any, response: Any) -> dict[str, Any]:
        loaders = Loaders(self._shop, DataLoader, batching=self._batching)
        return {"shop": self._shop, "loaders": loaders}

    async def process_result(self, request: Any, result: ExecutionResult) -> Any:
        answer: dict[str, Any] = {"data": result.data}
        if result.errors:
            answer["errors"] = [formatted(error) for error in result.errors]
        return answer


async def serve(shop: Shop, settings: Settings) -> None:
    """Serve the schema at /graphql."""
    server = Server(shop, batching=settings.batching)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"} or scope["path"] != "/graphql":
            await JsonResponse({"errors": [{"message": "not here"}]}, 404)(scope, receive, send)
        elif not _is_small(scope):
            said = {"message": "the body is too large", "extensions": {"code": "BAD_REQUEST"}}
            await JsonResponse({"errors": [said]}, 413)(scope, receive, send)
        elif "left_s" in scope:
            try:
                async with bounded(scope):
                    await server(scope, receive, send)
            except TimeoutError as error:
                await JsonResponse(answer_of(error))(scope, receive, send)
        else:
            await server(scope, receive, send)

    await run(app, settings)


def _is_small(scope: Scope) -> bool:
    length = Headers(scope=scope).get("content-length", "0")
    return length.isdecimal() and int(length) <= LARGEST_BODY_BYTES
