"""Headers and store URLs with credentials, from the environment or a private file.

Their values are sent to the server only: bundles, logs, messages and the list of processes do not
contain them.
"""

import json
import os
import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from urllib.parse import quote

from wirelab.errors import LabError
from wirelab.inputs.credential_names import HIDDEN
from wirelab.inputs.header_values import unfit
from wirelab.lab.errors import ContenderError, StoreError
from wirelab.lab.stores.store_url import contains_password, secrets_of
from wirelab.terminal import words

VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
PUBLIC_HEADERS = {"accept", "accept-encoding", "accept-language", "content-type", "user-agent"}
"""Headers that are not secret, even in a file of secrets."""
SHORTEST = 4
"""Shorter values occur by chance, and are not treated as secrets."""
_WORD_BEGINS = (
    r"(?:(?<!\w)|(?<=\\[abfnrtv])|(?<=\\x[\da-fA-F]{2})|(?<=\\u[\da-fA-F]{4})|(?<=%[\da-fA-F]{2}))"
)
"""Also after an escape: the letters of `\\n` and `%3D` are no part of the word that follows."""

_known_secrets: set[str] = set()


def resolve_headers(
    contender: str, headers: Mapping[str, str], file: Path | None
) -> tuple[tuple[str, str], ...]:
    """Return headers with their values; `${NAME}` is an environment variable.

    From now on, `redact` hides values from the environment or the file. Raises `ContenderError` if
    a variable is missing, if other users can read the file, or if a value is invalid in a header.
    """
    values: list[tuple[str, str]] = []
    for name, written in headers.items():
        variables = VARIABLE.findall(written)
        for variable in variables:
            if not os.environ.get(variable):
                raise ContenderError(
                    f"{contender} needs {variable} for its header {name}, but it is not set",
                    f"export {variable}=…",
                )
            _known_secrets.add(os.environ[variable])
        value = VARIABLE.sub(lambda match: os.environ[match[1]], written)
        if value != written:
            _known_secrets.add(value)
        named = {variable: os.environ[variable] for variable in variables}
        _check_header(contender, name, value, named)
        values.append((name.lower(), value))
    if file is not None:
        values += _from_file(contender, file)
    return tuple(values)


def resolve_store_url(kind: str, written: str, prompt: Callable[[str], str] | None) -> str:
    """Return the URL of a store with its password, which is redacted from now on.

    `${NAME}` is an environment variable, or the result of `ask` if it is not set; `@FILE` is the
    URL in a file that only its owner can read. Raises `StoreError` for a password on the command
    line, because every user of the machine can read that.
    """
    if written.startswith("@"):
        url = _read_private(Path(written[1:]), f"the URL of {kind}", StoreError).strip()
        _known_secrets.update(secrets_of(url))
        return url
    if contains_password(VARIABLE.sub("", written)):
        raise StoreError(
            f"--store {kind}: every user of this machine can read a password on the command line",
            f"write --store '{kind}={kind}://USER:${{PASSWORD}}@HOST/DATABASE' and export PASSWORD"
            f" (wirelab asks for it otherwise), or --store {kind}=@FILE with the URL in a file of"
            " mode 600",
        )

    def value_of(match: re.Match[str]) -> str:
        name = match[1]
        value = os.environ.get(name) or (prompt(f"{name} for {kind}: ") if prompt else "")
        if not value:
            raise StoreError(f"--store {kind} needs {name}, but it is not set", f"export {name}=…")
        _known_secrets.update((value, quote(value, safe="")))
        return quote(value, safe="")

    return VARIABLE.sub(value_of, written)


def _from_file(contender: str, file: Path) -> list[tuple[str, str]]:
    text = _read_private(file, f"headers of {contender}", ContenderError)
    parts = []
    for line in filter(str.strip, text.splitlines()):
        name, colon, value = line.partition(":")
        if not colon:
            raise ContenderError(f"{file} has a line that is not a header", "write NAME: VALUE")
        if name.strip().lower() not in PUBLIC_HEADERS:
            _known_secrets.update((value.strip(), value.strip().rpartition(" ")[2]))
        _check_header(contender, f"{name.strip()} of {file}", value.strip(), {})
        parts.append((name.strip().lower(), value.strip()))
    return parts


def _check_header(contender: str, name: str, value: str, variables: Mapping[str, str]) -> None:
    """Raise `ContenderError` if a value is invalid in a header; the value is not printed."""
    if not (why := unfit(value)):
        return
    at_fault = (variable for variable, own in variables.items() if unfit(own) == why)
    raise ContenderError(
        f"{contender} cannot send its header {name}: {next(at_fault, 'its value')} {why}",
        "headers consist of printable ASCII characters only",
    )


def _read_private(file: Path, what: str, kind: type[LabError]) -> str:
    """Read a file with secrets; raise `kind` if other users than its owner can read it."""
    try:
        mode, text = file.stat().st_mode & 0o777, file.read_text(encoding="utf-8")
    except OSError as error:
        raise kind(f"cannot read {what}: {error}") from None
    except UnicodeDecodeError:
        raise kind(f"cannot read {what}: {file} is not UTF-8") from None
    if mode & 0o077:
        raise kind(
            f"{file} contains {what}, and other users can read it (mode {mode:o})",
            words.command("chmod", 600, file),
        )
    return text


def redact(text: str) -> str:
    """Hide all resolved credentials that occur in a text as whole words.

    A password may be part of another word, as “postgres” is of “postgresql”.
    """
    for secret in sorted((secret for secret in _known_secrets if len(secret) >= SHORTEST), key=len)[
        ::-1
    ]:
        for form in {secret, json.dumps(secret)[1:-1]}:
            text = re.sub(rf"{_WORD_BEGINS}{re.escape(form)}(?!\w)", HIDDEN, text)
    return text


def redact_values(value: object, names: Collection[str] = ()) -> object:
    """Hide credentials in the strings of a JSON value; keys and `names` remain unchanged."""
    match value:
        case str():
            return value if value in names else redact(value)
        case Mapping():
            return {key: redact_values(item, names) for key, item in value.items()}
        case list() | tuple():
            return [redact_values(item, names) for item in value]
    return value


def redact_json(text: str, names: Collection[str] = ()) -> str:
    """Hide credentials in the strings of a JSON text, which stays valid; others as in `redact`."""
    if redact(text) == text:
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return redact(text)
    if (hidden := redact_values(value, names)) == value:
        return text
    return json.dumps(hidden, ensure_ascii=False)


def redact_file(path: Path, names: Collection[str] = ()) -> None:
    """Hide credentials in a text file; JSON stays JSON, with its `names`."""
    if not _known_secrets or not path.is_file():
        return
    text = path.read_text(encoding="utf-8", errors="replace")
    match path.suffix:
        case ".json":
            hidden = redact_json(text, names)
        case ".jsonl":
            # Not splitlines: JSON strings may contain other line separators.
            hidden = "\n".join(redact_json(line, names) for line in text.split("\n"))
        case _:
            hidden = redact(text)
    if hidden != text:
        path.write_text(hidden, encoding="utf-8")


def has_secrets() -> bool:
    """Return whether there are credentials to hide."""
    return bool(_known_secrets)
