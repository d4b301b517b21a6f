"""Signals that ask a program to end, as the exception that Ctrl-C raises."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn


@contextmanager
def requests_interrupt() -> Iterator[None]:
    """Make SIGINT, SIGTERM and SIGHUP raise `KeyboardInterrupt` in the block.

    Signals that are ignored, such as SIGHUP after `nohup`, remain ignored.
    """
    previous = {number: signal.getsignal(number) for number in _HANDLERS}
    replaced = {it: handler for it, handler in previous.items() if handler is not signal.SIG_IGN}
    for number in replaced:
        signal.signal(number, _HANDLERS[number])
    try:
        yield
    finally:
        for number, handler in replaced.items():
            signal.signal(number, handler)


def _interrupt(number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt(f"interrupted by {signal.Signals(number).name}")


_HANDLERS = {
    signal.SIGINT: signal.default_int_handler,  # asyncio replaces only this handler by its own
    signal.SIGTERM: _interrupt,
    signal.SIGHUP: _interrupt,
}
