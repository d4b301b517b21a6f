"""Exchange of lines with the engine: commands to it, events from it."""

import json
import threading
from collections.abc import Mapping
from contextlib import suppress
from enum import Enum, auto
from queue import Empty, Queue
from typing import IO, Any

from wirelab.engine.errors import EngineError

Event = Mapping[str, Any]

WATCH_S = 0.1
"""Interval at which to check whether the job should continue."""


class NoEvent(Enum):
    """Why there is no event: none has arrived yet, or the engine has closed its output."""

    NOT_YET = auto()
    CLOSED = auto()


class Conversation:
    """Sends commands to a process and receives events from it, over pipes."""

    def __init__(self, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self._stdin, self._stdout = stdin, stdout
        self._lines: Queue[bytes] = Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, command: Mapping[str, Any]) -> None:
        """Send one command. If the process has ended, the next `next_event` reports it."""
        line = json.dumps(command).encode() + b"\n"
        with suppress(BrokenPipeError):
            self._stdin.write(line)
            self._stdin.flush()

    def next_event(self, timeout_s: float) -> Event | NoEvent:
        """Wait up to `timeout_s` for an event. Raises `EngineError` on anything else."""
        try:
            line = self._lines.get(timeout=timeout_s)
        except Empty:
            return NoEvent.NOT_YET
        return _parse(line) if line else NoEvent.CLOSED

    def close(self) -> None:
        """Close the pipes; unsent lines are discarded, since nothing reads them any more."""
        for pipe in (self._stdin, self._stdout):
            with suppress(OSError):
                pipe.close()

    def _read(self) -> None:
        with suppress(ValueError, OSError):  # `close` closed the pipe: the job is over
            for line in self._stdout:
                self._lines.put(line)
        self._lines.put(b"")


def _parse(line: bytes) -> Event:
    try:
        event = json.loads(line)
    except ValueError:
        event = None
    if not isinstance(event, dict) or "event" not in event:
        raise EngineError(f"the engine sent a line that is not an event: {line!r}")
    return event
