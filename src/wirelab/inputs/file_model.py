"""The base of the tables of all TOML files: strict types, and no unknown keys."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, model_validator
from pydantic_core import CoreSchema, PydanticCustomError

from wirelab.terminal.words import listed

MISFITS = "misfits"
"""The type of pydantic's error about keys that do not fit each other."""

STRICT = {"int", "float", "bool"}
NO_TYPES = {"metadata", "serialization", "cls"}
"""Parts of a schema that say nothing about the types of values."""


def _make_strict(schema: Any) -> None:
    if isinstance(schema, list | tuple):
        for part in schema:
            _make_strict(part)
    elif isinstance(schema, dict):
        if schema.get("type") in STRICT:
            schema["strict"] = True
        for key, part in schema.items():
            if key not in NO_TYPES:
                _make_strict(part)


@dataclass(frozen=True, slots=True)
class Misfit:
    """Why keys of a table do not fit each other although each of them is valid.

    `key` is the one to change, "" if it may be any of several. `value` and `expected` are as those
    of a `Problem`: None is a missing value, and without `expected`, `value` is the whole sentence.
    """

    key: str
    value: object
    expected: str
    hint: str = ""

    @classmethod
    def excluding(cls, keys: list[str], why: str = "", hint: str = "", within: str = "") -> Self:
        """Return that these keys exclude each other; `within` is the table that has them."""
        sentence = f"{listed(keys)} exclude each other{why and f': {why}'}"
        return cls(within, sentence, "", hint or f"remove {listed(keys, 'or')}")

    def __str__(self) -> str:
        """Render without the table and the file."""
        return f"{self.key}: {self.expected or self.value}; {self.hint}".strip(": ;")


class FileModel(BaseModel):
    """A table of a TOML file: unknown keys are errors, and values never change.

    Strings, numbers and booleans are not converted into one another; an integer is a valid float.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True, defer_build=True)

    def misfits(self) -> Iterator[Misfit]:
        """Yield which keys do not fit each other; each key itself is valid."""
        yield from ()

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if misfits := tuple(self.misfits()):
            text = ", ".join(map(str, misfits))
            raise PydanticCustomError(MISFITS, "{text}", {"text": text, MISFITS: misfits})
        return self

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: GetCoreSchemaHandler, /
    ) -> CoreSchema:
        """Return pydantic's schema with strict numbers and booleans."""
        schema = handler(source)
        _make_strict(schema)
        return schema
