"""What the engine says, line by line, and what is said to it."""

import json
import threading
from collections.abc import Mapping
from contextlib import suppress
from enum import Enum, auto
from queue import Empty, Queue
from typing import IO, Any

from wirelab.measure.errors import EngineError

Event = Mapping[str, Any]

WATCH_S = 0.1
"""How often is asked whether the job still makes sense."""


class Silent(Enum):
    """Why there is no event."""

    SO_FAR = auto()
    FOR_EVER = auto()


class Conversation:
    """Commands in, events out, over the pipes of a process."""

    def __init__(self, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self._stdin, self._stdout = stdin, stdout
        self._lines: Queue[bytes] = Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def say(self, line: str) -> None:
        """Say one line. If the other side has ended, that shows when it is listened to again."""
        with suppress(BrokenPipeError):
            self._stdin.write(line.encode() + b"\n")
            self._stdin.flush()

    def next_event(self, timeout_s: float) -> Event | Silent:
        """Wait for an event at most so long. Raises `EngineError` on anything else."""
        try:
            line = self._lines.get(timeout=timeout_s)
        except Empty:
            return Silent.SO_FAR
        return _parse(line) if line else Silent.FOR_EVER

    def close(self) -> None:
        """Let go of the pipes; what was still to be said has no reader any more."""
        for pipe in (self._stdin, self._stdout):
            with suppress(OSError):
                pipe.close()

    def _read(self) -> None:
        with suppress(ValueError, OSError):  # closed by us, because the job is over
            for line in self._stdout:
                self._lines.put(line)
        self._lines.put(b"")


def _parse(line: bytes) -> Event:
    try:
        event = json.loads(line)
    except ValueError:
        event = None
    if not isinstance(event, dict) or "event" not in event:
        raise EngineError(f"the engine said something that is not an event: {line!r}")
    return event
