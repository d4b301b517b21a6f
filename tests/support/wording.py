"""Words are looked at in plain files: one a package of tests, renewed by a variable."""

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

RENEW = "RENEW_WORDING"
"""The environment variable that makes the tests write the files."""
TESTS = Path(__file__).parents[1]
HEADING = "# "
DIFFERENT_EACH_TIME = {
    r"[\w/.-]*/pytest-of-\w+/pytest-\d+(/popen-gw\d+)?/[\w-]+": "FOLDER",
    re.escape(sys.prefix): "PYTHON",
    re.escape(str(TESTS.parent)): "CHECKOUT",
    r"\b[1-6]\d{4}\b": "PORT",
    r"-[0-9a-f]{16}\b": "-HASH",
    r"\b\d{15,}\b": "NUMBER",
    r"\.(making|writing)-\w+": r".\1-NAME",
    r"(\n  \| .*)+": "\n  | LOG",
    r" \[type=.*\](\n +For further information visit .*)?": "",  # what pydantic adds
    "\u00a0": " ",
}

ErrorT = TypeVar("ErrorT", bound=BaseException)

_compared: Counter[str] = Counter()
"""How many texts each test has compared."""


def assert_worded(text: object) -> None:
    """Compare a text with the next section of this test in its package's `wording.txt`."""
    test = os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0]
    _compared[test] += 1
    package, _, name = test.removeprefix(f"{TESTS.name}/").partition("/")
    name += f" ({_compared[test]})" if _compared[test] > 1 else ""
    written = str(text)
    for pattern, replacement in DIFFERENT_EACH_TIME.items():
        written = re.sub(pattern, replacement, written)
    file = TESTS / package / "wording.txt"
    sections = _sections_of(file)
    if os.environ.get(RENEW):
        sections[name] = written.strip("\n")
        texts = (f"{HEADING}{each}\n{sections[each]}\n" for each in sorted(sections))
        file.write_text("\n".join(texts), encoding="utf-8")
    assert written.strip("\n").splitlines() == sections.get(name, "").splitlines(), name


@contextmanager
def raises_worded(
    kind: type[ErrorT] | tuple[type[ErrorT], ...],
) -> Iterator[pytest.ExceptionInfo[ErrorT]]:
    """Expect an error from the block, and compare its text as `assert_worded` does."""
    with pytest.raises(kind) as refused:
        yield refused
    assert_worded(refused.value)


def assert_as_written(file: Path, texts: Iterable[str]) -> None:
    """Compare texts with those in a file, one a paragraph."""
    written = "\n\n".join(text.replace("\u00a0", " ") for text in texts) + "\n"
    if os.environ.get(RENEW):
        file.write_text(written, encoding="utf-8")
    assert written.splitlines() == file.read_text(encoding="utf-8").splitlines()


def _sections_of(file: Path) -> dict[str, str]:
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    parts = re.split(rf"^{HEADING}(.+)\n", text, flags=re.MULTILINE)[1:]
    return {name: body.strip("\n") for name, body in zip(parts[::2], parts[1::2], strict=True)}
