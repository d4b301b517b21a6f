"""`wirelab init` in our own process."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from wirelab.commands.own_api.init import init_command
from wirelab.scaffold.options import InitOptions
from wirelab.scaffold.request import read_init
from wirelab.terminal.exit_codes import ExitCode

OPTIONS = {"rest": "openapi", "graphql": "sdl", "grpc": "proto", "soap": "wsdl", "mcp": "mcp"}


def scaffold(
    folder: Path,
    descriptions: Mapping[str, Path | str],
    addresses: Mapping[str, str] | None = None,
    *,
    decide: Callable[[str], bool] | None = None,
    as_json: bool = False,
    **options: Any,
) -> ExitCode:
    """Write a folder from descriptions, by protocol, and from servers, if any has an address."""
    for protocol, source in descriptions.items():
        options[OPTIONS[protocol]] = [str(source)] if protocol == "grpc" else str(source)
    given = [f"{protocol}={address}" for protocol, address in (addresses or {}).items()]
    read = read_init(InitOptions(name=str(folder), address=given, **options))
    return init_command(read, decide, as_json=as_json)
