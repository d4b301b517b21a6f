"""Small real servers of the notes domain, one a protocol, right or wrong as a test wishes.

They share nothing with the code under test: bodies are read and written by hand or by the libraries
that other people's servers use.
"""

import importlib.util
import json
import re
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import grpc
from google.protobuf import json_format
from graphql import GraphQLError, build_schema, graphql_sync
from lxml import etree
from websockets.sync.server import ServerConnection, serve

from tests.support.http_server import QuietHandler, http_server
from wirelab.domain import Dataset, Refused

NOTES = Path(__file__).parents[1] / "domain" / "notes"

Reply = tuple[int, str, bytes]
Handler = Callable[[str, str, bytes], Reply]
Tamper = Callable[[str, Any], Any]


class Logic:
    """What is right, except for what a test changes in it."""

    def __init__(self, dataset: Dataset, tamper: Tamper | None = None) -> None:
        module = _load(NOTES / "reference.py")
        self.inside = module.Reference({"note": [dict(row) for row in dataset.tables["note"]]})
        numbers = iter(range(1000))
        self.inside.new_id = lambda: f"made by the server {next(numbers)}"
        self.tamper = tamper or (lambda operation, answer: answer)

    def call(self, operation: str, **parameters: Any) -> Any:
        note = parameters.get("note", {"title": "", "read_count": 0, "pinned": False})
        if not isinstance(note, dict) or not {"title", "read_count", "pinned"} <= note.keys():
            raise Refused("invalid")
        return self.tamper(operation, self.inside.call(operation, parameters))


