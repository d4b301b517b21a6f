"""What holds for every test."""

import signal
from pathlib import Path

import pytest

# A shell starts what it puts in the background with SIGINT ignored, and programs inherit that. The
# tests end laboratories by Ctrl-C, wherever the tests themselves run.
signal.signal(signal.SIGINT, signal.default_int_handler)

LONGEST_FIRST = ("compare", "experiment", "container", "report", "shop", "university", "library")
"""So that no worker begins with minutes of tests when the others have ended."""

TOGETHER = {"container": "experiment"}
"""Both count what is left on the container engine, so they are not carried out side by side."""


@pytest.hookimpl(tryfirst=True)  # before xdist looks for the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep each folder's tests on one worker: they share the servers that they have started."""
    items.sort(key=_place)
    for item in items:
        folder = _folder(item)
        item.add_marker(pytest.mark.xdist_group(TOGETHER.get(folder, folder)))


def _folder(item: pytest.Item) -> str:
    return item.path.relative_to(Path(__file__).parent).parts[0]


def _place(item: pytest.Item) -> int:
    folder = _folder(item)
    return LONGEST_FIRST.index(folder) if folder in LONGEST_FIRST else len(LONGEST_FIRST)
