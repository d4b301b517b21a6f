"""The base of the tables of all TOML files: strict types, and no unknown keys."""

from typing import Any

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic_core import CoreSchema

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


class FileModel(BaseModel):
    """A table of a TOML file: unknown keys are errors, and values never change.

    Strings, numbers and booleans are not converted into one another; an integer is a valid float.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True, defer_build=True)

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: GetCoreSchemaHandler, /
    ) -> CoreSchema:
        """Return pydantic's schema with strict numbers and booleans."""
        schema = handler(source)
        _make_strict(schema)
        return schema
