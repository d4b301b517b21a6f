"""The study's side of the live page: starts it, sends it events, and never waits for it."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Self

from wirelab.experiment.events import ActivityStarted, Event, Observer, TurnsFinished
from wirelab.live.messages import to_line
from wirelab.web import address_of, bind_loopback

PROGRAM: tuple[str, ...] = ("-P", "-m", "wirelab.live")
"""What Python executes to serve the page."""
MOST_WAITING = 4_000_000
"""Maximum number of bytes that wait for a page to read; beyond it, frequent events are dropped."""


class LivePage(Observer):
    """Sends the study's events to a page on loopback.

    `print_note` prints on the terminal. `program` is executed instead of `PROGRAM`. Raises
    `LoopbackError` if the port is not available; after that, a failure of the page is reported
    once, and does not affect the study.
    """

    def __init__(
        self,
        port: int,
        print_note: Callable[[str], None],
        *,
        program: Sequence[str] | None = None,
    ) -> None:
        self._print_note = print_note
        self._waiting = bytearray()
        listening = bind_loopback(port, "--live-port")
        self.address = address_of(listening)
        command = [sys.executable, *(program or PROGRAM), str(listening.fileno())]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[listening.fileno()],
                start_new_session=True,  # Ctrl-C is for the study; the page remains.
            )
        finally:
            listening.close()
        assert self._process.stdin is not None
        self._pipe = self._process.stdin.fileno()
        os.set_blocking(self._pipe, False)
        self._is_running = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def stay(self) -> None:
        """Wait until Ctrl-C, or until the page ends by itself."""
        with suppress(KeyboardInterrupt):
            while self._process.poll() is None:
                self._flush()
                time.sleep(0.2)

    def close(self) -> None:
        """End the page by closing its pipe."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def on(self, event: Event) -> None:
        """Send an event; without a page, or if too much waits for it, it is dropped."""
        if not self._is_running:
            return
        # A defect here must not end a study that takes hours, so any fault ends only the page.
        try:
            is_frequent = isinstance(event, ActivityStarted | TurnsFinished)
            if len(self._waiting) < MOST_WAITING or not is_frequent:
                self._waiting += to_line(event, time.time())
            self._flush()
        except Exception as fault:
            self._is_running = False
            self._print_note(f"the live page has ended ({fault}); the study continues")

    def _flush(self) -> None:
        """Write as much as the pipe accepts now."""
        with suppress(BlockingIOError):
            while self._waiting:
                written = os.write(self._pipe, self._waiting)
                del self._waiting[:written]
