"""Serve the shop, or one of its services, over one protocol until SIGTERM."""

import logging
import sys
from contextlib import AsyncExitStack

import uvloop

from settings import Settings, read_settings
from shop import open_shop


async def serve(settings: Settings) -> None:
    """Open the store and the peers, then serve."""
    async with AsyncExitStack() as opened:
        # Imported where they are needed: a server of one protocol has no use for the others.
        if settings.protocol == "grpc":
            import grpc_server as server  # noqa: PLC0415
            from grpc_peer import open_peer  # noqa: PLC0415
        elif settings.protocol == "rest":
            import rest_server as server  # type: ignore[no-redef]  # noqa: PLC0415
            from rest_peer import open_peer  # type: ignore[assignment]  # noqa: PLC0415
        elif settings.protocol == "mcp":
            import mcp_server as server  # type: ignore[no-redef]  # noqa: PLC0415
            from rest_peer import open_peer  # type: ignore[assignment]  # noqa: PLC0415
        else:
            from graphql_peer import open_peer  # type: ignore[assignment]  # noqa: PLC0415

            if settings.protocol == "strawberry":
                import strawberry_server as server  # type: ignore[no-redef]  # noqa: PLC0415
            else:
                import graphene_server as server  # type: ignore[no-redef]  # noqa: PLC0415
        peers = {
            name: await opened.enter_async_context(open_peer(address))
            for name, address in settings.peers.items()
        }
        shop = open_shop(settings.service, settings.store_url, **peers)
        await server.serve(await opened.enter_async_context(shop), settings)


if __name__ == "__main__":
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    asked = read_settings()
    try:
        uvloop.run(serve(asked))
    except (OSError, TimeoutError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
