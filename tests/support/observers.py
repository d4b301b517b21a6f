"""Observers that keep what they get."""

from dataclasses import dataclass, field

from wirelab.experiment.events import Event, Note, Observer


@dataclass
class KeptNotes(Observer):
    """Keeps the notes for the user."""

    texts: list[str] = field(default_factory=list)

    def on(self, event: Event) -> None:
        if isinstance(event, Note):
            self.texts.append(event.text)
