"""Obstacles that prevent an answer: a rate limit, a redirection, missing credentials."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from grpc import StatusCode

from wirelab.engine.job import Endpoint
from wirelab.protocol.clients.base import Cause, NoReplyError
from wirelab.protocol.grpc import status_names
from wirelab.protocol.message import WireReply
from wirelab.verify.servers.protocol_mismatch import spoken_instead

A_HEADER = "a header from the environment, such as 'Authorization: Bearer ${TOKEN}'"
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
LIMITER = "Its answers now come from the limiter: lift the limit, or lower the load"
NOT_SUFFICIENT = "the credentials are missing or not sufficient"
MEANINGS: dict[int, str] = {
    HTTPStatus.TOO_MANY_REQUESTS: (
        f"it limits the rate of requests: 429 Too Many Requests{{wait}}. {LIMITER}"
    ),
    EXHAUSTED: f"it enforces a limit: RESOURCE_EXHAUSTED. {LIMITER}",
    HTTPStatus.UNAUTHORIZED: (
        "it requires credentials{scheme}, or rejects those that were sent: 401. Give {header}"
    ),
    UNAUTHENTICATED: (
        "it requires credentials, or rejects those that were sent: UNAUTHENTICATED. Give {header}"
    ),
    HTTPStatus.FORBIDDEN: f"it forbids the request (403): {NOT_SUFFICIENT}",
    DENIED: f"it forbids the request (PERMISSION_DENIED): {NOT_SUFFICIENT}",
    HTTPStatus.METHOD_NOT_ALLOWED: "it does not allow the method (405); it allows {allowed}",
}
"""What statuses mean for a measurement, and what to do; the subject is the server."""
RENAMED = {
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "Content Too Large",
    HTTPStatus.REQUEST_URI_TOO_LONG: "URI Too Long",
    HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE: "Range Not Satisfiable",
    HTTPStatus.UNPROCESSABLE_ENTITY: "Unprocessable Content",
}
"""The names in RFC 9110 of statuses for which Python before 3.13 has older ones."""

NO_CERTIFICATE = b"SSL certificate"
"""What nginx writes if a client shows no certificate, or one that it rejects."""

HINTS = {
    Cause.UNTRUSTED_CERTIFICATE: (
        "its certificate is not trusted: give --ca FILE, or --insecure for a trial"
    ),
    Cause.CLIENT_CERTIFICATE: "it requests a client certificate: give --cert FILE and --key FILE",
    Cause.UNASKED: (
        "an address says nothing of greetings: compare contenders of a domain, as in"
        " `wirelab compare DOMAIN A B`"
    ),
    Cause.NOT_HTTP_2: "is this a gRPC server? It answers, but not in HTTP/2 without TLS",
    **dict.fromkeys(
        (Cause.CLOSED, Cause.RESET),
        "read the log of the server, or give another address if another program uses this port",
    ),
}
"""The hints for causes of a client's error."""
INSTEAD_OF_GRPC = (
    "it answers HTTP/1.1, and gRPC needs HTTP/2: give the port at which the server speaks gRPC, or"
    " describe the HTTP interface (http:// with --openapi)"
)


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What prevents an answer, by the status of a reply and the headers that explain it."""

    status: int
    cookie: str = ""
    """The name of the cookie that the server sets: it requires a session."""
    location: str = ""
    retry_after: str = ""
    scheme: str = ""
    """How the server wants clients to authenticate."""
    allowed: str = ""
    """The methods that it allows."""
    lacks_certificate: bool = False
    """Whether it requests a client certificate, as nginx says in the body of a 400."""

    def __str__(self) -> str:
        """Say what the status means for a measurement, and what to do; the subject is “it”."""
        if self.cookie:
            return (
                f"it sets the cookie {self.cookie} and answers {self.status}: it requires a"
                " session. Log in, and give the cookie as a header from the environment:"
                " 'Cookie: ${NAME}'"
            )
        if self.lacks_certificate:
            return f"{HINTS[Cause.CLIENT_CERTIFICATE]} (it answers {self.status})"
        if self.status in REDIRECTIONS:
            to = self.location or "elsewhere"
            return f"it redirects ({self.status}) to {to}: use that address"
        return MEANINGS[self.status].format(
            wait=f" (retry after {self.retry_after})" if self.retry_after else "",
            scheme=f" ({self.scheme})" if self.scheme else "",
            allowed=self.allowed or "others",
            header=A_HEADER,
        )

    @property
    def concerns_everything(self) -> bool:
        """Whether it prevents every other answer, too."""
        limits = {HTTPStatus.TOO_MANY_REQUESTS, EXHAUSTED}
        logins = {HTTPStatus.UNAUTHORIZED, UNAUTHENTICATED}
        return bool(self.cookie or self.lacks_certificate) or self.status in limits | logins


def obstacle(status: int | None, headers: Mapping[str, str] | None = None) -> Obstacle | None:
    """Return the obstacle that a reply shows; None if its status is no obstacle."""
    named = headers or {}
    cookie = named.get("set-cookie", "").partition("=")[0].strip()
    wants_session = bool(cookie) and status in {401, 403, *REDIRECTIONS}
    if status is None or not (wants_session or status in {*REDIRECTIONS, *MEANINGS}):
        return None
    return Obstacle(
        status,
        cookie if wants_session else "",
        named.get("location", ""),
        named.get("retry-after", ""),
        named.get("www-authenticate", "").partition(" ")[0],
        named.get("allow", ""),
    )


def obstacle_of(reply: WireReply) -> Obstacle | None:
    """Return the obstacle that a reply shows."""
    if reply.status == HTTPStatus.BAD_REQUEST and NO_CERTIFICATE in reply.content:
        return Obstacle(HTTPStatus.BAD_REQUEST, lacks_certificate=True)
    return obstacle(reply.status, {name.lower(): value for name, value in reply.headers})


def status_name(status: int, *, of_grpc: bool) -> str:
    """Return the number of a status with its name, if it has one."""
    names = status_names() if of_grpc else http_status_names()
    return f"{status} {names.get(status, '')}".rstrip()


def http_status_names() -> dict[int | None, str]:
    """Return the names of HTTP's statuses by number, as the load engine writes them."""
    return {code.value: RENAMED.get(code, code.phrase) for code in HTTPStatus}


def what_to_do(error: NoReplyError, endpoint: Endpoint) -> str:
    """Return a hint for a server that did not reply at all."""
    if hint := what_it_speaks(endpoint) or HINTS.get(error.cause, ""):
        return hint
    if error.cause is Cause.HANDSHAKE:
        status_obstacle = obstacle(error.status)
        elsewhere = "is there a WebSocket at this path? The path belongs to the address"
        return str(status_obstacle) if status_obstacle else elsewhere
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
