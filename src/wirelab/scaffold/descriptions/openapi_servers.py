"""The servers of an OpenAPI document, of its paths and of its operations."""

import re
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from wirelab.scaffold.descriptions.offer import path_of
from wirelab.scaffold.descriptions.openapi_schemas import as_dict, as_list

_VARIABLE = re.compile(r"\{([^}]*)\}")


class OfferingServer(NamedTuple):
    """The server of an operation: its origin, "" for that of the document, and its path."""

    origin: str
    path: str


def server_of(document: dict[str, Any], *owners: dict[str, Any]) -> OfferingServer:
    """Return the first server of the innermost owner that has servers, or of the document.

    Variables have their defaults (OpenAPI 3.0.3, 4.7.6).
    """
    for owner in (*reversed(owners), document):
        if servers := as_list(owner.get("servers")):
            return _server(as_dict(servers[0]))
    host, path = document.get("host", ""), str(document.get("basePath", ""))
    return OfferingServer(str(host), path_of(path).rstrip("/"))


def _server(written: dict[str, Any]) -> OfferingServer:
    variables = as_dict(written.get("variables"))

    def default(match: re.Match[str]) -> str:
        declared = as_dict(variables.get(match[1]))
        values = [declared.get("default"), *as_list(declared.get("enum"))]
        return next((str(each) for each in values if each is not None), match[0])

    url = _VARIABLE.sub(default, str(written.get("url", "")))
    try:
        origin = urlsplit(url).netloc
    except ValueError:
        origin = ""
    return OfferingServer(origin, path_of(url).rstrip("/"))
