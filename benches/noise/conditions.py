"""The two conditions under which the method is tried: the machine as it is, and disturbed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from benches.noise.disturber import disturbed

Condition = Literal["quiet", "disturbed"]
CONDITIONS: tuple[Condition, ...] = ("quiet", "disturbed")


@contextmanager
def condition(name: Condition, seed: int) -> Iterator[None]:
    """Bring a condition about until the end of the block; "quiet" is the machine as it is."""
    if name == "quiet":
        yield
    else:
        with disturbed(seed):
            yield
