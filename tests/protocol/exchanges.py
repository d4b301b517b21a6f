"""Codecs of the notes domain, and replies to what they send."""

import json
from typing import Any

from wirelab import protocol
from wirelab.domain import Domain
from wirelab.protocol import WireReply
from wirelab.protocol.base import Codec

ENVELOPE = "http://schemas.xmlsoap.org/soap/envelope/"
PROBLEM = "application/problem+json"
EVENTS = "text/event-stream"


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


def result(written: str) -> WireReply:
    """Return the reply of JSON-RPC with this result, which is JSON."""
    return reply(200, f'{{"jsonrpc":"2.0","id":1,"result":{written}}}')


def error(code: int, data: object = None, *, status: int = 200) -> WireReply:
    """Return the reply of JSON-RPC with this error."""
    written = {"code": code, "message": "no", **({} if data is None else {"data": data})}
    return reply(status, json.dumps({"jsonrpc": "2.0", "id": 1, "error": written}))


def tool_error(text: str) -> WireReply:
    """Return the result of a tool that is an error."""
    content = [{"type": "text", "text": text}]
    return result(json.dumps({"content": content, "isError": True}))
