"""What requests of gRPC set, in every syntax; where imports of .proto files are found."""

from pathlib import Path

import pytest

from tests.support.scaffolding import scaffold
from wirelab.domain_file import load_domain
from wirelab.inputs.problems import ProblemsError
from wirelab.protocol.grpc import PROTOCOL
from wirelab.protocol.message import CannotEncodeError
from wirelab.scaffold.descriptions.given import Details
from wirelab.scaffold.descriptions.offer import Offer
from wirelab.scaffold.descriptions.openapi import read_openapi
from wirelab.scaffold.descriptions.sources import described
from wirelab.scaffold.matching import match_offers

SERVICE = "message R {} service S { rpc GetIt(Q) returns (R); }"


def offers(folder: Path, source: Path, details: Details | None = None) -> dict[str, Offer]:
    target = folder / "copy"
    target.mkdir()
    interface, _ = described("grpc", str(source), target, details=details or Details())
    return {each.name: each for each in interface.offers}


def chosen(tmp_path: Path, head: str, fields: str, details: Details | None = None) -> list[str]:
    """Return the fields of a request that are parameters."""
    file = tmp_path / "s.proto"
    file.write_text(f"{head} package p; message Q {{ {fields} }} {SERVICE}")
    (offer,) = offers(tmp_path, file, details).values()
    return [each.name for each in offer.parameters]


PROTO3, PROTO2 = 'syntax = "proto3";', 'syntax = "proto2";'
EDITION = 'edition = "2023";'
BEHAVIOR = f'{PROTO3} import "google/api/field_behavior.proto";'


@pytest.mark.parametrize(
    ("head", "fields", "names"),
    [
        (PROTO3, "int32 id = 1; bool flag = 2; string order_by = 3;", ["id"]),
        (PROTO3, "optional int32 id = 1;", ["id"]),
        (PROTO3, "string q = 1; optional int32 id = 2;", ["q"]),
        (PROTO3, "oneof by { string text = 1; int64 user_id = 2; }", ["user_id"]),
        (PROTO3, "enum E { A = 0; B = 1; } E e = 1; bool flag = 2;", ["e"]),
        (PROTO3, "repeated int32 ids = 1; map<string, string> m = 2; Q q = 3;", []),
        (PROTO2, "required int32 id = 1; optional string more = 2;", ["id"]),
        (PROTO2, "optional int32 id = 1;", ["id"]),
        (PROTO2, "required Key key = 1; message Key { required int32 id = 1; }", ["key"]),
        (EDITION, "int32 id = 1;", ["id"]),
        (EDITION, "int32 n = 1; int32 id = 2 [features.field_presence = LEGACY_REQUIRED];", ["id"]),
        (BEHAVIOR, "string a = 1; string b = 2 [(google.api.field_behavior) = REQUIRED];", ["b"]),
    ],
)
def test_fields_that_a_request_sets(
    tmp_path: Path, head: str, fields: str, names: list[str]
) -> None:
    assert chosen(tmp_path, head, fields) == names


def test_fields_with_values_of_the_user_and_no_others(tmp_path: Path) -> None:
    fields = "bytes key = 1; bytes range_end = 2; int64 limit = 3; bool keys_only = 4;"
    details = Details(columns=frozenset({"key", "rangeEnd", "unknown"}))

    assert chosen(tmp_path, PROTO3, fields, details) == ["key", "range_end"]


def test_a_message_without_its_required_fields_is_not_sent(tmp_path: Path) -> None:
    file = tmp_path / "s.proto"
    file.write_text(f"{PROTO2} package p; message Q {{ required Q q = 1; }} {SERVICE}")
    scaffold(tmp_path / "own", {"grpc": file}, as_json=True)
    domain = load_domain(tmp_path / "own" / "domain")

    with pytest.raises(CannotEncodeError, match="q"):
        PROTOCOL.bind(domain).encode(domain.operations["get_it"], {"q": {}})


READS = f"""{PROTO3} package p;
import "google/api/annotations.proto";
import "google/protobuf/empty.proto";
service S {{
  rpc Fetches(google.protobuf.Empty) returns (google.protobuf.Empty) {{
    option (google.api.http) = {{ get: "/v1/it" }};
  }}
  rpc Posts(google.protobuf.Empty) returns (google.protobuf.Empty) {{
    option (google.api.http) = {{ post: "/v1/it" }};
  }}
}}
service T {{ rpc Posts(google.protobuf.Empty) returns (google.protobuf.Empty); }}
"""


