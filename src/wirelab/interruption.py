"""Signals that ask a program to end, as the exception that Ctrl-C raises."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

REQUESTS = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def requests_interrupt() -> Iterator[None]:
    """Make SIGTERM and SIGHUP raise `KeyboardInterrupt` in the block, as Ctrl-C does."""
    previous = {number: signal.signal(number, _interrupt) for number in REQUESTS}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _interrupt(number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt(signal.Signals(number).name)
