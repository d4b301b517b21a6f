"""Read the tools of an MCP server: its answer to `tools/list`."""

from pathlib import Path
from typing import Any

from wirelab.errors import LabError
from wirelab.inputs.problems import Problem, ProblemsError
from wirelab.lab.network.address import Address
from wirelab.protocol.clients.base import Client, NoReplyError
from wirelab.protocol.clients.client import connect_to
from wirelab.protocol.http import from_json, to_json
from wirelab.protocol.mcp import CURRENT, Mcp, Revision, mcp_request, mcp_result
from wirelab.protocol.message import InterfaceError, Refusal
from wirelab.protocol.template import parameter_of
from wirelab.scaffold.access import Access
from wirelab.scaffold.descriptions.given import NO_DETAILS, Details
from wirelab.scaffold.descriptions.offer import LeftOut, Offer, OfferedInterface, Parameter
from wirelab.scaffold.descriptions.openapi_request import LeftOutError
from wirelab.scaffold.descriptions.openapi_schemas import RemoteError, Schemas, as_dict, kind_of
from wirelab.scaffold.lists import answers_list
from wirelab.scaffold.names import operation_name
from wirelab.terminal.words import shortened

REVISIONS: tuple[Revision, ...] = (CURRENT, "2025-11-25", "2025-06-18", "2025-03-26")
"""The newest first."""
REVISION = "protocolVersion"
"""The key that is added to a list of tools, for the revision in which the server gave it."""
PATIENCE_S = 20.0
MOST_PAGES = 1000
INSTEAD = "check the address, or save the answer to tools/list to a file and give the file"


def fetch_tools(url: str, access: Access) -> bytes:
    """Ask a server for all pages of its list of tools, in the newest revision that it speaks.

    Raises `LabError` if it gives none.
    """
    address = Address.parse(url)
    refusals: list[str] = []
    try:
        with connect_to(access.endpoint("mcp", "http1", address), PATIENCE_S) as client:
            for revision in REVISIONS:
                tools = _tools(client, address.path or "/", revision)
                if isinstance(tools, list):
                    return to_json({REVISION: revision, "tools": tools})
                refusals.append(tools.detail)
    except NoReplyError as error:
        raise LabError(f"cannot read the tools of {url}: {error}", INSTEAD) from None
    raise LabError(f"{url} has no list of tools: {shortened(refusals[0], 300)}", INSTEAD)


def _tools(client: Client, path: str, revision: Revision) -> list[Any] | Refusal:
    tools: list[Any] = []
    cursor: dict[str, object] = {}
    for _ in range(MOST_PAGES):
        page = mcp_result(client.send(mcp_request(path, "tools/list", cursor, revision)))
        if isinstance(page, Refusal):
            return page
        result = as_dict(page.value)
        if not isinstance(result.get("tools"), list):
            return Refusal("unreadable", "its answer to tools/list has no tools")
        tools += result["tools"]
        if not result.get("nextCursor"):
            return tools
        cursor = {"cursor": result["nextCursor"]}
    return Refusal("unreadable", f"its list of tools has more than {MOST_PAGES} pages")


def read_tools(file: Path, details: Details = NO_DETAILS) -> OfferedInterface:
    """Read the tools of a list. Raises `ProblemsError` if it is none."""
    try:
        tools = Mcp().read(file)
    except InterfaceError as error:
        problem = Problem.unreadable(file, "a valid answer to tools/list", error)
        raise ProblemsError([problem]) from None
    written = from_json(file.read_bytes()).get(REVISION, CURRENT)
    older = {} if written == CURRENT else {"revision": written}
    offers: list[Offer] = []
    left_out: list[LeftOut] = []
    names: set[str] = set()
    for tool in tools.values():
        try:
            offers.append(_offer(tool, details, names, older))
        except (RemoteError, LeftOutError) as why:
            left_out.append(LeftOut(tool["name"], str(why)))
    return OfferedInterface("mcp", tuple(offers), tuple(left_out))


def _offer(tool: dict[str, Any], details: Details, names: set[str], older: dict[str, str]) -> Offer:
    name = tool["name"]
    reads = as_dict(tool.get("annotations")).get("readOnlyHint") is True
    schemas = Schemas(tool["inputSchema"])
    required = schemas.required(schemas.document)
    parameters = []
    for key, schema in schemas.properties(schemas.document).items():
        if key in required and not parameter_of(f"{{{key}}}"):
            raise LeftOutError(f"needs the argument {key!r}, whose name no template can have")
        if key in required or details.has_values(key):
            plain = schemas.plain(schema)
            examples = schemas.examples({}, plain)
            parameters.append(
                Parameter(key, kind_of(plain), key in required, examples, _whole(schemas, plain))
            )
    output = as_dict(tool.get("outputSchema"))
    described = Schemas(output)
    values = described.values(described.resolved(output))
    arguments = {each.name: f"{{{each.name}}}" for each in parameters}
    return Offer(
        protocol="mcp",
        name=operation_name(name, names),
        summary=shortened(tool.get("title") or tool.get("description") or name, 100),
        effect="read" if reads or details.is_read(name) else "write",
        parameters=tuple(parameters),
        binding={
            "tool": name,
            **({"arguments": arguments} if arguments else {}),
            **({} if output else {"content": "text"}),
            **older,
        },
        answer=values,
        lists=answers_list(values),
        names=(name,),
    )


def _whole(schemas: Schemas, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an argument with the definitions that it may refer to."""
    known = ("$defs", "definitions")
    shared = {str(key): it for key, it in schemas.document.items() if key in known}
    return {**shared, **schema}
