"""Holding servers against the files that describe their domain, by other people's means."""

import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import grpc
import httpx
import jsonschema  # type: ignore[import-untyped]
import pytest
import yaml
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from graphql import (
    GraphQLInputObjectType,
    GraphQLObjectType,
    GraphQLSchema,
    build_client_schema,
    build_schema,
    get_introspection_query,
    introspection_from_schema,
    lexicographic_sort_schema,
    parse,
    print_schema,
    validate,
)
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)
from grpc_tools import protoc
from lxml import etree

from tests.support.clients import snake
from wirelab.domain import Reference, Refused
from wirelab.domain.model import Domain

Ask = Callable[..., httpx.Response]
"""Sends a document of GraphQL, with what else the request has."""
JSON = {"content-type": "application/json"}
XS = "{http://www.w3.org/2001/XMLSchema}"


# --- REST -------------------------------------------------------------------------------------


@cache
def openapi(folder: Path) -> dict[str, Any]:
    """Return the content of a domain's openapi.yaml."""
    content: dict[str, Any] = yaml.safe_load((folder / "openapi.yaml").read_text())
    return content


def fields_in_openapi(folder: Path, name: str) -> list[str]:
    return [snake(each) for each in openapi(folder)["components"]["schemas"][name]["properties"]]


def check_response(response: httpx.Response, folder: Path, method: str, path: str) -> Any:
    """Hold an answer against the description, and return its body."""
    document = openapi(folder)
    described = document["paths"][path][method]["responses"][str(response.status_code)]
    if "$ref" in described:
        described = document["components"]["responses"][described["$ref"].rpartition("/")[2]]
    ((media_type, content),) = described["content"].items()
    assert response.headers["content-type"].partition(";")[0] == media_type
    schema = {**content["schema"], "components": document["components"]}
    jsonschema.Draft202012Validator(schema).validate(response.json())
    return response.json()


def assert_problem(response: httpx.Response, status: int) -> None:
    assert response.status_code == response.json()["status"] == status
    assert response.headers["content-type"] == "application/problem+json"


# --- GraphQL ----------------------------------------------------------------------------------


def described_schema(folder: Path) -> GraphQLSchema:
    return build_schema((folder / "schema.graphql").read_text())


def fields_in_graphql(folder: Path, name: str) -> list[str]:
    described = described_schema(folder).type_map[name]
    assert isinstance(described, GraphQLObjectType | GraphQLInputObjectType)
    return [snake(each) for each in described.fields]


def assert_schema_is_served(ask: Ask, folder: Path, *, descriptions: bool = True) -> None:
    """Compare a server's schema with the described one, but for directives: libraries add some."""

    def printed(introspection: Any) -> str:
        arguments: dict[str, Any] = {
            **build_client_schema(introspection).to_kwargs(),
            "directives": (),
        }
        return print_schema(lexicographic_sort_schema(GraphQLSchema(**arguments)))

    served = ask(get_introspection_query(descriptions=descriptions)).json()["data"]
    described = introspection_from_schema(described_schema(folder), descriptions=descriptions)
    assert printed(served) == printed(described)


def assert_documents_are_valid(folder: Path, count: int) -> None:
    documents = list((folder / "graphql").glob("*.graphql"))

    assert len(documents) == count
    for document in documents:
        assert validate(described_schema(folder), parse(document.read_text())) == [], document


def codes(response: httpx.Response) -> list[str]:
    return [error["extensions"]["code"] for error in response.json()["errors"]]


# --- gRPC -------------------------------------------------------------------------------------


@cache
def compiled_proto(folder: Path) -> FileDescriptorProto:
    """Return what protoc makes of a domain's .proto file."""
    (file,) = folder.glob("*.proto")
    with tempfile.TemporaryDirectory() as temporary:
        output = Path(temporary) / "descriptors.binpb"
        assert (
            protoc.main(["", f"-I{file.parent}", f"--descriptor_set_out={output}", file.name]) == 0
        )
        (described,) = FileDescriptorSet.FromString(output.read_bytes()).file
    return described


