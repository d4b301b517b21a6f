"""Why a server is not ready: the answer that it gave instead of the correct one, and the remedy.

A refused connection, silence and a failure that the server reports (5xx) may end while it starts,
so they have no remedy here. Any other answer remains: a wrong scheme, HTTP version or path.
"""

from dataclasses import dataclass
from http import HTTPStatus

from grpc import StatusCode

from wirelab.domain.refusal import FAULTS
from wirelab.engine.job import Endpoint
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.contenders.running import NotReadyError
from wirelab.lab.credentials import redact
from wirelab.protocol.clients.base import Cause, NoReplyError
from wirelab.protocol.message import Refusal, WireReply, WireRequest
from wirelab.verify.servers.obstacles import obstacle, obstacle_of
from wirelab.verify.servers.protocol_mismatch import Spoken, spoken_instead

BROKEN_OFF = {
    Cause.CLOSED: "closed the connection without an answer",
    Cause.RESET: "reset the connection without an answer",
}
"""The answer of a server that ends the connection."""
NOT_THERE = FAULTS - {"unreadable"}
"""Refusals of a server that is not ready yet."""
UNIMPLEMENTED: int = StatusCode.UNIMPLEMENTED.value[0]
WITHOUT_PATH = {HTTPStatus.NOT_FOUND, HTTPStatus.GONE, HTTPStatus.NOT_IMPLEMENTED}
CERTIFICATES = {
    Cause.UNTRUSTED_CERTIFICATE: (
        "has a certificate that is not trusted",
        "give its file as tls.ca in contender.toml, or tls.insecure = true to accept any",
    ),
    Cause.CLIENT_CERTIFICATE: (
        "requests a client certificate",
        "give tls.certificate and tls.key in contender.toml",
    ),
}
"""The answer and the remedy, by the cause of a client's error."""


@dataclass(frozen=True, slots=True)
class Poll:
    """One request to a contender that may not be ready yet; `operation` is the one called."""

    contender: Contender
    endpoint: Endpoint
    operation: str
    request: WireRequest

    def refused(self, reply: WireReply, refusal: Refusal) -> NotReadyError:
        """Return the error for a reply that does not show that the server is ready."""
        detail, status = redact(refusal.detail), reply.status
        reason = f"{self.operation} was refused: {detail}"
        answer = f"answers, but {reason}"
        is_http = self.endpoint.transport in ("http1", "http2", "http3") and status is not None
        if is_http:
            answer = f"answers {status} to {self.request.method} {self.request.path}"
        if refusal.kind in NOT_THERE and status not in {UNIMPLEMENTED, HTTPStatus.NOT_IMPLEMENTED}:
            return NotReadyError(reason, answer)
        if status == HTTPStatus.BAD_REQUEST and (spoken := spoken_instead(self.endpoint)):
            return self._speaking(reason, spoken)  # as Go and nginx answer HTTP at a port for TLS
        if found := obstacle_of(reply):
            return NotReadyError(reason, answer, str(found))
        if is_http and status in WITHOUT_PATH:
            what = f"answer {self.request.method} {self.request.path}"
            return NotReadyError(reason, answer, self._path_remedy(what))
        if is_http:
            answer = f"{answer}: {detail.removeprefix(f'HTTP {status}: ')}"
        binding = f"[operation.{self.operation}.{self.contender.protocol}]"
        remedy = f"make the server answer as the domain's {binding} describes"
        if status == UNIMPLEMENTED:
            remedy = f"implement {self.request.path} in the server"
        return NotReadyError(reason, answer, remedy)

    def unanswered(self, error: NoReplyError) -> NotReadyError:
        """Return the error for a server that did not reply, or in another way."""
        reason = str(error)
        if error.cause is Cause.TIMED_OUT:
            return NotReadyError(reason)
        if spoken := spoken_instead(self.endpoint):
            return self._speaking(reason, spoken)
        if error.cause in CERTIFICATES:
            return NotReadyError(reason, *CERTIFICATES[error.cause])
        status = error.status
        if status is None:
            return NotReadyError(reason, BROKEN_OFF.get(error.cause, ""))
        answer = f"answers {status} to the opening handshake at {self.endpoint.path}"
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return NotReadyError(reason, answer)
        what = f"accept WebSockets at {self.endpoint.path}"
        obstacle_seen = obstacle(status)
        return NotReadyError(
            reason, answer, str(obstacle_seen) if obstacle_seen else self._path_remedy(what)
        )

    def _speaking(self, reason: str, spoken: Spoken) -> NotReadyError:
        remedy = f"{spoken.change} in the server"
        if spoken.scheme:
            use = f'set scheme = "{spoken.scheme}" in contender.toml'
            if self.contender.address is not None:
                use = f"use {spoken.scheme}:// in its address"
            remedy = f"{use}, or {remedy}"
        return NotReadyError(reason, f"answers {spoken.how}", remedy)

    def _path_remedy(self, what: str) -> str:
        if self.contender.address is None:
            return f"make the server {what}, or correct path in contender.toml"
        return (
            f"is {self.endpoint.address} the right server, and path in contender.toml the right"
            " prefix?"
        )
