"""What holds for every test."""

import signal
from pathlib import Path

import pytest

# A shell starts what it puts in the background with SIGINT ignored, and programs inherit that. The
# tests end laboratories by Ctrl-C, wherever the tests themselves run.
signal.signal(signal.SIGINT, signal.default_int_handler)

LONGEST_FIRST = ("compare", "experiment", "report", "shop", "university", "library")
"""So that no worker begins with minutes of tests when the others have ended."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the folders that take longest."""
    items.sort(key=_place)


def _place(item: pytest.Item) -> int:
    folder = item.path.relative_to(Path(__file__).parent).parts[0]
    return LONGEST_FIRST.index(folder) if folder in LONGEST_FIRST else len(LONGEST_FIRST)
