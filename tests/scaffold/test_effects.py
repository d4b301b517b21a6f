"""Methods of gRPC and operations of SOAP that only read: by what is declared, else by the name."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from tests.compare.running import QUICK, WSDL, wirelab
from tests.support.scaffolding import scaffold
from wirelab.scaffold.descriptions.offer import guessed_reads
from wirelab.scaffold.descriptions.proto import effect_by_name, read_proto
from wirelab.scaffold.descriptions.wsdl import read_wsdl
from wirelab.terminal.exit_codes import ExitCode

PROTO = """syntax = "proto3"; package p;
service Reception {
  rpc GetGuest(None) returns (Text);
  rpc Expected(None) returns (Text) { option idempotency_level = NO_SIDE_EFFECTS; }
  rpc GetAndTouch(None) returns (Text) { option idempotency_level = NO_SIDE_EFFECTS; }
  rpc GetRoom(None) returns (Text) { option idempotency_level = IDEMPOTENT; }
  rpc CheckIn(None) returns (Text);
  rpc LoadData(None) returns (Text);
  rpc CountDown(None) returns (Text);
  rpc GetOrCreateGuest(None) returns (Text);
}
message None {} message Text { string text = 1; }
"""
ASSUMED_READS = (
    "assumed to be reads because of their names: check that they change nothing: "
    "p.Reception/GetGuest"
)


class Reception(grpc.GenericRpcHandler):  # type: ignore[misc]
    """Answers every method, and keeps their names."""

    def __init__(self) -> None:
        """Begin with none."""
        self.requests: set[str] = set()

    def service(self, details: Any) -> Any:
        """Answer the text "a"."""
        self.requests.add(details.method.rpartition("/")[2])
        answer: Callable[[Any, Any], bytes] = lambda _, __: b"\x0a\x01a"  # noqa: E731
        return grpc.unary_unary_rpc_method_handler(answer)


@contextmanager
def reception() -> Iterator[tuple[str, Reception]]:
    handler = Reception()
    server = grpc.server(ThreadPoolExecutor(2))
    server.add_generic_rpc_handlers((handler,))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"grpc://127.0.0.1:{port}", handler
    finally:
        server.stop(None)


@pytest.fixture
def proto(tmp_path: Path) -> Path:
    file = tmp_path / "reception.proto"
    file.write_text(PROTO)
    return file


@pytest.mark.parametrize("name", ["GetItem", "BatchGetItems", "listAll", "LookupUser", "describe"])
def test_names_that_begin_with_a_word_of_reading_are_reads(name: str) -> None:
    assert effect_by_name(name) == "read"


@pytest.mark.parametrize(
    "name",
    [
        *("CheckIn", "CheckOut", "LoadData", "CountDown", "WatchMovie", "StatusUpdate", "Ping"),
        *("GetOrCreate", "FindAndModify", "FetchAndLock", "GetNextNumber", "BatchCreate", "batch"),
        *("", "Getaway", "Update"),
    ],
)
def test_names_that_may_be_those_of_writes_are_writes(name: str) -> None:
    assert effect_by_name(name) == "write"


def test_a_declared_level_of_idempotency_outweighs_the_name(proto: Path) -> None:
    offers = read_proto(proto).offers
    reads = {offer.name for offer in offers if offer.effect == "read"}

    assert reads == {"get_guest", "expected", "get_and_touch"}
    assert guessed_reads(offers) == [ASSUMED_READS]


def test_operations_of_soap_are_judged_by_their_names(tmp_path: Path) -> None:
    file = tmp_path / "service.wsdl"
    file.write_text(WSDL)
    (read,) = read_wsdl(file).offers
    file.write_text(WSDL.replace("GetItem", "CheckIn"))
    (write,) = read_wsdl(file).offers

    assert (read.effect, write.effect) == ("read", "write")
    assert guessed_reads([read, write])[0].endswith(": GetItem")


def test_init_calls_no_method_that_may_write_and_lists_the_assumed_reads(
    proto: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with reception() as (address, handler):
        scaffold(tmp_path / "own", {"grpc": str(proto)}, {"grpc": address}, as_json=True)
    output = json.loads(capsys.readouterr().out)

    assert handler.requests == {"GetGuest", "Expected", "GetAndTouch"}
    assert ASSUMED_READS in output["notes"]


def test_compare_calls_no_method_that_may_write_and_lists_the_assumed_reads(
    proto: Path, tmp_path: Path
) -> None:
    with reception() as (one, handler), reception() as (other, _):
        done = wirelab(
            "compare", f"a={one}", f"b={other}", "--proto", proto, *QUICK, folder=tmp_path
        )

    assert done.returncode == ExitCode.OK, done.stderr
    assert handler.requests == {"GetGuest", "Expected", "GetAndTouch"}
    assert ASSUMED_READS in " ".join(done.stderr.split())
