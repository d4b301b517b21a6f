"""Redact credentials in the texts of a bundle that servers may have repeated."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from wirelab.lab.credentials import has_secrets, redact_file
from wirelab.record import kind_names

TEXTS = {".log", ".json", ".jsonl", ".toml", ".md", ".txt"}
"""The extensions of files that may contain text from a server."""
OWN = {"bundle.json", "contenders.json", "domain", "host.json", "schedule.json", "study"}
"""Files without such text: wirelab wrote them before any server was started."""


@contextmanager
def redacted(folder: Path) -> Iterator[None]:
    """Redact credentials in the texts of a bundle at the end, in case a server has repeated them.

    Names remain, since a password may equal a name in the schedule, or that of a kind of records,
    which reading a bundle needs.
    """
    try:
        yield
    finally:
        if has_secrets():
            names = frozenset(_strings(json.loads((folder / "schedule.json").read_bytes())))
            names |= kind_names()
            for path in sorted(folder.rglob("*")):
                is_own = path.relative_to(folder).parts[0] in OWN
                if path.suffix in TEXTS and path.is_file() and not is_own:
                    redact_file(path, names)


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for each in value.values():
                yield from _strings(each)
        case list():
            for each in value:
                yield from _strings(each)
