"""How the user's servers are queried: headers, and certificates to trust over TLS."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from ssl import PROTOCOL_TLS_CLIENT, SSLContext
from typing import TYPE_CHECKING, Any

from wirelab.inputs.credential_names import names_a_credential
from wirelab.inputs.problems import add_problem, state_problem
from wirelab.lab.credentials import VARIABLE, resolve_headers
from wirelab.lab.network.address import Address

if TYPE_CHECKING:
    from wirelab.engine.job import Endpoint

ALL_SIDES = ""
TLS_OPTIONS = {
    "ca": "--ca",
    "insecure": "--insecure",
    "server_name": "--server-name",
    "certificate": "--cert",
    "key": "--key",
}
"""Options by the name of the key in a contender file."""
_NAME = re.compile(r"\s*([\w.-]+/)?[\w!#$%&'*+.^`|~-]+\s*")
"""The name of a header, optionally with the side that receives it."""


@dataclass(frozen=True, slots=True)
class Access:
    """The options of a command line for all servers, or for some of them."""

    headers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Headers by the name of a side or protocol; all receive those of ALL_SIDES."""
    headers_file: Path | None = None
    tls: Mapping[str, Any] = field(default_factory=dict)

    def headers_of(self, name: str) -> dict[str, str]:
        """Return the headers for a side: the common ones, and its own."""
        return {**self.headers.get(ALL_SIDES, {}), **self.headers.get(name, {})}

    def keys(self, name: str, address: str | None) -> dict[str, Any]:
        """Return a side's keys in a contender file; None is left out."""
        is_secure = address is not None and Address.parse(address).is_secure
        return {
            "headers": self.headers_of(name) or None,
            "headers_file": str(self.headers_file.resolve()) if self.headers_file else None,
            "tls": dict(self.tls) if self.tls and is_secure else None,
        }

    def endpoint(self, name: str, needed: str, address: Address) -> "Endpoint":
        """Return the endpoint of a side; `needed` is the transport of its requests.

        Raises `ContenderError` if a header needs a variable that is not set.
        """
        from wirelab.engine.job import Endpoint  # noqa: PLC0415  (checks of options need none)

        return Endpoint.model_validate(
            {
                "transport": address.transport(needed),
                "address": address.host_port,
                "path": address.path or "/",
                "headers": resolve_headers(name, self.headers_of(name), self.headers_file),
                "tls": dict(self.tls) if address.is_secure else None,
            }
        )


NO_OPTIONS = Access()


def read_headers(written: Sequence[str]) -> dict[str, dict[str, str]]:
    """Read headers NAME: VALUE, or SIDE/NAME: VALUE; credentials are rejected, and not printed."""
    headers: dict[str, dict[str, str]] = {}
    for each in written:
        name, colon, value = each.partition(":")
        side, slash, own = name.partition("/")
        if not slash:
            side, own = ALL_SIDES, name
        if not (colon and _NAME.fullmatch(name)):
            shown = "(not shown, since it may be a credential)"
            add_problem("--header", "", shown, "NAME: VALUE, or SIDE/NAME: VALUE")
        elif names_a_credential(own) and not VARIABLE.search(value):
            # The list of processes shows its value already; do not print it as well.
            expected = "'NAME: ${VARIABLE}', since other programs can read a command line"
            add_problem("--header", own.strip(), "(a credential)", expected)
        else:
            headers.setdefault(side, {})[own.strip().lower()] = value.strip()
    return headers


def require_variables(access: Access) -> None:
    """Note the variables of headers that are not set, as they must be before a request is sent."""
    for side, headers in access.headers.items():
        for name, value in headers.items():
            for variable in dict.fromkeys(VARIABLE.findall(value)):
                if not os.environ.get(variable):
                    header = f"{side}/{name}" if side else name
                    sentence = f"--header {header}: the variable {variable} is not set"
                    state_problem(sentence, f"export {variable}=…")


def read_access(headers: Sequence[str], file: Path | None, tls: Mapping[str, Any]) -> Access:
    """Read the options for all servers; `tls` are those given, by key of a contender file."""
    if file is not None and not file.is_file():
        add_problem("--headers-file", "", str(file), "an existing file")
    return Access(read_headers(headers), file, _read_tls(tls))


def _read_tls(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a contender file; files have absolute paths."""
    files = {name: path for name, path in given.items() if isinstance(path, Path)}
    missing = {name: path for name, path in files.items() if not path.is_file()}
    for name, path in missing.items():
        add_problem(TLS_OPTIONS[name], "", str(path), "an existing file")
    certificate, key = files.get("certificate"), files.get("key")
    if (certificate is None) != (key is None):
        state_problem("--cert and --key: expected both, or neither")
    elif certificate is not None and not missing:
        try:
            SSLContext(PROTOCOL_TLS_CLIENT).load_cert_chain(certificate, key, password=lambda: "")
        except OSError as error:
            expected = "a certificate and its key, as PEM without a passphrase"
            add_problem("--cert and --key", "", f"{certificate} and {key}", expected, str(error))
    return {**given, **{name: str(path.resolve()) for name, path in files.items()}}
