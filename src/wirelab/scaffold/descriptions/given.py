"""How descriptions of interfaces are given: by which options, and as a file, URL or reflection."""

from collections.abc import Mapping
from pathlib import Path

from wirelab.inputs.problems import add_problem

OPTIONS = {"rest": "--openapi", "graphql": "--sdl", "grpc": "--proto", "soap": "--wsdl"}
"""By protocol: the option that names its description."""
REFLECTION = "reflection"


def check_available(sources: Mapping[str, str]) -> None:
    """Check that each description, by protocol, is an existing file or need not be a file."""
    for protocol, source in sources.items():
        if not (is_url(source) or Path(source).is_file() or is_reflection(protocol, source)):
            add_problem(OPTIONS[protocol], "", source, "an existing file, or a URL")


def is_url(source: str) -> bool:
    """Return whether a description is read from a URL."""
    return source.startswith(("http://", "https://"))


def is_reflection(protocol: str, source: str) -> bool:
    """Return whether a gRPC server describes itself."""
    return protocol == "grpc" and source == REFLECTION
