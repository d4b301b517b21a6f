"""Obstacles that prevent an answer: a rate limit, a redirection, missing credentials."""

import re
from http import HTTPStatus

from grpc import StatusCode

from wirelab.engine.job import Endpoint
from wirelab.protocol.clients.no_reply import CLOSED, NOT_HTTP_2, RESET
from wirelab.protocol.grpc import status_names
from wirelab.protocol.message import WireReply
from wirelab.verify.protocol_mismatch import spoken_instead

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
    NOT_HTTP_2: "is this a gRPC server? It answers, but not in HTTP/2 without TLS",
    **dict.fromkeys(
        (CLOSED, RESET),
        "read the log of the server, or give another address if another program uses this port",
    ),
}
"""The hints for texts in a client's error."""
INSTEAD_OF_GRPC = (
    "it answers HTTP/1.1, and gRPC needs HTTP/2: give the port at which the server speaks gRPC, or"
    " describe the HTTP interface (http:// with --openapi)"
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


def what_to_do(message: str, endpoint: Endpoint) -> str:
    """Return a hint for a server that did not reply at all; `message` is the client's error."""
    if hint := what_it_speaks(endpoint):
        return hint
    if hint := next((hint for sign, hint in HINTS.items() if sign in message), ""):
        return hint
    if status := handshake_status(message):
        elsewhere = "is there a WebSocket at this path? The path belongs to the address"
        return obstacle(status) or elsewhere
    return "is it running?"


def what_it_speaks(endpoint: Endpoint) -> str:
    """Return a hint for a server that speaks something else than needed; "" if it does not."""
    spoken = spoken_instead(endpoint)
    if spoken is None:
        return ""
    if endpoint.transport == "grpc" and not spoken.scheme:
        return INSTEAD_OF_GRPC
    use = f"use {spoken.scheme}://, or " if spoken.scheme else ""
    return f"it answers {spoken.how}: {use}{spoken.change} in the server"


def handshake_status(message: str) -> int | None:
    """Return the status with which a server refused a WebSocket's handshake, by the error."""
    found = _HANDSHAKE.search(message)
    return int(found[1]) if found else None
