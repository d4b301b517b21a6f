"""Read the descriptions of a gRPC server's services by server reflection."""

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from google.protobuf.descriptor_pool import Default
from google.protobuf.message import DecodeError

from wirelab.errors import LabError
from wirelab.lab.network.address import Address
from wirelab.protocol.clients.client import grpc_channel
from wirelab.scaffold.access import Access
from wirelab.scaffold.descriptions.download import LARGEST_BYTES
from wirelab.verify.servers.obstacles import what_it_speaks

LONGEST_S = 60.0
"""Maximum duration of all queries together."""
FILE = "give the .proto as a file"


def fetch_services(address: str, target: Path, access: Access) -> None:
    """Request the files of the services from the gRPC server at `address`; write them to `target`.

    Raises `LabError` if it does not answer, does not support reflection, or sends no description
    that is complete and has a reasonable size.
    """
    where = Address.parse(address)
    endpoint = access.endpoint("grpc", "grpc", where)
    try:
        channel = grpc_channel(endpoint)
    except OSError as error:  # the certificate could not be checked
        raise LabError(f"{where} cannot be reached: {error}", what_it_speaks(endpoint)) from None
    with channel:
        try:
            files = _described(channel, str(where), endpoint.headers)
        except grpc.RpcError as error:
            what = f"{where} does not describe itself: {error.code().name}: {error.details()}"
            hint = what_it_speaks(endpoint) or _what_to_do(where, access.tls)
            raise LabError(what, hint) from None
    target.write_bytes(FileDescriptorSet(file=files).SerializeToString())


def _what_to_do(where: Address, tls: Mapping[str, Any]) -> str:
    otherwise = f"{FILE}, or enable reflection"
    if not where.is_secure:
        return f"{otherwise}; a server that speaks TLS has a grpcs:// address"
    if not tls.get("certificate"):
        otherwise += "; --cert and --key for a server that requests a client certificate"
    if tls.get("insecure"):
        return f"{otherwise}; --server-name for a certificate of another host"
    return f"{otherwise}; --ca or --insecure for a certificate that the system does not trust"


def _described(
    channel: grpc.Channel, where: str, headers: Sequence[tuple[str, str]]
) -> list[FileDescriptorProto]:
    """Return the files of all services: by version 1 of reflection, otherwise by v1alpha."""
    try:
        return _described_by("v1", channel, where, headers)
    except grpc.RpcError as error:
        if error.code() != grpc.StatusCode.UNIMPLEMENTED:
            raise
        return _described_by("v1alpha", channel, where, headers)


def _described_by(
    version: str, channel: grpc.Channel, where: str, headers: Sequence[tuple[str, str]]
) -> list[FileDescriptorProto]:
    try:
        from grpc_reflection.v1alpha import reflection_pb2  # noqa: PLC0415
    except ImportError:
        raise LabError(
            "server reflection needs grpcio-reflection, which is not installed",
            f"pip install 'wirelab[init]', or {FILE}",
        ) from None
    send = channel.stream_stream(  # the messages of both versions are the same on the wire
        f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
        reflection_pb2.ServerReflectionRequest.SerializeToString,
        reflection_pb2.ServerReflectionResponse.FromString,
    )
    files: dict[str, FileDescriptorProto] = {}
    deadline_s = time.monotonic() + LONGEST_S
    received_bytes = 0

    def query(**fields: str) -> reflection_pb2.ServerReflectionResponse:
        nonlocal received_bytes
        request = reflection_pb2.ServerReflectionRequest(**fields)
        remaining_s = max(0.0, deadline_s - time.monotonic())
        answers = send(iter([request]), timeout=remaining_s, metadata=tuple(headers) or None)
        answer = next(iter(answers), None)
        if answer is None:
            raise LabError(f"{where} does not describe itself: it ended without an answer", FILE)
        received_bytes += answer.ByteSize()
        if received_bytes > LARGEST_BYTES:
            raise LabError(f"{where} describes itself with more than {LARGEST_BYTES:,} bytes", FILE)
        for raw in answer.file_descriptor_response.file_descriptor_proto:
            file = FileDescriptorProto.FromString(raw)
            files[file.name] = file
        return answer

    try:
        listed = query(list_services="").list_services_response.service
        for each in listed:
            if not each.name.startswith("grpc."):
                query(file_containing_symbol=each.name)
        while (
            missing := {dependency for each in files.values() for dependency in each.dependency}
            - files.keys()
        ):
            query(file_by_filename=min(missing))
            if min(missing) not in files and (known := _well_known(min(missing))):
                files[min(missing)] = known
            if min(missing) not in files:
                raise LabError(f"{where} does not describe {min(missing)}", FILE)
        return _in_order(files)
    except DecodeError as error:
        raise LabError(f"{where} sends a description that is damaged: {error}", FILE) from None
    except CycleError as error:
        circle = " imports ".join(reversed(error.args[1]))
        raise LabError(f"{where} describes files that import each other: {circle}", FILE) from None


def _well_known(name: str) -> FileDescriptorProto | None:
    """Return a file of google/protobuf, which some servers do not describe."""
    if not name.startswith("google/protobuf/"):
        return None
    with suppress(ImportError):
        import_module(f"{name.removesuffix('.proto').replace('/', '.')}_pb2")
    file = FileDescriptorProto()
    try:
        Default().FindFileByName(name).CopyToProto(file)
    except KeyError:
        return None
    return file


def _in_order(files: Mapping[str, FileDescriptorProto]) -> list[FileDescriptorProto]:
    """Sort files after those that they import. Raises `CycleError`."""
    imports = {name: sorted(files[name].dependency) for name in sorted(files)}
    return [files[name] for name in TopologicalSorter(imports).static_order()]
