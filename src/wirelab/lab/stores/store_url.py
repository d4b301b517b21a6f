"""The URL of a store without its password, for files, reports and messages."""

import re
import sys
from urllib.parse import unquote

HIDDEN = "***"

_USER = r"(?P<scheme>\w[\w+.-]*://)(?P<user>[^:/@?#\s]*)"
# Greedy: a password with an unquoted @, / or space is invalid, but still secret.
_ONE_URL = re.compile(rf"{_USER}(?::(?P<password>.*))?@", re.DOTALL)
_URLS_IN_TEXT = re.compile(rf"{_USER}(?::(?P<password>\S*))?@")
_SECRET_OPTION = re.compile(
    r"(?P<name>[?&][^=&\s]*(?:password|secret|token|authmechanismproperties)[^=&\s]*=)"
    r"(?P<value>[^&#\s]*)",
    re.IGNORECASE,
)


def without_password(url: str) -> str:
    """Hide the password of a URL, also of one after KIND=; the user name remains."""
    return _hide(_ONE_URL, url)


def recorded_command() -> tuple[str, ...]:
    """Return the command line of this process for a bundle, without passwords."""
    return ("wirelab", *map(without_password, sys.argv[1:]))


def contains_password(url: str) -> bool:
    """Return whether a URL contains a password or another secret."""
    return bool(secrets_of(url))


def contains_user(text: str) -> bool:
    """Return whether a text contains a URL with a user name."""
    return any(match["user"] for match in _URLS_IN_TEXT.finditer(text))


def redact(text: str, *urls: str) -> str:
    """Hide the passwords of these URLs everywhere in a text, and those of URLs in it.

    For texts of other programs: the message of a driver, the log of a server.
    """
    shown = _hide(_URLS_IN_TEXT, text)
    secrets = frozenset(secret for url in urls for secret in secrets_of(url))
    for secret in sorted(secrets, key=len, reverse=True):
        # As a whole word: a password of one letter must not be replaced within words.
        shown = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", HIDDEN, shown)
    return shown


def _hide(urls: re.Pattern[str], text: str) -> str:
    return _SECRET_OPTION.sub(rf"\g<name>{HIDDEN}", urls.sub(_without_password, text))


def _without_password(found: re.Match[str]) -> str:
    hidden = "" if found["password"] is None else f":{HIDDEN}"
    return f"{found['scheme']}{found['user']}{hidden}@"


def secrets_of(url: str) -> set[str]:
    """Return the secrets of a URL, both quoted and unquoted."""
    passwords = [match["password"] for match in _ONE_URL.finditer(url)]
    passwords += [match["value"] for match in _SECRET_OPTION.finditer(url)]
    written = set(filter(None, passwords))
    return written | {unquote(secret) for secret in written}
