"""Headers and store URLs with credentials: from the environment or a file of its owner alone.

What they hold is told to the server and to nobody else: it is in no bundle, log, message or list of
processes.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from urllib.parse import quote

from wirelab.errors import LabError
from wirelab.header_values import unfit
from wirelab.lab.errors import ContenderError, StoreError
from wirelab.lab.store_url import contains_password, secrets_of

VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_TELLTALE = re.compile(
    r"authorization|cookie|token|secret|password|credential|api[-_]?key|session|signature",
    re.IGNORECASE,
)
HIDDEN = "(hidden)"
SHORTEST = 4
"""What is shorter occurs by chance, and is nobody's secret."""

_known_secrets: set[str] = set()


def names_a_credential(name: str) -> bool:
    """Tell whether a header of this name is likely to hold a credential."""
    return _TELLTALE.search(name) is not None


def resolve_headers(
    contender: str, headers: Mapping[str, str], file: Path | None
) -> tuple[tuple[str, str], ...]:
    """Return headers with their values; `${NAME}` stands for a variable of the environment.

    From now on `redact` hides what came from the environment or the file. Raises `ContenderError`
    where a variable is missing, others than the owner can read the file, or no header can hold a
    value.
    """
    found: list[tuple[str, str]] = []
    for name, written in headers.items():
        variables = VARIABLE.findall(written)
        for variable in variables:
            if not os.environ.get(variable):
                raise ContenderError(
                    f"{contender} needs {variable} for its header {name}, and it is not set",
                    f"export {variable}=…",
                )
            _known_secrets.add(os.environ[variable])
        value = VARIABLE.sub(lambda match: os.environ[match[1]], written)
        if value != written:
            _known_secrets.add(value)
        named = {variable: os.environ[variable] for variable in variables}
        _check_header(contender, name, value, named)
        found.append((name.lower(), value))
    if file is not None:
        found += _from_file(contender, file)
    return tuple(found)


def resolve_store_url(kind: str, written: str, ask: Callable[[str], str] | None) -> str:
    """Return the URL of a store with its password, which is hidden from now on.

    `${NAME}` stands for a variable of the environment, or for what `ask` returns where that is not
    set; `@FILE` for the URL in a file that only its owner can read. Raises `StoreError` for a
    password on the command line, because every user of the machine can read that.
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
        value = os.environ.get(name) or (ask(f"{name} for {kind}: ") if ask else "")
        if not value:
            raise StoreError(f"--store {kind} needs {name}, and it is not set", f"export {name}=…")
        _known_secrets.update((value, quote(value, safe="")))
        return quote(value, safe="")

    return VARIABLE.sub(value_of, written)


def _from_file(contender: str, file: Path) -> list[tuple[str, str]]:
    text = _read_private(file, f"headers of {contender}", ContenderError)
    found = []
    for line in filter(str.strip, text.splitlines()):
        name, colon, value = line.partition(":")
        if not colon:
            raise ContenderError(f"{file} has a line that is not a header", "write NAME: VALUE")
        _known_secrets.update((value.strip(), value.strip().rpartition(" ")[2]))
        _check_header(contender, f"{name.strip()} of {file}", value.strip(), {})
        found.append((name.strip().lower(), value.strip()))
    return found


def _check_header(contender: str, name: str, value: str, variables: Mapping[str, str]) -> None:
    """Raise `ContenderError` if no header can hold a value; the value is not repeated."""
    if not (why := unfit(value)):
        return
    at_fault = (variable for variable, own in variables.items() if unfit(own) == why)
    raise ContenderError(
        f"{contender} cannot send its header {name}: {next(at_fault, 'its value')} {why}",
        "a header holds printable ASCII characters only",
    )


def _read_private(file: Path, what: str, kind: type[LabError]) -> str:
    """Read a file that holds secrets; raise `kind` where others than its owner can read it."""
    try:
        mode, text = file.stat().st_mode & 0o777, file.read_text(encoding="utf-8")
    except OSError as error:
        raise kind(f"cannot read {what}: {error}") from None
    except UnicodeDecodeError:
        raise kind(f"cannot read {what}: {file} is not UTF-8") from None
    if mode & 0o077:
        raise kind(
            f"{file} contains {what}, and other users can read it (mode {mode:o})",
            f"chmod 600 {file}",
        )
    return text


def redact(text: str, secrets: Iterable[str] | None = None) -> str:
    """Hide every credential that has been resolved, wherever it stands in a text."""
    hidden = _known_secrets if secrets is None else set(secrets)
    for secret in sorted((it for it in hidden if len(it) >= SHORTEST), key=len, reverse=True):
        text = text.replace(secret, HIDDEN).replace(json.dumps(secret)[1:-1], HIDDEN)
    return text


def redact_file(path: Path) -> None:
    """Hide credentials in a text file, if there are any in it."""
    if not _known_secrets or not path.is_file():
        return
    text = path.read_text(encoding="utf-8", errors="replace")
    if (hidden := redact(text)) != text:
        path.write_text(hidden, encoding="utf-8")


def has_secrets() -> bool:
    """Tell whether there is anything to hide."""
    return bool(_known_secrets)
