"""The answers that the engine has sampled, as its file says them."""

from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from wirelab.measure.errors import EngineError

ANSWERS = "answers.jsonl"

LONGEST_BODY = 256 << 10
"""Bytes of the longest body that the engine keeps."""


class SampledAnswer(BaseModel):
    """One answer to a request with `sample`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    target: int
    """Index into the job's targets."""
    transaction: int
    """Index into the target's transactions, as `request` is into its requests."""
    request: int
    number: int
    """Which answer of a worker's it was, from 1, of those that might have been sampled."""
    status: int
    """0 where the protocol has none."""
    length: int
    """Of the body, decoded."""
    body: str | None
    """In base64; None where it was too long to be kept."""

    @property
    def content(self) -> bytes | None:
        """The body, decoded."""
        return None if self.body is None else b64decode(self.body)


def read_answers(folder: Path) -> Iterator[SampledAnswer]:
    """Read what the engine has left in a folder, one by one; raises `EngineError`."""
    path = folder / ANSWERS
    if not path.exists():
        return
    try:
        with path.open("rb") as file:
            for line in file:
                yield SampledAnswer.model_validate_json(line)
    except (OSError, ValidationError) as error:
        raise EngineError(f"the engine's answers {path} cannot be read: {error}") from error
