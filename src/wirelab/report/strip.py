"""Ratios and their intervals as a small chart beside a table's row: one line for each bundle."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from wirelab.analysis.synopsis import Versus
from wirelab.report.theme import VERDICT_STYLE

WIDTH, LINE, PAD = 150, 11, 5
"""Sizes in pixels: of the chart, of one bundle's line, and of the space above and below."""


@dataclass(frozen=True, slots=True)
class StripScale:
    """One logarithmic axis for all strips of a page, so that they can be compared."""

    low: float
    high: float
    margin_ratio: float

    @classmethod
    def from_pairs(cls, found: Iterable[Versus], margin_ratio: float) -> "StripScale":
        """Create a scale for all intervals and the margin."""
        ends = [1.0 + margin_ratio, 1.0 / (1.0 + margin_ratio)]
        ends += [end for versus in found for end in _ends(versus)]
        return cls(min(ends) / 1.03, max(ends) * 1.03, margin_ratio)

    def position(self, ratio: float) -> float:
        """Return the horizontal position of a ratio, in pixels."""
        share = math.log(ratio / self.low) / math.log(self.high / self.low)
        return round(PAD + share * (WIDTH - 2 * PAD), 1)

    def draw(self, steps: Sequence[Versus | None]) -> Markup:
        """Draw the results of bundles for one comparison, the oldest on top, as in the table's row.

        The shaded part is the margin, the line in it equality.
        """
        height = LINE * len(steps) + 2 * PAD
        beyond = 1.0 + self.margin_ratio
        left, right = self.position(1.0 / beyond), self.position(beyond)
        marks = Markup("").join(
            _mark(self, versus, PAD + LINE * (number + 0.5))
            for number, versus in enumerate(steps)
            if versus is not None and _ends(versus)
        )
        return Markup(
            '<svg class="strip" width="{w}" height="{h}" viewBox="0 0 {w} {h}" aria-hidden="true">'
            '<rect class="margin" x="{x}" y="0" width="{across}" height="{h}"/>'
            '<path class="equality" d="M{one},0V{h}"/>{marks}</svg>'
        ).format(
            w=WIDTH,
            h=height,
            x=left,
            across=round(right - left, 1),
            one=self.position(1.0),
            marks=marks,
        )


def _mark(scale: StripScale, versus: Versus, y: float) -> Markup:
    style = VERDICT_STYLE[versus.said.outcome] if versus.said.outcome else "soft"
    line = Markup("")
    if versus.interval95:
        ends = [scale.position(end) for end in versus.interval95]
        line = Markup('<path d="M{},{}H{}"/>').format(ends[0], y, ends[1])
    dot = Markup('<circle cx="{}" cy="{}" r="3"/>').format(scale.position(versus.ratio), y)
    return Markup('<g class="{}">{}{}</g>').format(style, line, dot)


def _ends(versus: Versus) -> list[float]:
    """Return the ends of a mark; empty if a number cannot be drawn."""
    numbers = [versus.ratio, *(versus.interval95 or ())]
    return numbers if all(map(_can_be_drawn, numbers)) else []


def _can_be_drawn(ratio: float) -> bool:
    return math.isfinite(ratio) and ratio > 0


def strips(rows: Sequence[Sequence[Versus | None]], margin_ratio: float) -> Iterator[Markup]:
    """Draw a strip for each row, all on one axis."""
    known = [versus for row in rows for versus in row if versus is not None]
    scale = StripScale.from_pairs(known, margin_ratio)
    yield from (scale.draw(row) for row in rows)
