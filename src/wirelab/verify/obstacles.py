"""Obstacles that prevent an answer: a rate limit, a redirection, missing credentials."""

import re
from contextlib import suppress
from http import HTTPStatus

from grpc import StatusCode

from wirelab.lab.address import without_tls
from wirelab.measure.job import Endpoint
from wirelab.protocol.client import connect
from wirelab.protocol.client_base import NoReplyError
from wirelab.protocol.grpc import status_names
from wirelab.protocol.message import WireReply, WireRequest

REDIRECTIONS = {301, 302, 303, 307, 308}
DENIED, EXHAUSTED, UNAUTHENTICATED = (
    each.value[0]
    for each in (
        StatusCode.PERMISSION_DENIED,
        StatusCode.RESOURCE_EXHAUSTED,
        StatusCode.UNAUTHENTICATED,
    )
)
"""Statuses of gRPC, whose numbers differ from those of HTTP."""
RENAMED = {
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "Content Too Large",
    HTTPStatus.REQUEST_URI_TOO_LONG: "URI Too Long",
    HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE: "Range Not Satisfiable",
    HTTPStatus.UNPROCESSABLE_ENTITY: "Unprocessable Content",
}
"""The names in RFC 9110 of statuses for which Python before 3.13 has older ones."""
_HANDSHAKE = re.compile(r"rejected WebSocket connection: HTTP (\d{3})")
"""What the client says of a server that answers a handshake with another status than 101."""

HINTS = {
    "CERTIFICATE_VERIFY_FAILED": (
        "its certificate is not trusted: give --ca FILE, or --insecure for a trial"
    ),
    "CERTIFICATE_REQUIRED": "it requests a client certificate: give --cert FILE and --key FILE",
    "Failed parsing HTTP/2": "is this a gRPC server? It answers, but not in HTTP/2 without TLS",
}
"""The hints for texts in a client's error."""
HTTP1_S = 2.0
"""Maximum duration of a request of HTTP/1.1 to a server that should speak HTTP/2."""
INSTEAD_OF_GRPC = (
    "it answers HTTP/1.1, and gRPC needs HTTP/2: give the port at which the server speaks gRPC, or"
    " describe the HTTP interface (http:// with --openapi)"
)
INSTEAD_OF_HTTP2 = (
    "it answers HTTP/1.1, not HTTP/2 without TLS: use http://, or enable HTTP/2 without TLS (h2c)"
    " in the server"
)


def obstacle(status: int | None, headers: dict[str, str] | None = None) -> str:
    """Return what a reply's status means for a measurement; "" if it is no obstacle."""
    found = headers or {}
    if "set-cookie" in found and status in {401, 403, *REDIRECTIONS}:
        name = found["set-cookie"].partition("=")[0].strip()
        return (
            f"it sets the cookie {name} and answers {status}: it requires a session. Log in, and"
            " give the cookie as a header from the environment: 'Cookie: ${NAME}'"
        )
    if status in REDIRECTIONS:
        return f"it redirects ({status}) to {found.get('location', 'elsewhere')}: use that address"
    wait, scheme = found.get("retry-after", ""), found.get("www-authenticate", "").partition(" ")[0]
    meanings: dict[int | None, str] = {
        HTTPStatus.TOO_MANY_REQUESTS: (
            f"it limits the rate of requests: 429 Too Many Requests"
            f"{f' (retry after {wait})' if wait else ''}. Its answers now come from the limiter:"
            " lift the limit, or lower the load"
        ),
        HTTPStatus.UNAUTHORIZED: (
            f"it requires credentials{f' ({scheme})' if scheme else ''}, or rejects those that were"
            " sent: 401. Give a header from the environment, such as 'Authorization: Bearer"
            " ${TOKEN}'"
        ),
        HTTPStatus.FORBIDDEN: (
            "it forbids the request (403): the credentials are missing or not sufficient"
        ),
        DENIED: (
            "it forbids the request (PERMISSION_DENIED): the credentials are missing or not"
            " sufficient"
        ),
        EXHAUSTED: (
            "it enforces a limit: RESOURCE_EXHAUSTED. Its answers now come from the limiter: lift"
            " the limit, or lower the load"
        ),
        UNAUTHENTICATED: (
            "it requires credentials, or rejects those that were sent: UNAUTHENTICATED. Give a"
            " header from the environment, such as 'Authorization: Bearer ${TOKEN}'"
        ),
        HTTPStatus.METHOD_NOT_ALLOWED: (
            f"it does not allow the method (405); it allows {found.get('allow', 'others')}"
        ),
    }
    return meanings.get(status, "")


def obstacle_of(reply: WireReply) -> str:
    """Return the obstacle that a reply shows."""
    return obstacle(reply.status, {name.lower(): value for name, value in reply.headers})


def status_name(status: int, *, of_grpc: bool) -> str:
    """Return the number of a status with its name, if it has one."""
    names = status_names() if of_grpc else http_status_names()
    return f"{status} {names.get(status, '')}".rstrip()


def http_status_names() -> dict[int | None, str]:
    """Return the names of HTTP's statuses by number, as the load engine writes them."""
    return {code.value: RENAMED.get(code, code.phrase) for code in HTTPStatus}


def concerns_everything(reply: WireReply) -> bool:
    """Return whether the obstacle in a reply prevents every other answer, too."""
    limits = {HTTPStatus.TOO_MANY_REQUESTS, EXHAUSTED}
    logins = {HTTPStatus.UNAUTHORIZED, UNAUTHENTICATED}
    wants_session = bool(reply.header("set-cookie")) and bool(obstacle_of(reply))
    return reply.status in limits | logins or wants_session


def what_to_do(message: str, endpoint: Endpoint | None = None) -> str:
    """Return a hint for a server that did not reply at all; `message` is the client's error.

    With its `endpoint`, one that should speak HTTP/2 gets a request of HTTP/1.1.
    """
    if hint := without_tls(message):
        return hint
    if endpoint is not None and speaks_http1_instead(endpoint):
        return INSTEAD_OF_GRPC if endpoint.transport == "grpc" else INSTEAD_OF_HTTP2
    if hint := next((hint for sign, hint in HINTS.items() if sign in message), ""):
        return hint
    if handshake := _HANDSHAKE.search(message):
        elsewhere = "is there a WebSocket at this path? The path belongs to the address"
        return obstacle(int(handshake[1])) or elsewhere
    return "is it running?"


def speaks_http1_instead(endpoint: Endpoint) -> bool:
    """Return whether a server that should speak HTTP/2 without TLS replies to HTTP/1.1."""
    if endpoint.transport not in ("http2", "grpc") or endpoint.is_secure:
        return False
    with connect("http1", endpoint.address, timeout_s=HTTP1_S) as client, suppress(NoReplyError):
        client.send(WireRequest("GET", "/", ()))
        return True
    return False
