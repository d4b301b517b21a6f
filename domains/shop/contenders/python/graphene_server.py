"""The shop over GraphQL: Graphene's schema behind Starlette under uvicorn."""

import asyncio
from collections.abc import AsyncIterator
from functools import lru_cache
from typing import Any

from aiodataloader import DataLoader
from graphql import DocumentNode, ExecutionResult, GraphQLError, execute, parse, subscribe, validate
from pydantic_core import to_json
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from caching import kept
from graphene_schema import schema
from graphql_errors import answer_of, formatted
from http_serving import JsonResponse, TooLargeError, body_of, bounded, read_json, run
from loaders import Loaders
from persisted import (
    UNKNOWN,
    NotByGetError,
    PersistedQueries,
    UnknownQueryError,
    by_get,
    is_public,
    only_reads,
)
from settings import Settings
from shop import Shop

CACHED_DOCUMENTS = 1000
SUBPROTOCOL = "graphql-transport-ws"


@lru_cache(CACHED_DOCUMENTS)
def document_of(query: str) -> tuple[DocumentNode | None, tuple[GraphQLError, ...]]:
    """Parse and validate a document; one that comes again is known."""
    try:
        document = parse(query)
    except GraphQLError as error:
        return None, (error,)
    return document, tuple(validate(schema.graphql_schema, document))


async def serve(shop: Shop, settings: Settings) -> None:
    """Serve the schema at /graphql."""

    def context() -> dict[str, Any]:
        return {"shop": shop, "loaders": Loaders(shop, DataLoader, batching=settings.batching)}

    persisted = PersistedQueries() if settings.cached else None

    async def answer(request: Request) -> Response:
        try:
            body = by_get(request) if request.method == "GET" else await _body(request)
            if persisted is not None:
                body = persisted.whole(body)
            query, variables, name = _asked(body)
            if request.method == "GET" and not only_reads(document_of(query)[0]):
                raise NotByGetError
        except UnknownQueryError:
            return JsonResponse(UNKNOWN)
        except (TooLargeError, ValueError, RecursionError) as error:
            return _bad_request(error)
        try:
            async with bounded(request.scope):
                said = await _executed(query, variables, name, context())
        except TimeoutError as error:
            return JsonResponse(answer_of(error))
        response = JsonResponse(said)
        if persisted is None or "errors" in said or not is_public(document_of(query)[0]):
            return response
        return kept(request, response)

    async def converse(socket: WebSocket) -> None:
        await _converse(socket, context)

    methods = ["POST", "GET"] if settings.cached else ["POST"]
    routes = [Route("/graphql", answer, methods=methods), WebSocketRoute("/graphql", converse)]
    await run(Starlette(routes=routes), settings)


async def _body(request: Request) -> object:
    return read_json(await body_of(request))


def _asked(body: object) -> tuple[str, dict[str, Any] | None, str | None]:
    if not isinstance(body, dict) or not isinstance(body.get("query"), str):
        raise ValueError("the body must be a JSON object with a query in it")
    variables, name = body.get("variables"), body.get("operationName")
    if not isinstance(variables, dict | None) or not isinstance(name, str | None):
        raise ValueError("variables must be an object, operationName a string")
    return body["query"], variables, name


def _bad_request(error: Exception) -> Response:
    status = {TooLargeError: 413, NotByGetError: 405}.get(type(error), 400)
    said = {"message": str(error), "extensions": {"code": "BAD_REQUEST"}}
    return JsonResponse({"errors": [said]}, status)


async def _executed(
    query: str, variables: dict[str, Any] | None, name: str | None, context: dict[str, Any]
) -> dict[str, Any]:
    document, errors = document_of(query)
    if document is None or errors:
        return {"errors": [formatted(error) for error in errors]}
    result = execute(
        schema.graphql_schema,
        document,
        context_value=context,
        variable_values=variables,
        operation_name=name,
    )
    if not isinstance(result, ExecutionResult):
        result = await result
    return _result(result)


def _result(result: ExecutionResult) -> dict[str, Any]:
    answer: dict[str, Any] = {"data": result.data}
    if result.errors:
        answer["errors"] = [formatted(error) for error in result.errors]
        if result.data is None and all(error.path is None for error in result.errors):
            del answer["data"]
    return answer


async def _converse(socket: WebSocket, context: Any) -> None:
    """Speak graphql-transport-ws, one subscription after another or several at once."""
    if SUBPROTOCOL not in socket.scope["subprotocols"]:
        await socket.close(4406)
        return
    await socket.accept(SUBPROTOCOL)
    running: dict[str, asyncio.Task[None]] = {}
    try:
        while True:
            message = read_json(await socket.receive_text())
            match message.get("type"):
                case "connection_init":
                    await socket.send_text('{"type":"connection_ack"}')
                case "ping":
                    await socket.send_text('{"type":"pong"}')
                case "subscribe":
                    sending = _send(socket, message["id"], message["payload"], context())
                    running[message["id"]] = asyncio.create_task(sending)
                case "complete" if message["id"] in running:
                    running.pop(message["id"]).cancel()
    except (WebSocketDisconnect, ValueError, KeyError):
        return
    finally:
        for task in running.values():
            task.cancel()


async def _send(
    socket: WebSocket, id: str, payload: dict[str, Any], context: dict[str, Any]
) -> None:
    """Send the results of one subscription, or what is wrong with it."""

    async def say(kind: str, said: object = None) -> None:
        text = {"id": id, "type": kind} | ({"payload": said} if said is not None else {})
        await socket.send_text(to_json(text).decode())

    document, errors = document_of(payload["query"])
    if document is None or errors:
        await say("error", [formatted(error) for error in errors])
        return
    found = await subscribe(
        schema.graphql_schema,
        document,
        context_value=context,
        variable_values=payload.get("variables"),
        operation_name=payload.get("operationName"),
    )
    if isinstance(found, ExecutionResult):
        await say("error", _result(found)["errors"])
        return
    results: AsyncIterator[ExecutionResult] = found
    try:
        async for result in results:
            await say("next", _result(result))
    except Exception as error:  # of a source that refuses before it has sent anything
        await say("error", [formatted(GraphQLError(str(error), original_error=error))])
        return
    await say("complete")