@contextmanager
def http(handler: Handler) -> Iterator[str]:
    """Serve a function (method, path, body) -> (status, media type, body) over HTTP/1.1."""

    class Requests(QuietHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # One write a reply, or Nagle and delayed acknowledgement cost 40 ms each.

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            status, form, content = handler(self.command, self.path, body)
            self.send_response(status)
            self.send_header("content-type", form)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_DELETE = answer

    with http_server(Requests) as address:
        yield address


def rest(logic: Logic) -> Handler:
    statuses = {"not_found": 404, "invalid": 422}

    def handle(method: str, target: str, body: bytes) -> Reply:
        url = urlsplit(target)
        try:
            note = {"note": json.loads(body)} if body else {}
            answer = route(method, url.path, parse_qs(url.query), note)
        except ValueError:
            return problem(400)
        except Refused as refused:
            return problem(statuses[refused.kind])
        return (201 if method == "POST" else 200), "application/json", json.dumps(answer).encode()

    def route(method: str, path: str, query: dict[str, list[str]], note: dict[str, Any]) -> Any:
        if path == "/ping":
            return {"status": logic.call("ping")}
        if path == "/notes" and method == "GET":
            return {"notes": logic.call("list", limit=int(query["limit"][0]))}
        if path == "/notes":
            return logic.call("create", **note)
        key = {"id": unquote(path.removeprefix("/notes/"))}
        if method == "DELETE":
            return {"id": logic.call("delete", **key)}
        return logic.call("update" if method == "PUT" else "read", **key, **note)

    def problem(status: int) -> Reply:
        return status, "application/problem+json", b'{"title": "no"}'

    return handle


def graphql(logic: Logic) -> Handler:
    schema = build_schema((NOTES / "schema.graphql").read_text())
    fields = {
        "ping": "ping",
        "note": "read",
        "notes": "list",
        "createNote": "create",
        "updateNote": "update",
        "deleteNote": "delete",
    }
    codes = {"not_found": "NOT_FOUND", "invalid": "BAD_USER_INPUT"}

    def resolve(source: Any, info: Any, **arguments: Any) -> Any:
        if source is not None and info.field_name == "linked":
            return [logic.call("read", id=link) for link in source["links"]]
        if source is not None:
            return source.get(snake(info.field_name), [] if "[" in str(info.return_type) else None)
        try:
            return logic.call(fields[info.field_name], **respelled(arguments, snake))
        except Refused as refused:
            raise GraphQLError("no", extensions={"code": codes[refused.kind]}) from refused

    def handle(method: str, target: str, body: bytes) -> Reply:
        try:
            request = json.loads(body)
            query, variables = request["query"], request.get("variables")
        except (ValueError, KeyError):
            return 400, "application/json", b'{"errors": [{"message": "no request"}]}'
        done = graphql_sync(schema, query, variable_values=variables, field_resolver=resolve)
        return 200, "application/json", json.dumps(done.formatted).encode()

    return handle


def jsonrpc(logic: Logic) -> Handler:
    def handle(method: str, target: str, body: bytes) -> Reply:
        return 200, "application/json", json.dumps(answer_of(body)).encode()

    def answer_of(body: bytes) -> dict[str, Any]:
        try:
            call = json.loads(body)
            result = logic.call(call["method"], **call.get("params", {}))
        except Refused as refused:
            return wrong({"code": -32000, "message": "no", "data": {"code": refused.kind}})
        except ValueError:
            return wrong({"code": -32700, "message": "no"}, None)
        except (KeyError, TypeError, AttributeError):
            return wrong({"code": -32601, "message": "no"})
        return {"jsonrpc": "2.0", "id": call["id"], "result": result}

    def wrong(error: dict[str, Any], number: int | None = 1) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": number, "error": error}

    return handle


def mcp(logic: Logic) -> Handler:
    """Tools that answer as a stream of one event, and their list on pages of two."""
    results = {"ping": "status", "list": "notes", "delete": "id"}

    def handle(method: str, target: str, body: bytes) -> Reply:
        try:
            call = json.loads(body)
            method = call["method"]
        except (ValueError, KeyError):
            error = {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "no"}}
            return 400, "application/json", json.dumps(error).encode()
        answer = {"jsonrpc": "2.0", "id": call["id"]}
        known = json.loads((NOTES / "tools.json").read_text())["tools"]
        if method == "tools/list":
            first = int(call["params"].get("cursor", 0))
            answer["result"] = {"tools": known[first : first + 2]}
            if first + 2 < len(known):
                answer["result"]["nextCursor"] = str(first + 2)
        elif method == "tools/call" and call["params"]["name"] in {each["name"] for each in known}:
            answer["result"] = result_of(call["params"]["name"], call["params"]["arguments"])
        else:
            answer["error"] = {"code": -32602, "message": "no"}
        event = f"event: message\ndata: {json.dumps(answer)}\n\n"
        return 200, "text/event-stream", event.encode()

    def result_of(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        try:
            value = logic.call(tool, **arguments)
        except Refused as refused:
            text = {"type": "text", "text": f"Error in {tool}: {refused.kind}: no"}
            return {"content": [text], "isError": True}
        return {
            "content": [],
            "structuredContent": {results[tool]: value} if tool in results else value,
        }

    return handle


def soap(logic: Logic) -> Handler:
    envelope = "{http://schemas.xmlsoap.org/soap/envelope/}"
    numbers: dict[str, Callable[[str], Any]] = {
        "readCount": int,
        "limit": int,
        "price": float,
        "pinned": lambda text: text == "true",
    }

    def read(element: Any) -> Any:
        name = etree.QName(element).localname
        if not len(element) and name not in ("note", "Ping"):
            return numbers.get(name, str)(element.text or "")
        value: dict[str, Any] = {}
        for child in element:
            key = snake(etree.QName(child).localname)
            if key in ("tags", "links"):
                value.setdefault(key, []).append(read(child))
            else:
                value[key] = read(child)
        return value

    def write(parent: Any, name: str, value: Any) -> None:
        for item in value if isinstance(value, list) else [value]:
            if item is not None:
                element = etree.SubElement(parent, f"{{urn:notes}}{name}")
                if isinstance(item, dict):
                    order = "id title body readCount pinned price author tags links fullName"
                    spelled = respelled(item, camel)
                    for key in sorted(spelled, key=lambda each: f"{order} {each}".index(each)):
                        write(element, key, spelled[key])
                else:
                    element.text = item if isinstance(item, str) else json.dumps(item)

    def reply(status: int, fill: Callable[[Any], None]) -> Reply:
        root = etree.Element(f"{envelope}Envelope", nsmap={"e": envelope.strip("{}")})
        fill(etree.SubElement(root, f"{envelope}Body"))
        return status, "text/xml; charset=utf-8", etree.tostring(root)

    def fault(code: str) -> Reply:
        def fill(body: Any) -> None:
            element = etree.SubElement(body, f"{envelope}Fault")
            etree.SubElement(element, "faultcode").text = "e:Client"
            etree.SubElement(element, "faultstring").text = "no"
            detail = etree.SubElement(element, "detail")
            etree.SubElement(detail, "{urn:notes}code").text = code

        return reply(500, fill)

    def handle(method: str, target: str, body: bytes) -> Reply:
        try:
            content = etree.fromstring(body).find(f"{envelope}Body")[0]
            name = etree.QName(content).localname
            answer = logic.call(name.lower(), **read(content))
        except Refused as refused:
            return fault(refused.kind)
        except (etree.XMLSyntaxError, TypeError, AttributeError):
            return fault("invalid")
        results = {"Ping": "status", "List": "notes", "Delete": "id"}

        def fill(body: Any) -> None:
            element = etree.SubElement(body, f"{{urn:notes}}{name}Response")
            write(element, results.get(name, "note"), answer)

        return reply(200, fill)

    return handle


@contextmanager
def websocket(logic: Logic) -> Iterator[str]:
    results = {"ping": "status", "list": "notes", "delete": "id"}

    def answer(message: str | bytes) -> dict[str, Any]:
        try:
            parameters = json.loads(message)
            operation = parameters.pop("op")
            found = logic.call(operation, **parameters)
        except Refused as refused:
            return {"error": {"code": refused.kind, "message": "no"}}
        except (ValueError, TypeError, KeyError, AttributeError):
            return {"error": {"code": "invalid", "message": "no"}}
        return {results.get(operation, "note"): found}

    def converse(connection: ServerConnection) -> None:
        for message in connection:
            connection.send(json.dumps(answer(message)))

    with serve(converse, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"127.0.0.1:{server.socket.getsockname()[1]}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def grpc_server(logic: Logic) -> Iterator[str]:
    messages, services = _generated()
    codes = {"not_found": grpc.StatusCode.NOT_FOUND, "invalid": grpc.StatusCode.INVALID_ARGUMENT}
    replies = {"ping": "PingReply", "list": "ListReply", "delete": "ById"}
    results = {"ping": "status", "list": "notes", "delete": "id"}

    def method(name: str) -> Callable[..., Any]:
        def call(self: object, request: Any, context: grpc.ServicerContext) -> Any:
            given = json_format.MessageToDict(
                request,
                preserving_proto_field_name=True,
                always_print_fields_with_no_presence=True,
            )
            if "note" in given:
                given["note"]["read_count"] = int(given["note"]["read_count"])
            try:
                answer = logic.call(name, **given)
            except Refused as refused:
                context.abort(codes[refused.kind], "no")
            key = results.get(name)
            reply = getattr(messages, replies.get(name, "Note"))()
            return json_format.ParseDict({key: answer} if key else answer, reply)

        return call

    names = ("ping", "read", "list", "create", "update", "delete")
    servicer = type("Servicer", (), {name.capitalize(): method(name) for name in names})()
    servicer.Watch = servicer.Upload = None
    server = grpc.server(ThreadPoolExecutor(4))
    services.add_NotesServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None).wait()


@contextmanager
def serving(protocol: str, logic: Logic) -> Iterator[str]:
    """Serve the notes over a protocol; gives host:port."""
    over_http = {"rest": rest, "graphql": graphql, "soap": soap, "jsonrpc": jsonrpc, "mcp": mcp}
    with ExitStack() as stack:
        if protocol in over_http:
            yield stack.enter_context(http(over_http[protocol](logic)))
        elif protocol == "grpc":
            yield stack.enter_context(grpc_server(logic))
        else:
            yield stack.enter_context(websocket(logic))


def snake(name: str) -> str:
    return re.sub("([A-Z])", lambda match: f"_{match[1].lower()}", name)


def camel(name: str) -> str:
    return re.sub("_(.)", lambda match: match[1].upper(), name)


def respelled(value: Any, spell: Callable[[str], str]) -> Any:
    if isinstance(value, dict):
        return {spell(key): respelled(item, spell) for key, item in value.items()}
    return [respelled(item, spell) for item in value] if isinstance(value, list) else value


def _load(path: Path) -> ModuleType:
    specification = importlib.util.spec_from_file_location("notes_logic", path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@cache
def _generated() -> tuple[Any, Any]:
    """Compile the .proto as a server's author does, apart from the code under test."""
    sys.path.insert(0, str(NOTES))
    try:
        return grpc.protos_and_services("notes.proto")  # type: ignore[no-any-return]
    finally:
        sys.path.remove(str(NOTES))
