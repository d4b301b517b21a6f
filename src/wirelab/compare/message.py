"""A message for WebSockets: what is wrong with it, and the operation that sends it."""

import json
from collections.abc import Iterator, Mapping

from wirelab import words
from wirelab.initiate.offer import Offer
from wirelab.initiate.sources import OPTIONS
from wirelab.lab.credentials import names_a_credential
from wirelab.problems import Problems
from wirelab.protocol.template import literal

SHOWN = "(a message)"
MAY_WRITE = "the message of --data is sent many times: check that it changes nothing"


def check_message(data: str, descriptions: Mapping[str, str], problems: Problems) -> None:
    """See that a message is one, is alone, and holds no credential, as far as its keys tell."""
    if not data:
        problems.add("--data", "", data, "a message")
    if descriptions:
        options = words.listed(OPTIONS[protocol] for protocol in descriptions)
        problems.add("--data", "", SHOWN, f"either --data, for WebSockets, or {options}")
    try:
        keys = {key for key in _keys(json.loads(data)) if names_a_credential(key)}
    except (ValueError, RecursionError):  # it is text, or something that the server may refuse
        return
    for key in sorted(keys):
        expected = "no credential in a message, since other programs can read a command line"
        hint = "log in by a header of the handshake, such as 'Authorization: Bearer ${TOKEN}'"
        problems.add("--data", key, "(a credential)", expected, hint)


def message_offer(data: str, *, may_write: bool) -> Offer:
    """Return the operation that sends a message as it is written."""
    return Offer(
        protocol="websocket",
        name="message",
        summary="the message of --data",
        effect="write" if may_write else "read",
        parameters=(),
        binding={"message": literal(data), "content": "any"},
    )


def _keys(value: object) -> Iterator[str]:
    """Yield the keys of all objects in a JSON value."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from _keys(item)
