"""Read the parts of a file one by one, so that one error does not hide others."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from wirelab.inputs.close_match import close_match
from wirelab.inputs.file_model import FileModel
from wirelab.inputs.problems import add_problem, add_problems
from wirelab.inputs.validation import from_pydantic

ModelT = TypeVar("ModelT", bound=FileModel)


@dataclass(frozen=True, slots=True)
class Reader:
    """The folder of a file, and the file's name in messages."""

    folder: Path
    where: str

    def problem(self, key: str, value: object, expected: str, hint: str = "") -> None:
        """Note a problem of the file."""
        add_problem(self.where, key, value, expected, hint)

    def piece(
        self,
        model: type[ModelT],
        raw: object,
        key: str,
        *,
        also: Collection[str] = (),
        hide: str = "",
    ) -> ModelT | None:
        """Read one table, or note its problems and return None.

        `also` are valid keys that the model does not have, for hints. `hide` is a prefix of the
        model's keys that the file does not have.
        """
        try:
            return model.model_validate(raw, context={"folder": self.folder})
        except ValidationError as error:
            words = {field.alias or name for name, field in model.model_fields.items()} | set(also)
            for problem in from_pydantic(self.where, error, model, raw, key):
                name = problem.key.removeprefix(hide)
                unknown = problem.expected == "no such key" and "." not in name
                hint = close_match(name, words) if unknown else problem.hint
                full = ".".join(part for part in (key, name) if part)
                add_problems([replace(problem, key=full, hint=hint)])
            return None

    def pieces(self, model: type[ModelT], raw: object, key: str) -> dict[str, ModelT]:
        """Read a table of tables; invalid ones are noted and left out."""
        read = {
            name: self.piece(model, table, f"{key}.{name}")
            for name, table in self.tables(raw, key).items()
        }
        return {name: piece for name, piece in read.items() if piece}

    def tables(self, raw: object, key: str) -> dict[str, dict[str, Any]]:
        """Return the tables of a table; anything else in it is noted and left out."""
        if not isinstance(raw, Mapping):
            self.problem(key, raw, "a table")
            return {}
        for name, table in raw.items():
            if not isinstance(table, Mapping):
                self.problem(f"{key}.{name}", table, "a table")
        return {name: dict(table) for name, table in raw.items() if isinstance(table, Mapping)}

    def lists(self, raw: object, key: str) -> list[list[Any]]:
        """Return a list of non-empty lists, or note its problem."""
        if isinstance(raw, list) and raw and all(isinstance(row, list) and row for row in raw):
            return raw
        self.problem(key, raw, "a list of rounds, each a list of requests")
        return []
