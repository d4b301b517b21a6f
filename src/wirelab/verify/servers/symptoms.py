"""Symptoms in replies of a server that is not configured for production.

The headers of every reply show compression, an old version of HTTP, and a development server.
Verification checks these, and the statements of wirelab's own stores. The analysis checks what
appears only under load.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from wirelab.protocol.clients.base import Client
from wirelab.protocol.message import WireReply, WireRequest
from wirelab.terminal.words import plural

TINY_BYTES = 500
"""A body of fewer bytes fits into one packet, compressed or not."""

DEVELOPMENT = {
    "werkzeug": "the development server of Flask",
    "wsgiserver": "wsgiref of Python's standard library, as used by Django's runserver",
    "basehttp": "Python's built-in HTTP server",
    "simplehttp": "Python's built-in HTTP server",
    "webrick": "a development server of Ruby",
}
"""Development servers, by the beginning of the header `Server`."""


class Symptom(StrEnum):
    """The names of symptoms in reports."""

    HTTP_1_0 = "HTTP/1.0"
    DEVELOPMENT_SERVER = "A development server"
    UNOPTIMISED_PYTHON = "Python compiled without optimisation"
    TINY_COMPRESSED = "Tiny bodies are compressed"
    N_PLUS_1 = "N+1 statements"
    SESSION_ENDED = "Sessions end between requests"


@dataclass(frozen=True, slots=True)
class Sign:
    """A symptom and its evidence."""

    symptom: Symptom
    evidence: str


def signs_in(reply: WireReply) -> Iterator[Sign]:
    """Yield the symptoms that one reply shows."""
    if reply.version == "HTTP/1.0":
        evidence = "it answers with HTTP/1.0, which opens a connection for every request"
        yield Sign(Symptom.HTTP_1_0, evidence)
    server = reply.header("server")
    for beginning, what in DEVELOPMENT.items():
        if server.lower().startswith(beginning):
            evidence = f"its header Server names {server.split()[0]}, {what}"
            yield Sign(Symptom.DEVELOPMENT_SERVER, evidence)
    encoding = reply.header("content-encoding")
    if encoding not in ("", "identity") and 0 < len(reply.body) < TINY_BYTES:
        evidence = (
            f"it compresses ({encoding}) bodies shorter than {TINY_BYTES} bytes, which saves no"
            " packet and costs time on both sides"
        )
        yield Sign(Symptom.TINY_COMPRESSED, evidence)


@dataclass
class Watched(Client):
    """A client that collects the symptoms in all replies."""

    client: Client
    found: dict[Sign, None] = field(default_factory=dict)
    renewals: int = 0
    """How often a session had ended, and was opened again."""

    @property
    def signs(self) -> Iterator[Sign]:
        """The symptoms of all replies."""
        yield from self.found
        if self.renewals:
            times = plural(self.renewals, "time")
            evidence = f"it ended the session of its only client {times}, which opened it again"
            yield Sign(Symptom.SESSION_ENDED, evidence)

    def send(self, request: WireRequest) -> WireReply:
        """Send a request and wait for its reply."""
        reply = self.client.send(request)
        self.found |= dict.fromkeys(signs_in(reply))
        self.renewals += reply.is_renewed
        return reply

    def close(self) -> None:
        """Do nothing: the owner of the connection closes it."""
