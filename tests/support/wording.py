"""Words are looked at in plain files: one for each family of kinds, renewed by a variable."""

import os
from collections.abc import Iterable
from pathlib import Path

RENEW = "RENEW_WORDING"
"""The environment variable that makes the tests write the files."""


def assert_as_written(file: Path, texts: Iterable[str]) -> None:
    """Compare texts with those in a file, one a paragraph."""
    written = "\n\n".join(text.replace("\u00a0", " ") for text in texts) + "\n"
    if os.environ.get(RENEW):
        file.write_text(written, encoding="utf-8")
    assert written.splitlines() == file.read_text(encoding="utf-8").splitlines()
