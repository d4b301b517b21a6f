"""Read the descriptions of a gRPC server's services by server reflection."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from wirelab.errors import LabError
from wirelab.initiate.access import Access
from wirelab.lab.address import Address
from wirelab.protocol.client import grpc_channel

TIMEOUT_S = 20.0


def fetch_services(address: str, target: Path, access: Access) -> None:
    """Request the files of the services from the gRPC server at `address`; write them to `target`.

    Raises `LabError` if it does not answer, or does not support reflection.
    """
    where = Address.parse(address)
    endpoint = access.endpoint("grpc", "grpc", where)
    try:
        channel = grpc_channel(endpoint)
    except OSError as error:  # the certificate could not be checked
        raise LabError(f"{where} cannot be reached: {error}") from None
    with channel:
        try:
            files = _described(channel, str(where), endpoint.headers)
        except grpc.RpcError as error:
            what = f"{where} does not describe itself: {error.code().name}: {error.details()}"
            raise LabError(what, _what_to_do(where, access.tls)) from None
    target.write_bytes(FileDescriptorSet(file=_in_order(files)).SerializeToString())


def _what_to_do(where: Address, tls: Mapping[str, Any]) -> str:
    otherwise = "give the .proto as a file, or enable reflection"
    if not where.is_secure:
        return f"{otherwise}; a server that speaks TLS has a grpcs:// address"
    if not tls.get("certificate"):
        otherwise += "; --cert and --key for a server that requests a client certificate"
    if tls.get("insecure"):
        return f"{otherwise}; --server-name for a certificate of another host"
    return f"{otherwise}; --ca or --insecure for a certificate that the system does not trust"


def _described(
    channel: grpc.Channel, where: str, headers: Sequence[tuple[str, str]]
) -> dict[str, FileDescriptorProto]:
    try:
        from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc  # noqa: PLC0415
    except ImportError:
        raise LabError(
            "server reflection needs grpcio-reflection, which is not installed",
            "pip install 'wirelab[init]', or give the .proto as a file",
        ) from None
    stub = reflection_pb2_grpc.ServerReflectionStub(channel)
    files: dict[str, FileDescriptorProto] = {}

    def query(**fields: str) -> reflection_pb2.ServerReflectionResponse:
        request = reflection_pb2.ServerReflectionRequest(**fields)
        answers = stub.ServerReflectionInfo(
            iter([request]), timeout=TIMEOUT_S, metadata=tuple(headers) or None
        )
        return next(iter(answers))

    listed = query(list_services="").list_services_response.service
    names = [each.name for each in listed if not each.name.startswith("grpc.")]
    for name in names:
        answer = query(file_containing_symbol=name)
        for raw in answer.file_descriptor_response.file_descriptor_proto:
            _keep(raw, files)
    while missing := {need for each in files.values() for need in each.dependency} - files.keys():
        answer = query(file_by_filename=min(missing))
        found = answer.file_descriptor_response.file_descriptor_proto
        if not found:
            raise LabError(f"{where} does not describe {min(missing)}")
        for raw in found:
            _keep(raw, files)
    return files


def _keep(raw: bytes, files: dict[str, FileDescriptorProto]) -> None:
    read = FileDescriptorProto.FromString(raw)
    files[read.name] = read


def _in_order(files: Mapping[str, FileDescriptorProto]) -> list[FileDescriptorProto]:
    """Sort files after those that they import."""
    ordered: dict[str, FileDescriptorProto] = {}

    def add(name: str) -> None:
        if name not in ordered:
            for need in files[name].dependency:
                add(need)
            ordered[name] = files[name]

    for name in sorted(files):
        add(name)
    return list(ordered.values())
