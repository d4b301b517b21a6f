"""The answers that the engine sampled, as stored in its file."""

from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from wirelab.engine.errors import EngineError

ANSWERS = "answers.jsonl"

LONGEST_BODY = 256 << 10
"""The longest body that the engine keeps, in bytes."""


class SampledAnswer(BaseModel):
    """One answer to a request with `sample`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    target: int
    """Index into the job's targets."""
    transaction: int
    """Index into the target's transactions; `request` is an index into its requests."""
    request: int
    number: int
    """The answer's number, from 1, among the worker's answers that could have been sampled."""
    status: int
    """0 if the protocol has no status."""
    length: int
    """Length of the decoded body."""
    body: str | None
    """In base64; None if it was too long to keep."""

    @property
    def content(self) -> bytes | None:
        """The decoded body."""
        return None if self.body is None else b64decode(self.body)


def read_answers(folder: Path) -> Iterator[SampledAnswer]:
    """Read the sampled answers in a folder, one by one; raises `EngineError`."""
    path = folder / ANSWERS
    if not path.exists():
        return
    try:
        with path.open("rb") as file:
            for line in file:
                yield SampledAnswer.model_validate_json(line)
    except (OSError, ValidationError) as error:
        raise EngineError(f"cannot read the engine's answers {path.name}: {error}") from error
