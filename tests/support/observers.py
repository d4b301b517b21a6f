"""Observers that keep what they get."""

from dataclasses import dataclass, field
from typing import TypeVar

from wirelab.experiment.events import Event, Note, Observer


@dataclass
class KeptNotes(Observer):
    """Keeps the notes for the user."""

    texts: list[str] = field(default_factory=list)

    def on(self, event: Event) -> None:
        if isinstance(event, Note):
            self.texts.append(event.text)


Kind = TypeVar("Kind")


@dataclass
class KeptEvents(Observer):
    """Keeps all events."""

    events: list[object] = field(default_factory=list)

    def on(self, event: Event) -> None:
        self.events.append(event)

    def of(self, kind: type[Kind]) -> list[Kind]:
        """Return the events of a kind."""
        return [event for event in self.events if isinstance(event, kind)]
