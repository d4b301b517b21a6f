"""The message that is sent to WebSockets: it is one, and has no credential."""

import json
from collections.abc import Iterator, Mapping

from wirelab.inputs.credential_names import names_a_credential
from wirelab.inputs.problems import add_problem
from wirelab.scaffold.descriptions.given import OPTIONS
from wirelab.terminal import words


def check_message(data: str, descriptions: Mapping[str, str]) -> None:
    """Check that a message is one, is alone, and has no credential, as far as its keys show."""
    if not data:
        add_problem("--data", "", data, "a message")
    if descriptions:
        options = words.listed(OPTIONS[protocol] for protocol in descriptions)
        expected = f"either --data, for WebSockets, or {options}"
        add_problem("--data", "", shown_message(data), expected)
    for key in _credentials(data):
        expected = "no credential in a message, since other programs can read a command line"
        hint = "log in by a header of the handshake, such as 'Authorization: Bearer ${TOKEN}'"
        add_problem("--data", key, "(a credential)", expected, hint)


def shown_message(data: str) -> str:
    """Return a message as the user wrote it, unless it has a credential, which is not printed."""
    return "(not shown, since it has a credential)" if _credentials(data) else data


def _credentials(data: str) -> list[str]:
    """Return the keys of a message that name credentials; [] if it is not JSON."""
    try:
        return sorted({key for key in _keys(json.loads(data)) if names_a_credential(key)})
    except (ValueError, RecursionError):  # it is text, or something that the server may refuse
        return []


def _keys(value: object) -> Iterator[str]:
    """Yield the keys of all objects in a JSON value."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from _keys(item)