@pytest.mark.parametrize(
    ("pattern", "reads"),
    [("S/Posts", {"fetches", "s_posts"}), ("*.T/*", {"fetches", "t_posts"}),
     ("posts", {"fetches", "s_posts", "t_posts"})],
)  # fmt: skip
def test_reads_by_annotation_and_by_declaration(
    tmp_path: Path, pattern: str, reads: set[str]
) -> None:
    file = tmp_path / "s.proto"
    file.write_text(READS)

    found = offers(tmp_path, file, Details(reads=(pattern,)))

    assert {name for name, each in found.items() if each.effect == "read"} == reads


def imported(folder: Path, name: str, message: str) -> str:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{PROTO3} package p; message {message} {{ int32 id = 1; }}")
    return f'import "{name}";'


@pytest.mark.parametrize(
    ("root", "name", "path"),
    [
        ("api", "near.proto", None),  # beside it
        (".", "api/near.proto", None),  # below a folder around it
        ("elsewhere", "far/far.proto", "elsewhere"),
        (".", "common/kv.proto", None),
    ],
)
def test_where_imports_are_found(tmp_path: Path, root: str, name: str, path: str | None) -> None:
    line = imported(tmp_path / root, name, "Q")
    file = tmp_path / "api" / "s.proto"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"{PROTO3} package p; {line} {SERVICE}")
    folders = (tmp_path / path,) if path else ()

    assert [*offers(tmp_path, file, Details(import_path=folders))] == ["get_it"]


def test_imports_by_the_name_of_their_module_and_of_what_imports_them(tmp_path: Path) -> None:
    module = tmp_path / "v3@1.2"
    imported(module, "kv/kv.proto", "Q")
    file = module / "rpc" / "rpc.proto"
    file.parent.mkdir()
    file.write_text(f'{PROTO3} package p; import "etcd/api/kv/kv.proto"; {SERVICE}')

    assert [*offers(tmp_path, file)] == ["get_it"]


def test_several_files_and_one_that_another_imports_by_its_whole_name(tmp_path: Path) -> None:
    imported(tmp_path, "a/base.proto", "Q")
    one, other = tmp_path / "a" / "one.proto", tmp_path / "a" / "two.proto"
    one.write_text(f'{PROTO3} package p; import "a/base.proto"; {SERVICE}')
    other.write_text(f"{PROTO3} package q; message Q {{}} {SERVICE}")

    found = offers(tmp_path, one, Details(protos=(str(other),)))

    assert [*found] == ["s_get_it", "s_get_it_2"]


def test_compiled_descriptors_are_read(tmp_path: Path) -> None:
    file = tmp_path / "s.proto"
    file.write_text(f"{PROTO3} package p; message Q {{}} {SERVICE}")
    offers(tmp_path, file)
    compiled = (tmp_path / "copy" / "service.binpb").rename(tmp_path / "s.protoset")
    (tmp_path / "copy").rmdir()

    assert [*offers(tmp_path, compiled)] == ["get_it"]


@pytest.mark.parametrize("named", ["p.KV/Find", "KV_Find", "/p.KV/Find"])
def test_a_method_and_an_operation_with_its_name_are_matched(tmp_path: Path, named: str) -> None:
    file, api = tmp_path / "s.proto", tmp_path / "api.yaml"
    file.write_text(f"{PROTO3} package p; message Q {{}} service KV {{ rpc Find(Q) returns (Q); }}")
    path, name = (named, "x") if named.startswith("/") else ("/y", named)
    api.write_text(f"paths: {{ {path}: {{ post: {{ operationId: {name}, responses: {{}} }} }} }}")
    details = Details(reads=("KV/Find", "x"))
    of_rest = read_openapi(api, details).offers
    (match,) = match_offers([of_rest, [*offers(tmp_path, file, details).values()]])

    assert [each.protocol for each in match.offers] == ["rest", "grpc"]
    assert not match.doubtful


def test_missing_imports_are_named_with_what_to_do(tmp_path: Path) -> None:
    file = tmp_path / "s.proto"
    file.write_text(f'{PROTO3} import "x/a.proto"; import "y.proto"; message Q {{}} {SERVICE}')

    with pytest.raises(ProblemsError) as error:
        offers(tmp_path, file)

    (problem,) = error.value.problems
    assert (problem.where, problem.value) == (str(file), "x/a.proto, y.proto")
    assert "--import-path" in problem.hint
