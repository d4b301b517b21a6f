"""The texts of prompts, as README.md defines them."""

from collections.abc import Iterator
from typing import Any

from wirelab.domain import Refused

LETTERS = 'abcdefghijklmnopqrstuvwxyz      ,."\né…'
MOST = 100_000


class Reference:
    """What every contender must answer."""

    def __init__(self, tables: dict[str, list[dict[str, Any]]]) -> None:
        """Need no rows: a prompt's seed is its text."""

    def call(self, operation: str, parameters: dict[str, Any]) -> object:
        """Perform one operation, or raise `Refused`."""
        if operation == "ping":
            return "ok"
        seed, count, rate = (parameters[name] for name in ("seed", "count", "rate"))
        if not 1 <= count <= MOST or not 0 <= rate <= MOST:
            raise Refused("invalid")
        return [{"text": text_of(seed, index)} for index in range(count)]


def text_of(seed: int, index: int) -> str:
    """Return the text of an item, of 20 to 60 bytes."""
    numbers = xorshift32(seed * 2654435761 + (index + 1) * 2246822519)
    length = 20 + next(numbers) % 39
    text = ""
    while len(text.encode()) < length:
        text += LETTERS[next(numbers) % len(LETTERS)]
    return text


def xorshift32(state: int) -> Iterator[int]:
    """Yield pseudo-random numbers (Marsaglia, Xorshift RNGs, 2003), from any state."""
    state = state % 2**32 or 1
    while True:
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        yield state
