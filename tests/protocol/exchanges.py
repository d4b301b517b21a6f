"""Codecs of the notes domain, and replies to what they send."""

from typing import Any

from wirelab import protocol
from wirelab.domain import Domain
from wirelab.protocol import WireReply
from wirelab.protocol.base import Codec

ENVELOPE = "http://schemas.xmlsoap.org/soap/envelope/"
PROBLEM = "application/problem+json"


def bound(name: str, notes: Domain) -> Codec[Any]:
    found: Codec[Any] = protocol.get(name).bind(notes, "/base")
    return found


def reply(status: int | None, body: bytes | str, form: str = "") -> WireReply:
    content = body.encode() if isinstance(body, str) else body
    form = form or ("text/xml" if content.startswith(b"<") else "application/json")
    return WireReply(status, (("Content-Type", form),), content)


def soap_fault(code: str, detail: str = "") -> str:
    return (
        f'<e:Envelope xmlns:e="{ENVELOPE}"><e:Body><e:Fault><faultcode>e:{code}</faultcode>'
        f"<faultstring>why</faultstring>{detail}</e:Fault></e:Body></e:Envelope>"
    )
