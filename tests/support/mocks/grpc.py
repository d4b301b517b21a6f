"""A gRPC server out of .proto files: grpcio serves, every field of a message is made up."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import grpc
import grpc_tools
from google.protobuf import message_factory
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_tools import protoc

from tests.support.mocks import dice

WELL_KNOWN = "google.protobuf."
FILLED = {"google.protobuf.Timestamp", "google.protobuf.Duration"}


@contextmanager
def serving(description: Path) -> Iterator[str]:
    """Serve the services of a file; yield the address."""
    server = grpc.server(ThreadPoolExecutor(4))
    server.add_generic_rpc_handlers((_Services(description),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"grpc://127.0.0.1:{port}"
    finally:
        server.stop(grace=None).wait()


class _Services(grpc.GenericRpcHandler):  # type: ignore[misc]
    def __init__(self, description: Path) -> None:
        pool = DescriptorPool()
        self.methods = {}
        for file in _compiled(description).file:
            pool.Add(file)
            for service in file.service:
                found = pool.FindServiceByName(f"{file.package}.{service.name}")
                for method in found.methods:
                    self.methods[f"/{found.full_name}/{method.name}"] = method

    def service(self, details: Any) -> Any:
        method = self.methods.get(details.method)
        if method is None:
            return None
        request_type, answered = map(
            message_factory.GetMessageClass, (method.input_type, method.output_type)
        )

        def carry_out(request: Any, context: Any) -> Any:
            answer = answered()
            _fill(answer, (request.SerializeToString(deterministic=True).hex(),), dice.DEEPEST)
            return answer

        serialize: Callable[[Any], bytes] = answered.SerializeToString
        return grpc.unary_unary_rpc_method_handler(carry_out, request_type.FromString, serialize)


def _compiled(description: Path) -> FileDescriptorSet:
    with TemporaryDirectory() as folder:
        compiled = Path(folder) / "set"
        own = Path(grpc_tools.__file__).parent / "_proto"
        roots = [f"-I{root}" for root in (description.parent, *description.parents[1:4], own)]
        code = protoc.main(
            ["", *roots, f"--descriptor_set_out={compiled}", "--include_imports", str(description)]
        )
        assert code == 0
        return FileDescriptorSet.FromString(compiled.read_bytes())


def _fill(message: Any, at: tuple[object, ...], depth: int) -> None:
    chosen: set[str] = set()
    for field in message.DESCRIPTOR.fields:
        choice = field.containing_oneof
        if choice is not None and choice.name in chosen:
            continue
        inner, place = field.message_type, (*at, field.name)
        if inner is not None and (inner.GetOptions().map_entry or not _is_filled(inner, depth)):
            continue
        if choice is not None:
            chosen.add(choice.name)
        if inner is not None:
            for number in range(dice.ITEMS if field.is_repeated else 1):
                held = getattr(message, field.name)
                one = held.add() if field.is_repeated else held
                one.SetInParent()
                _fill(one, (*place, number), depth - 1)
        elif field.is_repeated:
            values = [_plain(field, (*place, number)) for number in range(dice.ITEMS)]
            getattr(message, field.name).extend(values)
        else:
            setattr(message, field.name, _plain(field, place))


def _is_filled(kind: Any, depth: int) -> bool:
    return depth > 0 and (not kind.full_name.startswith(WELL_KNOWN) or kind.full_name in FILLED)


def _plain(field: Any, place: tuple[object, ...]) -> object:
    number = dice.number(*place)
    if field.enum_type is not None:
        return field.enum_type.values[number % len(field.enum_type.values)].number
    return {
        field.CPPTYPE_BOOL: number % 2 == 0,
        field.CPPTYPE_STRING: (
            dice.text(*place).encode() if field.type == field.TYPE_BYTES else dice.text(*place)
        ),
        field.CPPTYPE_FLOAT: number / 8,
        field.CPPTYPE_DOUBLE: number / 8,
    }.get(field.cpp_type, number)
