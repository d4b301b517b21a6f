"""What replies show of a server that is not as it would be in production, by its name.

Compression, an old version of HTTP and a development server are in the headers of every reply;
whoever verifies looks at them, and at the statements of a store of ours. What only a load brings to
light is for the analysis.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from wirelab.protocol.client_base import Client
from wirelab.protocol.message import WireReply, WireRequest

TINY_BYTES = 500
"""Of a body: so little fits into one packet, compressed or not."""

DEVELOPMENT = {
    "werkzeug": "the development server of Flask",
    "wsgiserver": "the development server of Django",
    "basehttp": "Python's own server",
    "simplehttp": "Python's own server",
    "webrick": "a development server of Ruby",
}
"""By the beginning of the header Server: what it is the development server of."""


class Symptom(StrEnum):
    """What is wrong, as reports call it."""

    HTTP_1_0 = "HTTP/1.0"
    DEVELOPMENT_SERVER = "A development server"
    TINY_COMPRESSED = "Tiny bodies are compressed"
    N_PLUS_1 = "N+1 statements"


@dataclass(frozen=True, slots=True)
class Sign:
    """A symptom, and what shows it."""

    symptom: Symptom
    evidence: str


def signs_in(reply: WireReply) -> Iterator[Sign]:
    """Yield what one reply shows."""
    if reply.version == "HTTP/1.0":
        evidence = "it answers with HTTP/1.0, which opens a connection for every request"
        yield Sign(Symptom.HTTP_1_0, evidence)
    server = reply.header("server")
    for beginning, what in DEVELOPMENT.items():
        if server.lower().startswith(beginning):
            evidence = f"it says that it is {server.split()[0]}, {what}"
            yield Sign(Symptom.DEVELOPMENT_SERVER, evidence)
    encoding = reply.header("content-encoding")
    if encoding not in ("", "identity") and 0 < len(reply.body) < TINY_BYTES:
        evidence = (
            f"it compresses ({encoding}) bodies of less than {TINY_BYTES} bytes, which saves no"
            " packet and costs time on both sides"
        )
        yield Sign(Symptom.TINY_COMPRESSED, evidence)


@dataclass
class Watched(Client):
    """A client that keeps the signs in all replies."""

    client: Client
    signs: dict[Sign, None] = field(default_factory=dict)

    def send(self, request: WireRequest) -> WireReply:
        """Send a request and wait for its reply."""
        reply = self.client.send(request)
        self.signs |= dict.fromkeys(signs_in(reply))
        return reply

    def close(self) -> None:
        """Leave the connection to whoever opened it."""
