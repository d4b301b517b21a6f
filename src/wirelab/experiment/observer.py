"""Observers of a running study, such as the terminal or a test."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from wirelab.bundle import BlockRecord
from wirelab.engine.events import SliceRow
from wirelab.measure.meter import RoleKey
from wirelab.planning.schedule import Block, Run


class Observer:
    """Receives events as they happen. This class ignores them; override what you need."""

    def bundle_opened(
        self,
        path: Path,
        *,
        expected_s: float,
        at_least: bool = False,
        titles: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Report the path of the bundle, and the expected duration of the measurement.

        If `at_least`, that is a lower bound, since measuring will show how long it takes.
        `titles`: those of workloads whose ids the user has not written.
        """

    def phase(self, text: str, steps: int) -> None:
        """Report that a stage with a number of steps begins."""

    def step(self, text: str) -> None:
        """Report that the stage continues with the step `text`, or that its last step is done."""

    def block_started(self, block: Block, attempt: int) -> None:
        """Report that a block begins."""

    def expecting(self, seconds: float, *, once_s: float) -> None:
        """Report how long the current block will still take, as soon as that is known.

        `once_s` of its time so far is for what no later block has.
        """

    def doing(self, text: str, *, is_long: bool = False) -> None:
        """Report what begins within a block. Called when no request is in flight.

        `is_long`: it may last much longer than anything else, and reports nothing meanwhile.
        """

    def turns_finished(self, turns: Sequence[tuple[Run, SliceRow]]) -> None:
        """Report slices: rehearsed, recorded, or trials. Called when no request is in flight."""

    def memory(self, use: Mapping[RoleKey, int]) -> None:
        """Report the memory of contenders in bytes, by registration and role."""

    def block_finished(self, record: BlockRecord) -> None:
        """Report that a block has ended and is in the bundle."""

    def note(self, text: str) -> None:
        """Report something that the user should know."""


class Observers(Observer):
    """Several observers as one; each is notified of everything, in order."""

    def __init__(self, *observers: Observer) -> None:
        self._observers = observers

    def bundle_opened(
        self,
        path: Path,
        *,
        expected_s: float,
        at_least: bool = False,
        titles: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Forward to all observers."""
        for each in self._observers:
            each.bundle_opened(path, expected_s=expected_s, at_least=at_least, titles=titles)

    def phase(self, text: str, steps: int) -> None:
        """Forward to all observers."""
        for each in self._observers:
            each.phase(text, steps)

    def step(self, text: str) -> None:
        """Forward to all observers."""
        for each in self._observers:
            each.step(text)

    def block_started(self, block: Block, attempt: int) -> None:
        """Forward to all observers."""
        for each in self._observers:
            each.block_started(block, attempt)

    def expecting(self, seconds: float, *, once_s: float) -> None:
        """Forward to all observers."""
        for each in self._observers:
            each.expecting(seconds, once_s=once_s)

    def doing(self, text: str, *, is_long: bool = False) -> None:
        """Forward to all observers."""
        for each in self._observers:
            each.doing(text, is_long=is_long)

    def turns_finished(self, turns: Sequence[tuple[Run, SliceRow]]) -> None:
        """Forward to all observers."""
        for each in self._observers:
            each.turns_finished(turns)

    def memory(self, use: Mapping[RoleKey, int]) -> None:
        """Forward to all observers."""
        for each in self._observers:
            each.memory(use)

    def block_finished(self, record: BlockRecord) -> None:
        """Forward to all observers."""
        for each in self._observers:
            each.block_finished(record)

    def note(self, text: str) -> None:
        """Forward to all observers."""
        for each in self._observers:
            each.note(text)
