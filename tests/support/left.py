"""What a container leaves behind."""

import time
from collections.abc import Callable
from typing import TypeVar

FoundT = TypeVar("FoundT")
Left = Callable[[], list[str]]
PATIENCE_S = 30.0


def until(look: Callable[[], FoundT | None], patience_s: float = PATIENCE_S) -> FoundT:
    """Return the first true value that a look finds."""
    deadline = time.monotonic() + patience_s
    while not (found := look()):
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.02)
    return found
