"""Streams beside REST: server-sent events, and a WebSocket for every direction."""

from collections.abc import AsyncIterator
from typing import Any

from fastapi import FastAPI, WebSocket
from fastapi.responses import StreamingResponse
from pydantic import TypeAdapter
from pydantic_core import from_json, to_json
from starlette.websockets import WebSocketDisconnect

from catalogue import Catalogue
from checks import checked, given
from refusal import Refusal, told
from types_ import ProductEvent, Quote, StockCount, Watch, Wish

EVENT: TypeAdapter[ProductEvent] = TypeAdapter(ProductEvent)
QUOTE: TypeAdapter[Quote] = TypeAdapter(Quote)


def stream_routes(app: FastAPI, catalogue: Catalogue) -> None:
    """Add what does not fit into one answer."""

    @app.get("/product-events")
    async def watch_products(
        after: int | None = None, count: int | None = None
    ) -> StreamingResponse:
        watch = checked(Watch, given(after=after, count=count))
        headers = {"cache-control": "no-store"}
        return StreamingResponse(
            _sent(catalogue, watch), media_type="text/event-stream", headers=headers
        )

    @app.websocket("/stream")
    async def converse(socket: WebSocket) -> None:
        """Converse: "watch" sends events and "end"; "count" takes one count a message and answers
        "done" with a summary; "quote" answers each wish.
        """
        await socket.accept()
        counts: list[StockCount] = []
        try:
            while True:
                try:
                    await _answer(socket, catalogue, counts, await socket.receive_text())
                except WebSocketDisconnect:
                    raise
                except Exception as error:
                    refused = told(error)
                    said = {"code": refused.kind, "message": refused.detail}
                    await socket.send_text(_json({"error": said}))
        except WebSocketDisconnect:
            return


async def _sent(catalogue: Catalogue, watch: Watch) -> AsyncIterator[bytes]:
    async for event in catalogue.watch(watch):
        yield b"id: %d\ndata: %b\n\n" % (event.id, EVENT.dump_json(event, by_alias=True))


async def _answer(
    socket: WebSocket, catalogue: Catalogue, counts: list[StockCount], text: str
) -> None:
    asked = _asked(text)
    match asked.pop("op", None):
        case "watch":
            async for event in catalogue.watch(checked(Watch, asked)):
                await socket.send_text(EVENT.dump_json(event, by_alias=True).decode())
            await socket.send_text(_json({"end": asked["count"]}))
        case "count":
            counts.append(checked(StockCount, asked))
        case "done":
            received, counts[:] = list(counts), []
            await socket.send_text(_json({"received": await catalogue.count_stock(received)}))
        case "quote":
            quote = await catalogue.quote(checked(Wish, asked))
            await socket.send_text(QUOTE.dump_json(quote, by_alias=True).decode())
        case _:
            raise Refusal("invalid", "op must be watch, count, done or quote")


def _json(values: dict[str, Any]) -> str:
    return to_json(values).decode()


def _asked(text: str) -> dict[str, Any]:
    try:
        asked = from_json(text)
    except ValueError:
        asked = None
    return asked if isinstance(asked, dict) else {}
