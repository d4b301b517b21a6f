"""Calling a server by other people's means: one caller a protocol, none with a line of wirelab.

A caller answers plain values as its protocol spells them, or raises `RefusedError` with the kind
that it reads out of the protocol's own error.
"""

import json
from pathlib import Path
from typing import Any

import grpc
import httpx
import zeep
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.json_format import MessageToDict, ParseDict
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)


class RefusedError(Exception):
    """The server refused, in the way of its protocol."""

    def __init__(self, kind: str, detail: str) -> None:
        self.kind = kind
        super().__init__(f"{kind}: {detail}")


class RestCaller:
    """httpx; errors are problem details."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http

    def call(self, method: str, path: str, **options: Any) -> Any:
        response = self.http.request(method, path, **options)
        if response.is_success:
            return response.json()
        assert response.headers["content-type"] == "application/problem+json"
        problem = response.json()
        assert problem["status"] == response.status_code
        kinds = {
            400: "invalid",
            401: "unauthenticated",
            402: "conflict",
            404: "not_found",
            409: "conflict",
            422: "invalid",
            500: "internal",
            503: "unavailable",
            504: "too_late",
        }
        raise RefusedError(kinds[response.status_code], problem["detail"])


class GraphqlCaller:
    """httpx, with the documents that a domain ships."""

    def __init__(self, http: httpx.Client, url: str, documents: Path) -> None:
        self.http = http
        self.url = url
        self.documents = documents

    def call(self, document: str, **variables: Any) -> Any:
        query = (self.documents / f"{document}.graphql").read_text()
        response = self.http.post(self.url, json={"query": query, "variables": variables})
        assert response.status_code == 200
        body = response.json()
        for error in body.get("errors", ()):
            kinds = {
                "NOT_FOUND": "not_found",
                "BAD_USER_INPUT": "invalid",
                "CONFLICT": "conflict",
                "UNAUTHENTICATED": "unauthenticated",
                "SERVICE_UNAVAILABLE": "unavailable",
                "DEADLINE_EXCEEDED": "too_late",
                "GRAPHQL_VALIDATION_FAILED": "invalid",
                "ValidationError": "invalid",
                "INTERNAL_SERVER_ERROR": "internal",
                "INTERNAL_ERROR": "internal",
            }
            # graphql-java reports its own errors as a classification, other errors as a code.
            extensions = error["extensions"]
            raise RefusedError(
                kinds[extensions.get("code", extensions.get("classification"))], error["message"]
            )
        return body["data"]


class McpCaller:
    """httpx, with the envelope of revision 2026-07-28 around each call of a tool."""

    REVISION = "2026-07-28"

    def __init__(self, http: httpx.Client, url: str) -> None:
        self.http = http
        self.url = url

    def call(self, tool: str, **arguments: Any) -> Any:
        prefix = "io.modelcontextprotocol"
        meta = {
            f"{prefix}/protocolVersion": self.REVISION,
            f"{prefix}/clientInfo": {"name": "a test", "version": "1"},
            f"{prefix}/clientCapabilities": {},
        }
        params = {"name": tool, "arguments": arguments, "_meta": meta}
        headers = {
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": self.REVISION,
            "mcp-method": "tools/call",
            "mcp-name": tool,
        }
        message = {"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": params}
        response = self.http.post(self.url, json=message, headers=headers)
        result = response.json()["result"]
        if not result.get("isError"):
            (text,) = result["content"]
            assert json.loads(text["text"]) == result["structuredContent"]
            return result["structuredContent"]
        said = result["content"][0]["text"]
        kinds = ("not_found", "conflict", "unauthenticated", "unavailable", "too_late", "internal")
        kind = next((each for each in kinds if f"{each}: " in said), "invalid")
        raise RefusedError(kind, said)


class GrpcCaller:
    """grpcio, which asks the server itself what its messages are."""

    def __init__(self, channel: grpc.Channel, service: str, timeout_s: float = 10.0) -> None:
        self.channel = channel
        self.timeout_s = timeout_s
        pool = descriptor_pool.DescriptorPool(ProtoReflectionDescriptorDatabase(channel))
        self.service = pool.FindServiceByName(service)

    def call(self, name: str, **fields: Any) -> Any:
        method = self.service.methods_by_name[name]
        request = ParseDict(fields, message_factory.GetMessageClass(method.input_type)())
        call = self.channel.unary_unary(
            f"/{self.service.full_name}/{name}",
            request_serializer=type(request).SerializeToString,
            response_deserializer=message_factory.GetMessageClass(method.output_type).FromString,
        )
        try:
            answer = call(request, timeout=self.timeout_s)
        except grpc.RpcError as error:
            kinds = {
                grpc.StatusCode.NOT_FOUND: "not_found",
                grpc.StatusCode.INVALID_ARGUMENT: "invalid",
                grpc.StatusCode.FAILED_PRECONDITION: "conflict",
                grpc.StatusCode.UNAUTHENTICATED: "unauthenticated",
                grpc.StatusCode.UNAVAILABLE: "unavailable",
                grpc.StatusCode.DEADLINE_EXCEEDED: "too_late",
                grpc.StatusCode.INTERNAL: "internal",
                grpc.StatusCode.UNKNOWN: "internal",
            }
            raise RefusedError(kinds[error.code()], error.details()) from error
        return MessageToDict(answer, preserving_proto_field_name=True)


class SoapCaller:
    """zeep, which knows nothing but the served WSDL."""

    def __init__(self, client: zeep.Client, namespace: str) -> None:
        self.zeep = client
        self.namespace = namespace

    def call(self, operation: str, **fields: Any) -> Any:
        try:
            return self.zeep.service[operation](**fields)
        except zeep.exceptions.Fault as fault:
            kind = "internal"
            if fault.code == "soap:Client":
                kind = fault.detail.findtext(f"{{{self.namespace}}}code")
            raise RefusedError(kind, fault.message) from fault
