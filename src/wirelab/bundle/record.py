"""The base class of the values in a bundle's small files."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A value read from or written to a file: frozen, without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")
