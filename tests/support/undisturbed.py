"""Claims about times, on a host that may stand still for a moment."""

from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")

ATTEMPTS = 6


def undisturbed(ask: Callable[[], Answer], is_as_claimed: Callable[[Answer], bool]) -> Answer:
    """Ask again while the answer is not as claimed, and return the last one.

    A host that stands still for a moment spoils some of the answers, a fault of ours is in each.
    """
    for _ in range(1, ATTEMPTS):
        answer = ask()
        if is_as_claimed(answer):
            return answer
    return ask()
