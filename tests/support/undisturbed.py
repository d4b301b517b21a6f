"""Claims about times, on a host that may stand still for a moment."""

from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")

ATTEMPTS = 6

_retries = 0
"""Since they were last taken."""


def undisturbed(ask: Callable[[], Answer], is_as_claimed: Callable[[Answer], bool]) -> Answer:
    """Ask again while the answer is not as claimed, and return the last one.

    A host that stands still for a moment spoils some of the answers, a fault of ours is in each.
    The summary of the tests counts how many retries there were.
    """
    global _retries  # noqa: PLW0603
    for _ in range(1, ATTEMPTS):
        answer = ask()
        if is_as_claimed(answer):
            return answer
        _retries += 1
    return ask()


def take_retries() -> int:
    """Return how many retries there were, and reset the count."""
    global _retries
    taken, _retries = _retries, 0
    return taken
