"""gRPC servers whose reflection is endless, damaged or incomplete."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import grpc
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from tests.support.wording import raises_worded
from wirelab.errors import LabError
from wirelab.scaffold.access import Access
from wirelab.scaffold.descriptions import reflection
from wirelab.scaffold.descriptions.reflection import fetch_services

Files = Callable[[str], list[bytes]]
"""Return the files of an answer for the requested symbol or file name."""


@contextmanager
def describing(files: Files, version: str = "v1alpha") -> Iterator[str]:
    """Run a server with the service `own.Own`; yield its address."""

    class Servicer(reflection_pb2_grpc.ServerReflectionServicer):  # type: ignore[misc]
        def ServerReflectionInfo(  # noqa: N802
            self,
            request_iterator: Iterator[reflection_pb2.ServerReflectionRequest],
            context: object,
        ) -> Iterator[reflection_pb2.ServerReflectionResponse]:
            for request in request_iterator:
                answer = reflection_pb2.ServerReflectionResponse()
                name = request.file_by_filename or request.file_containing_symbol
                if name:
                    answer.file_descriptor_response.file_descriptor_proto.extend(files(name))
                else:
                    answer.list_services_response.service.add(name="own.Own")
                yield answer

    server = grpc.server(ThreadPoolExecutor(2))
    handler = grpc.stream_stream_rpc_method_handler(
        Servicer().ServerReflectionInfo,
        reflection_pb2.ServerReflectionRequest.FromString,
        reflection_pb2.ServerReflectionResponse.SerializeToString,
    )
    service = f"grpc.reflection.{version}.ServerReflection"
    handlers = {"ServerReflectionInfo": handler}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"grpc://127.0.0.1:{port}"
    finally:
        server.stop(None).wait()


def file(name: str, *imports: str) -> bytes:
    return bytes(FileDescriptorProto(name=name, dependency=imports).SerializeToString())


def endless() -> Files:
    """Return files each of which imports another one."""
    numbers = count(1)
    return lambda name: [file(name, f"{next(numbers):01000}.proto")]


@pytest.mark.parametrize(
    "files",
    [
        endless(),
        lambda _: [file("a", "b")],
        lambda _: [b"\xff\xff"],
        lambda _: [file("a", "b"), file("b", "a")],
        lambda _: [file("a", "a")],
    ],
    ids=["endless", "incomplete", "damaged", "circular", "itself"],
)
def test_what_is_no_description_is_one_clear_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: Files
) -> None:
    monkeypatch.setattr(reflection, "LARGEST_BYTES", 20_000)
    monkeypatch.setattr(reflection, "LONGEST_S", 20.0)
    target = tmp_path / "service.binpb"
    with describing(files) as address, raises_worded(LabError):
        fetch_services(address, target, Access())
    assert not target.exists()


@pytest.mark.parametrize("version", ["v1", "v1alpha"])
def test_both_versions_and_well_known_files_that_a_server_lacks(
    tmp_path: Path, version: str
) -> None:
    known = "google/protobuf/timestamp.proto"
    target = tmp_path / "service.binpb"
    with describing(lambda name: [] if name == known else [file("a", known)], version) as address:
        fetch_services(address, target, Access())

    read = FileDescriptorSet.FromString(target.read_bytes())
    assert [each.name for each in read.file] == [known, "a"]
    assert read.file[0].message_type[0].name == "Timestamp"


def test_all_queries_together_have_a_time_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reflection, "LARGEST_BYTES", 2**40)
    monkeypatch.setattr(reflection, "LONGEST_S", 0.5)
    with describing(endless()) as address, pytest.raises(LabError) as error:
        fetch_services(address, tmp_path / "service.binpb", Access())

    assert "DEADLINE_EXCEEDED" in error.value.what


def test_a_long_chain_of_imports_is_sorted(tmp_path: Path) -> None:
    names = [f"{number}.proto" for number in range(3000)]
    whole = [file(name, after) for name, after in zip(names, [*names[1:], "end"], strict=True)]
    target = tmp_path / "service.binpb"
    with describing(lambda _: [*whole, file("end")]) as address:
        fetch_services(address, target, Access())

    read = FileDescriptorSet.FromString(target.read_bytes())
    assert [each.name for each in read.file] == ["end", *reversed(names)]
