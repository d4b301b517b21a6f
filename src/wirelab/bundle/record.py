"""What the values of a bundle's small files have in common."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A value read from or written to a file: frozen, and nothing unknown in it."""

    model_config = ConfigDict(frozen=True, extra="forbid")
