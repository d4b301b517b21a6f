"""Descriptions from where a person says they are: a file, a URL, or a server's reflection."""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import grpc
import httpx
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from graphql import (
    GraphQLError,
    build_client_schema,
    build_schema,
    get_introspection_query,
    print_schema,
)

from wirelab.errors import LabError
from wirelab.initiate.graphql import read_sdl
from wirelab.initiate.offer import Interface
from wirelab.initiate.openapi import read_openapi
from wirelab.initiate.proto import copy_with_imports as copy_proto
from wirelab.initiate.proto import read_proto
from wirelab.initiate.wsdl import copy_with_imports as copy_wsdl
from wirelab.initiate.wsdl import read_wsdl
from wirelab.lab.address import Address, without_credentials
from wirelab.problems import Problem, ProblemsError
from wirelab.protocol.graphql import schema_of

REFLECTION = "reflection"
TIMEOUT_S = 20.0
LARGEST_BYTES = 64 * 2**20

READERS: Mapping[str, tuple[str, Callable[[Path], Interface]]] = {
    "rest": ("openapi.yaml", read_openapi),
    "graphql": ("schema.graphql", read_sdl),
    "grpc": ("service.proto", read_proto),
    "soap": ("service.wsdl", read_wsdl),
}
"""By protocol: what its description is called in a domain, and what reads it."""
OPTIONS = {"rest": "--openapi", "graphql": "--sdl", "grpc": "--proto", "soap": "--wsdl"}
"""By protocol: the option that names its description."""


def described(
    protocol: str, source: str, folder: Path, address: str = ""
) -> tuple[Interface, Path]:
    """Bring a description into a folder and read it; return where it is, too.

    `source` is a file, a URL, or "reflection" of the gRPC server at `address`. Nothing that the
    description refers to is fetched. Raises `ProblemsError`, and `LabError` where nobody answers.
    """
    file = fetch_description(protocol, source, folder, address)
    try:
        return READERS[protocol][1](file), file
    except ProblemsError as error:
        # The copy is gone when somebody reads the message: it names what was given.
        problems = [
            replace(each, where=source) if each.where == str(file) else each
            for each in error.problems
        ]
        raise ProblemsError(problems) from None


def is_at_hand(protocol: str, source: str) -> bool:
    """Tell whether a description is a file that is there, or need not be one."""
    return _is_url(source) or Path(source).is_file() or _is_reflection(protocol, source)


def fetch_description(protocol: str, source: str, folder: Path, address: str) -> Path:
    """Bring a description into the folder of a domain; return where it is.

    Raises `ProblemsError` where there is none, and `LabError` where nobody answers.
    """
    name, _ = READERS[protocol]
    if _is_reflection(protocol, source):
        return _by_reflection(address, folder / "service.binpb")
    if _is_url(source):
        _check_url(protocol, source)
        text = _introspected(source) if protocol == "graphql" else _fetched(source)
        target = folder / name
        target.write_text(text, encoding="utf-8")
        if protocol == "graphql":
            _put_right(target)
        return target
    file = Path(source)
    if not file.is_file():
        raise ProblemsError([Problem(OPTIONS[protocol], "", source, "a file that is there")])
    if protocol == "grpc":
        return copy_proto(file, folder)
    if protocol == "soap":
        return copy_wsdl(file, folder)
    target = folder / (f"openapi{file.suffix}" if protocol == "rest" else name)
    shutil.copyfile(file, target)
    if protocol == "graphql":
        _put_right(target)
    return target


def _put_right(sdl: Path) -> None:
    """Write a schema again that is the answer to an introspection query, or not quite valid.

    One that defines a field twice, for example, can be used all the same.
    """
    try:
        text = sdl.read_text(encoding="utf-8")
        if text.lstrip().startswith("{"):
            answer = json.loads(text)
            sdl.write_text(print_schema(build_client_schema(answer.get("data", answer))))
            return
        try:
            schema_of(text)
        except TypeError:  # what graphql-core raises for a schema that can be read and is not valid
            schema = build_schema(text, assume_valid=True, assume_valid_sdl=True)
            sdl.write_text(print_schema(schema), encoding="utf-8")
    except (GraphQLError, TypeError, ValueError, KeyError, RecursionError):
        return  # whoever reads it says what is wrong


