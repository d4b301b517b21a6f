"""What a container leaves behind."""

import time
from collections.abc import Callable

Left = Callable[[], list[str]]
PATIENCE_S = 30.0


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.02)
