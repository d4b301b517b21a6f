"""The events of a study as lines: what goes through the pipe to the live page."""

from dataclasses import dataclass

from pydantic import TypeAdapter

from wirelab.experiment.events import Event


@dataclass(frozen=True, slots=True)
class EventMessage:
    """An event, and its Unix time."""

    at: float
    event: Event


_MESSAGES = TypeAdapter(EventMessage)


def to_line(event: Event, at: float) -> bytes:
    """Return a line of JSON for an event."""
    return _MESSAGES.dump_json(EventMessage(at, event)) + b"\n"


def from_line(line: bytes) -> EventMessage:
    """Read a line. Raises `ValidationError` if it is not an event."""
    return _MESSAGES.validate_json(line)
