"""The shop over MCP: the official SDK's server, streamable HTTP under uvicorn."""

import inspect
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import RootModel, TypeAdapter
from pydantic_core import to_json

from http_serving import LARGEST_BODY_BYTES, run
from mcp_tools import add_tools
from refusal import told
from settings import Settings
from shop import Shop

CONFLICTS = {"out_of_stock", "payment_refused"}
Function = Callable[..., Awaitable[Any]]


class Tools:
    """Makes functions tools: their value is structured content, their refusal names its kind."""

    def __init__(self) -> None:
        self.server = MCPServer("shop", log_level="WARNING", subscriptions=False)

    def reads(self, function: Function) -> Function:
        """Add a tool that changes nothing."""
        return self._add(function, ToolAnnotations(read_only_hint=True))

    def writes(self, function: Function) -> Function:
        """Add a tool that changes something."""
        return self._add(function, ToolAnnotations(read_only_hint=False))

    def _add(self, function: Function, annotations: ToolAnnotations) -> Function:
        written = inspect.signature(function)
        form = written.return_annotation
        adapter: TypeAdapter[Any] = TypeAdapter(form)

        @wraps(function)
        async def tool(**arguments: Any) -> CallToolResult:
            try:
                value = await function(**arguments)
            except Exception as error:
                refused = told(error)
                kind = "conflict" if refused.kind in CONFLICTS else refused.kind
                raise ToolError(f"{kind}: {refused.detail}") from error
            structured = adapter.dump_python(value, mode="json", by_alias=True, exclude_none=True)
            text = TextContent(type="text", text=to_json(structured).decode())
            return CallToolResult(content=[text], structured_content=structured)

        result = Annotated[CallToolResult, RootModel[form]]  # type: ignore[valid-type]
        tool.__signature__ = written.replace(return_annotation=result)  # type: ignore[attr-defined]
        self.server.tool(annotations=annotations)(tool)
        return function


async def serve(shop: Shop, settings: Settings) -> None:
    """Serve the tools at /mcp, with sessions for clients that open one."""
    tools = Tools()
    add_tools(tools, shop)
    app = tools.server.streamable_http_app(
        json_response=not settings.streamed,
        max_request_body_size=LARGEST_BODY_BYTES,
        host=settings.host,
    )
    async with tools.server.session_manager.run():
        await run(app, settings)
