"""Get descriptions from a file, a URL, or a server's reflection."""

import json
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from ssl import SSLContext
from tempfile import TemporaryDirectory
from types import MappingProxyType

from graphql import (
    GraphQLError,
    build_client_schema,
    get_introspection_query,
    print_schema,
)

from wirelab.engine.job import Endpoint
from wirelab.errors import LabError
from wirelab.inputs.apart import LimitError, apart
from wirelab.inputs.problems import Problem, ProblemsError
from wirelab.lab.credentials import redact, resolve_headers
from wirelab.lab.network.address import Address, without_credentials
from wirelab.protocol.clients.client import tls_context
from wirelab.protocol.graphql import schema_of
from wirelab.protocol.grpc import DESCRIPTORS
from wirelab.scaffold.access import NO_OPTIONS, Access
from wirelab.scaffold.descriptions.download import INSTEAD, download
from wirelab.scaffold.descriptions.given import (
    NO_DETAILS,
    OPTIONS,
    REFLECTION,
    Details,
    is_reflection,
    is_url,
)
from wirelab.scaffold.descriptions.graphql import lenient_schema, read_sdl
from wirelab.scaffold.descriptions.mcp import fetch_tools, read_tools
from wirelab.scaffold.descriptions.offer import OfferedInterface
from wirelab.scaffold.descriptions.openapi import read_openapi
from wirelab.scaffold.descriptions.openapi_documents import bundle_documents
from wirelab.scaffold.descriptions.proto import read_proto
from wirelab.scaffold.descriptions.proto_imports import compile_with_imports
from wirelab.scaffold.descriptions.reflection import fetch_services
from wirelab.scaffold.descriptions.wsdl import copy_with_imports as copy_wsdl
from wirelab.scaffold.descriptions.wsdl import read_wsdl
from wirelab.terminal import words
from wirelab.verify.servers.obstacles import obstacle, status_name

READERS: Mapping[str, tuple[str, Callable[[Path, Details], OfferedInterface]]] = {
    "rest": ("openapi.yaml", read_openapi),
    "graphql": ("schema.graphql", read_sdl),
    "grpc": (f"service{DESCRIPTORS}", read_proto),
    "soap": ("service.wsdl", read_wsdl),
    "mcp": ("tools.json", read_tools),
}
"""By protocol: the file name of its description in a domain, and the function that reads it."""
UNEXPECTED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What reading something that no reader foresees may raise."""
SMALLER = "give a smaller description"
COMPILED = (DESCRIPTORS, ".pb", ".desc", ".protoset")
"""The usual extensions of files with compiled descriptors."""


def described(
    protocol: str,
    source: str,
    folder: Path,
    address: str = "",
    access: Access = NO_OPTIONS,
    *,
    details: Details = NO_DETAILS,
) -> tuple[OfferedInterface, Path]:
    """Copy a description into a folder and read it; return its path, too.

    `source` is a file, a URL, or "reflection" of the gRPC server at `address`; `access` has
    the certificates to trust and the headers for that server. Of the documents that the description
    refers to, only files beside it are read. Raises `ProblemsError`, and `LabError` if no server
    answers.
    """
    file = fetch_description(protocol, source, folder, address, access, details=details)

    def of_source(problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Name the source in problems, because the copy has been removed when they are read."""
        return tuple(
            replace(each, where=source) if each.where == str(file) else each for each in problems
        )

    try:
        interface = apart(_read, protocol, file, details, source)
    except LimitError as error:
        what = f"{source} cannot be read: {error}"
        raise ProblemsError([Problem.stated(what, SMALLER)]) from None
    except ProblemsError as error:
        raise ProblemsError(of_source(error.problems)) from None
    except UNEXPECTED as error:
        kind = f"a description that can be read: {type(error).__name__}"
        hint = "check it with another tool; if it is valid, report this message as a defect"
        raise ProblemsError([Problem.unreadable(source, kind, error, hint)]) from None
    offers = tuple(replace(each, problems=of_source(each.problems)) for each in interface.offers)
    return replace(interface, offers=offers), file


def fetch_description(
    protocol: str,
    source: str,
    folder: Path,
    address: str,
    access: Access,
    *,
    details: Details = NO_DETAILS,
) -> Path:
    """Copy a description into the folder of a domain; return its path.

    Raises `ProblemsError` if there is none, and `LabError` if no server answers.
    """
    target = folder / READERS[protocol][0]
    if is_reflection(protocol, source):
        if not address:
            expected = "with --address grpc=HOST:PORT, the server to query"
            raise ProblemsError([Problem("--proto", "", REFLECTION, expected)])
        fetch_services(address, target, access)
        return target
    if is_url(source):
        _check_url(protocol, source)
        verify = _trust(source, access)
        if protocol == "mcp":
            content = fetch_tools(source, access)
        elif protocol == "graphql":
            content = _introspected(source, verify, _headers_for(source, address, access))
        else:
            content = _fetched(source, verify)
        if protocol == "grpc":
            with TemporaryDirectory() as scratch:
                fetched = Path(scratch) / "service.proto"
                fetched.write_bytes(content)
                return _compiled([fetched], target, details)
        target.write_bytes(content)
        return target
    file = Path(source)
    if not file.is_file():
        raise ProblemsError([Problem(OPTIONS[protocol], "", source, "an existing file")])
    if protocol == "grpc" and file.suffix not in COMPILED:
        return _compiled([file, *map(Path, details.protos)], target, details)
    if protocol == "soap":
        return copy_wsdl(file, folder)
    if protocol == "rest":
        target = target.with_suffix(file.suffix)
    shutil.copyfile(file, target)
    return target


