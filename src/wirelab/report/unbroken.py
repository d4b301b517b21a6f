"""Text for a terminal in which no number breaks: rich ends lines at any space."""

from typing import Any, Self

from rich.console import Console, ConsoleOptions
from rich.containers import Lines
from rich.measure import Measurement
from rich.text import Text as BreakableText

from wirelab.terminal.words import NO_BREAK, NO_BREAK_NARROW

_SOLID = {ord(NO_BREAK): "\ue000", ord(NO_BREAK_NARROW): "\ue001"}
"""What stands for spaces that do not end a line, while lines are divided: no spaces."""
_SPACED = {ord(solid): chr(space) for space, solid in _SOLID.items()}


class Text(BreakableText):
    """A text whose lines do not end within a number, or between a number and its unit."""

    @classmethod
    def assemble(cls, *parts: Any, **options: Any) -> Self:
        """Join strings, texts, and pairs of a string and its style."""
        text = cls(**options)
        for part in parts:
            text.append(*part) if isinstance(part, tuple) else text.append(part)
        return text

    def wrap(self, console: Console, width: int, **options: Any) -> Lines:
        """Divide the text into lines of this width in characters."""
        lines = self._solid().wrap(console, width, **options)
        for line in lines:
            line.plain = line.plain.translate(_SPACED)
        return lines

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return self._solid().__rich_measure__(console, options)

    def _solid(self) -> BreakableText:
        solid = self.copy()
        solid.plain = self.plain.translate(_SOLID)
        return solid
