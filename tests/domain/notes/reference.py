"""The notes in memory."""

from itertools import count
from typing import Any

from wirelab.domain import Refused

Note = dict[str, Any]


class Reference:
    """What every contender must answer."""

    def __init__(self, tables: dict[str, list[Note]]) -> None:
        self.notes = {note["id"]: note for note in tables["note"]}
        self.made = count(1)

    def call(self, operation: str, parameters: dict[str, Any]) -> object:
        answer: object = getattr(self, operation)(**parameters)
        return answer

    def ping(self) -> str:
        return "ok"

    def read(self, id: str) -> Note:  # noqa: A002
        if id not in self.notes:
            raise Refused("not_found")
        return self.notes[id]

    def list(self, limit: int) -> list[Note]:
        if limit < 1:
            raise Refused("invalid")
        return [self.notes[key] for key in sorted(self.notes)][:limit]

    def create(self, note: Note) -> Note:
        if not note["title"]:
            raise Refused("invalid")
        made = {**note, "id": self.new_id()}
        self.notes[made["id"]] = made
        return made

    def new_id(self) -> str:
        return f"made by the reference {next(self.made)}"

    def update(self, id: str, note: Note) -> Note:  # noqa: A002
        self.read(id)
        self.notes[id] = {**note, "id": id}
        return self.notes[id]

    def delete(self, id: str) -> str:  # noqa: A002
        self.read(id)
        del self.notes[id]
        return id

    def follow(self, id: str) -> Note:  # noqa: A002
        note = self.read(id)
        return {**note, "linked": [self.read(link) for link in note["links"]]}