def fields_in_proto(folder: Path, name: str) -> dict[str, int]:
    """Return the names and numbers of a message's fields."""
    messages = {message.name: message for message in compiled_proto(folder).message_type}
    return {field.name: field.number for field in messages[name].field}


def assert_reflects_proto(channel: grpc.Channel, folder: Path) -> None:
    """Compare what a server says of itself with the .proto file."""
    described, served = compiled_proto(folder), FileDescriptorProto()
    services = {f"{described.package}.{service.name}" for service in described.service}
    database = ProtoReflectionDescriptorDatabase(channel)
    pool = DescriptorPool(database)
    pool.FindServiceByName(next(iter(services))).file.CopyToProto(served)

    assert services <= set(database.get_services())
    assert _shape(served) == _shape(described)


def _shape(file: FileDescriptorProto) -> dict[str, object]:
    """What a client must know of a file; servers may leave out what follows from it."""
    return {
        "package": file.package,
        "messages": {
            message.name: [(f.name, f.number, f.type, f.label, f.type_name) for f in message.field]
            for message in file.message_type
        },
        "enums": {enum.name: [(v.name, v.number) for v in enum.value] for enum in file.enum_type},
        "methods": {
            (service.name, each.name): (
                each.input_type,
                each.output_type,
                each.client_streaming,
                each.server_streaming,
            )
            for service in file.service
            for each in service.method
        },
    }


def refusal_of(channel: grpc.Channel, method: str, message: bytes) -> grpc.RpcError:
    """Send a message that must be refused, and return the error."""
    with pytest.raises(grpc.RpcError) as refused:
        channel.unary_unary(f"/{method}")(message, timeout=30)
    return refused.value


# --- SOAP -------------------------------------------------------------------------------------


def fields_in_wsdl(file: Path, type_name: str) -> list[str]:
    found = etree.parse(file).find(f".//{XS}complexType[@name='{type_name}']")
    return [element.get("name") for element in found.iter(f"{XS}element")]


class Soap:
    """SOAP 1.1: envelopes written by hand, answers held against the schema of a WSDL."""

    def __init__(self, wsdl: Path, namespace: str) -> None:
        self.schema = etree.XMLSchema(etree.parse(wsdl).find(f".//{XS}schema"))
        self.names = {"s": "http://schemas.xmlsoap.org/soap/envelope/", "d": namespace}

    def envelope(self, body: str) -> str:
        return (
            f'<s:Envelope xmlns:s="{self.names["s"]}" xmlns="{self.names["d"]}">'
            f"<s:Header/><s:Body>{body}</s:Body></s:Envelope>"
        )

    def content(self, response: httpx.Response) -> etree._Element:
        """Return what the body of an answer's envelope contains."""
        assert response.headers["content-type"].partition(";")[0] == "text/xml"
        (element,) = etree.fromstring(response.content).find("s:Body", self.names)
        return element

    def assert_fault(self, response: httpx.Response, kind: str, blamed: str = "Client") -> None:
        assert response.status_code == 500  # the status that SOAP 1.1 lays down for every fault
        fault = self.content(response)
        assert fault.tag == f"{{{self.names['s']}}}Fault"
        assert fault.findtext("faultcode") == f"soap:{blamed}"
        assert fault.findtext("faultstring")
        (code,) = fault.find("detail")
        assert code.text == kind
        self.schema.assertValid(code)


# --- the reference and the settings ----------------------------------------------------------


def refused_as_declared(domain: Domain, reference: Reference, usual: Mapping[str, object]) -> int:
    """Ask the reference for every error that the domain declares, and return how many there are."""
    cases = [(each, case) for each in domain.operations.values() for case in each.errors]
    for operation, case in cases:
        drawn = {name: usual[name] for name in operation.parameters}
        with pytest.raises(Refused) as refused:
            reference.call(operation.name, {**drawn, **case.parameters})
        assert refused.value.kind == case.refusal, (operation.name, case.parameters)
    return len(cases)
