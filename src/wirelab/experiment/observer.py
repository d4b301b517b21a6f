"""Who watches a study being carried out: the terminal, a test, or nobody."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from wirelab.bundle import BlockRecord
from wirelab.experiment.slice_table import Turn
from wirelab.measure.meter import RoleKey
from wirelab.schedule import Block


class Observer:
    """Told what happens as it happens. This one does nothing; override what is of interest."""

    def bundle_opened(self, path: Path, *, expected_s: float) -> None:
        """Say where what is measured is kept, and how long measuring is expected to take."""

    def phase(self, text: str, steps: int) -> None:
        """Say that a stage begins that takes so many steps."""

    def step(self, text: str) -> None:
        """Say that one step of the stage is done, or goes on to `text`."""

    def block_started(self, block: Block, attempt: int) -> None:
        """Say that a block begins."""

    def doing(self, text: str) -> None:
        """Say what is done within a block, where that takes long."""

    def turned(self, turns: Sequence[Turn]) -> None:
        """Say what slices recorded. Called between permutations, when nothing is under way."""

    def memory(self, use: Mapping[RoleKey, int]) -> None:
        """Say what contenders have, in bytes, by registration and role."""

    def block_finished(self, record: BlockRecord) -> None:
        """Say that a block has ended and is in the bundle."""

    def note(self, text: str) -> None:
        """Pass on something a person should know."""


class Observers(Observer):
    """Several observers as one; each is told everything, in their order."""

    def __init__(self, *observers: Observer) -> None:
        self._observers = observers

    def bundle_opened(self, path: Path, *, expected_s: float) -> None:
        """Tell all of them."""
        for each in self._observers:
            each.bundle_opened(path, expected_s=expected_s)

    def phase(self, text: str, steps: int) -> None:
        """Tell all of them."""
        for each in self._observers:
            each.phase(text, steps)

    def step(self, text: str) -> None:
        """Tell all of them."""
        for each in self._observers:
            each.step(text)

    def block_started(self, block: Block, attempt: int) -> None:
        """Tell all of them."""
        for each in self._observers:
            each.block_started(block, attempt)

    def doing(self, text: str) -> None:
        """Tell all of them."""
        for each in self._observers:
            each.doing(text)

    def turned(self, turns: Sequence[Turn]) -> None:
        """Tell all of them."""
        for each in self._observers:
            each.turned(turns)

    def memory(self, use: Mapping[RoleKey, int]) -> None:
        """Tell all of them."""
        for each in self._observers:
            each.memory(use)

    def block_finished(self, record: BlockRecord) -> None:
        """Tell all of them."""
        for each in self._observers:
            each.block_finished(record)

    def note(self, text: str) -> None:
        """Tell all of them."""
        for each in self._observers:
            each.note(text)