def _is_url(source: str) -> bool:
    return source.startswith(("http://", "https://"))


def _check_url(protocol: str, url: str) -> None:
    """Refuse an address with a credential: it would be in messages, and in the bundle."""
    try:
        Address.parse(url)
    except ValueError as error:
        shown = without_credentials(url)
        raise ProblemsError([Problem(OPTIONS[protocol], "", shown, str(error))]) from None


def _asks_directly(url: str) -> bool:
    """Tell whether no proxy of the environment may come between: it does not know this machine."""
    return Address.parse(url).is_loopback


def _is_reflection(protocol: str, source: str) -> bool:
    return protocol == "grpc" and source == REFLECTION


def _fetched(url: str) -> str:
    try:
        direct = _asks_directly(url)
        reply = httpx.get(url, timeout=TIMEOUT_S, follow_redirects=True, trust_env=not direct)
        reply.raise_for_status()
    except httpx.HTTPError as error:
        raise LabError(f"cannot read {url}: {error}", "save it to a file, and name that") from None
    if len(reply.content) > LARGEST_BYTES:
        raise LabError(f"{url} has {len(reply.content)} bytes, too many for a description")
    return reply.text


def _introspected(url: str) -> str:
    """Ask a GraphQL server for its schema; an address that answers SDL has it already."""
    body = {"query": get_introspection_query(descriptions=True)}
    try:
        direct = _asks_directly(url)
        reply = httpx.post(
            url, json=body, timeout=TIMEOUT_S, follow_redirects=True, trust_env=not direct
        )
        if reply.status_code in (404, 405):
            return _fetched(url)
        schema = reply.json()["data"]
        return print_schema(build_client_schema(schema))
    except httpx.HTTPError as error:
        raise LabError(f"{url} does not answer: {error}") from None
    except (KeyError, TypeError, json.JSONDecodeError):
        what = f"{url} returned no schema: {reply.text[:200]}"
        raise LabError(what, "introspection may be off: give the schema as a file") from None


def _by_reflection(address: str, target: Path) -> Path:
    """Ask a gRPC server for the descriptions of its services."""
    from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc  # noqa: PLC0415

    if not address:
        expected = "with --address grpc=HOST:PORT, for the server that is to be asked"
        raise ProblemsError([Problem("--proto", "", REFLECTION, expected)])
    where = address.partition("://")[2] or address
    files: dict[str, FileDescriptorProto] = {}
    with grpc.insecure_channel(where, options=[("grpc.enable_http_proxy", 0)]) as channel:
        stub = reflection_pb2_grpc.ServerReflectionStub(channel)

        def ask(**question: str) -> reflection_pb2.ServerReflectionResponse:
            request = reflection_pb2.ServerReflectionRequest(**question)
            return next(iter(stub.ServerReflectionInfo(iter([request]), timeout=TIMEOUT_S)))

        try:
            listed = ask(list_services="").list_services_response.service
            names = [each.name for each in listed if not each.name.startswith("grpc.")]
            for name in names:
                answer = ask(file_containing_symbol=name)
                for raw in answer.file_descriptor_response.file_descriptor_proto:
                    _keep(raw, files)
            while (
                missing := {need for each in files.values() for need in each.dependency}
                - files.keys()
            ):
                answer = ask(file_by_filename=min(missing))
                found = answer.file_descriptor_response.file_descriptor_proto
                if not found:
                    raise LabError(f"{where} does not describe {min(missing)}")
                for raw in found:
                    _keep(raw, files)
        except grpc.RpcError as error:
            what = f"{where} does not describe itself: {error.code().name}: {error.details()}"
            raise LabError(what, "give the .proto as a file, or turn reflection on") from None
    target.write_bytes(FileDescriptorSet(file=_in_order(files)).SerializeToString())
    return target


def _keep(raw: bytes, files: dict[str, FileDescriptorProto]) -> None:
    read = FileDescriptorProto.FromString(raw)
    files[read.name] = read


def _in_order(files: Mapping[str, FileDescriptorProto]) -> list[FileDescriptorProto]:
    """Put files after those that they need."""
    ordered: dict[str, FileDescriptorProto] = {}

    def add(name: str) -> None:
        if name not in ordered:
            for need in files[name].dependency:
                add(need)
            ordered[name] = files[name]

    for name in sorted(files):
        add(name)
    return list(ordered.values())
