"""What the command line and the environment say."""

import argparse
import os
import sys
from dataclasses import dataclass

PEERS_OF = {"catalogue": ("users",), "orders": ("catalogue", "users")}
"""Which services a service calls."""


@dataclass(frozen=True)
class Settings:
    """What to serve, where, and over what."""

    protocol: str
    service: str
    host: str
    port: int
    store_url: str
    batching: bool
    compressed: bool
    cached: bool
    """Whether caches may keep what it says of the catalogue."""
    streamed: bool
    """Whether tools of MCP answer by a stream of events where sessions allow it."""
    peers: dict[str, str]
    pending: int | None
    """How many calls over gRPC may wait for the server; None: as many as gRPC's default."""


def read_settings() -> Settings:
    """Read them, or end with everything that is wrong."""
    parser = argparse.ArgumentParser(description="The shop, or one of its services.")
    protocols = ("rest", "strawberry", "graphene", "grpc", "mcp")
    parser.add_argument("--protocol", choices=protocols, default="rest")
    services = ("all", "catalogue", "orders", "users")
    parser.add_argument("--service", choices=services, default="all")
    asked = parser.parse_args()
    names = [f"WIRELAB_PEER_{peer.upper()}" for peer in PEERS_OF.get(asked.service, ())]
    needed = ["WIRELAB_HOST", "WIRELAB_PORT", "WIRELAB_STORE_URL", *names]
    problems = [f"{name}: expected a value" for name in needed if not os.environ.get(name)]
    loading = os.environ.get("SHOP_LOADING", "batching")
    if loading not in {"batching", "naive"}:
        problems.append(f"SHOP_LOADING: expected batching or naive, got {loading!r}")
    compression = os.environ.get("SHOP_COMPRESSION", "none")
    if compression not in {"none", "gzip"}:
        problems.append(f"SHOP_COMPRESSION: expected none or gzip, got {compression!r}")
    caching = os.environ.get("SHOP_CACHING", "none")
    if caching not in {"none", "http"}:
        problems.append(f"SHOP_CACHING: expected none or http, got {caching!r}")
    answers = os.environ.get("SHOP_ANSWERS", "json")
    if answers not in {"json", "events"}:
        problems.append(f"SHOP_ANSWERS: expected json or events, got {answers!r}")
    pending = os.environ.get("SHOP_PENDING_CALLS")
    if pending is not None and not pending.isdecimal():
        problems.append(f"SHOP_PENDING_CALLS: expected a number, got {pending!r}")
    if problems:
        sys.exit("\n".join(problems))
    return Settings(
        asked.protocol,
        asked.service,
        os.environ["WIRELAB_HOST"],
        int(os.environ["WIRELAB_PORT"]),
        os.environ["WIRELAB_STORE_URL"],
        loading == "batching",
        compression == "gzip",
        caching == "http",
        answers == "events",
        {name.removeprefix("WIRELAB_PEER_").lower(): os.environ[name] for name in names},
        int(pending) if pending else None,
    )