def _compiled(files: Sequence[Path], target: Path, details: Details) -> Path:
    """Write the descriptors of .proto files and of their imports."""
    try:
        apart(_write_compiled, files, details.import_path, target)
    except LimitError as error:
        what = f"{words.listed(map(str, files))} cannot be compiled: {error}"
        raise ProblemsError([Problem.stated(what, SMALLER)]) from None
    return target


def _write_compiled(files: Sequence[Path], import_path: Sequence[Path], target: Path) -> None:
    target.write_bytes(compile_with_imports(files, import_path).SerializeToString())


def _read(protocol: str, file: Path, details: Details, source: str) -> OfferedInterface:
    if protocol == "graphql":
        _put_right(file)
    if protocol == "rest" and not is_url(source):
        bundle_documents(file, Path(source))
    return READERS[protocol][1](file, details)


def _put_right(sdl: Path) -> None:
    """Rewrite a schema that is the answer to an introspection query, or not entirely valid.

    One that defines a field twice, for example, is still usable.
    """
    try:
        text = sdl.read_text(encoding="utf-8-sig")
        if text.lstrip().startswith("{"):
            answer = json.loads(text)
            schema = build_client_schema(answer.get("data", answer))
            sdl.write_text(print_schema(schema), encoding="utf-8")
            return
        try:
            schema_of(text)
        except TypeError:  # graphql-core raises this for a schema that is readable, but invalid
            sdl.write_text(print_schema(lenient_schema(text)), encoding="utf-8")
    except (GraphQLError, TypeError, ValueError, KeyError, RecursionError):
        return  # its reader reports the error


def _check_url(protocol: str, url: str) -> None:
    """Reject an address with a credential, which would appear in messages and in the bundle."""
    try:
        Address.parse(url)
    except ValueError as error:
        shown = without_credentials(url)
        raise ProblemsError([Problem(OPTIONS[protocol], "", shown, str(error))]) from None


def _trust(url: str, access: Access) -> SSLContext | bool:
    """Return the certificates to trust; True means httpx's default."""
    address = Address.parse(url)
    if not (access.tls and address.is_secure):
        return True
    options = {"transport": "http1", "address": address.host_port, "tls": dict(access.tls)}
    return tls_context(Endpoint.model_validate(options)) or True


def _headers_for(url: str, address: str, access: Access) -> dict[str, str]:
    """Return the headers for a GraphQL server at a URL: none, unless it is the one at `address`.

    Raises `ContenderError` if a header needs a variable that is not set.
    """
    if not address:
        return {}
    queried, measured = Address.parse(url), Address.parse(address)
    if (queried.is_secure, queried.host_port) != (measured.is_secure, measured.host_port):
        return {}
    return dict(resolve_headers("graphql", access.headers_of("graphql"), access.headers_file))


def _sdl(introspection: bytes) -> bytes:
    return print_schema(build_client_schema(json.loads(introspection)["data"])).encode()


def _fetched(
    url: str, verify: SSLContext | bool, headers: Mapping[str, str] = MappingProxyType({})
) -> bytes:
    reply = download(url, verify, headers)
    if not HTTPStatus(200) <= reply.status < HTTPStatus(300):
        why = obstacle(reply.status, dict(reply.headers))
        what = (
            f"cannot read {url}: {why or 'it answers ' + status_name(reply.status, of_grpc=False)}"
        )
        raise LabError(what, INSTEAD)
    return reply.body


def _introspected(url: str, verify: SSLContext | bool, headers: Mapping[str, str]) -> bytes:
    """Query a GraphQL server for its schema, unless the address returns SDL."""
    reply = download(url, verify, headers, {"query": get_introspection_query(descriptions=True)})
    if reply.status in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED):
        return _fetched(url, verify, headers)
    try:
        return apart(_sdl, reply.body)
    except LimitError as error:
        raise LabError(f"the schema of {url} is too large: {error}", INSTEAD) from None
    except (GraphQLError, KeyError, TypeError, ValueError, AttributeError, RecursionError):
        if why := obstacle(reply.status, dict(reply.headers)):
            raise LabError(f"{url} returned no schema: {why}") from None
        text = words.shortened(redact(reply.body.decode(errors="replace")), 200)
        what = f"{url} returned no schema: {reply.status} {text}"
        raise LabError(what, "introspection may be disabled: give the schema as a file") from None
