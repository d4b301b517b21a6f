"""A colour, a mark and a dash pattern for each contender, the same in all charts and tables.

The only contender of a protocol has the protocol's colour; further ones of the same protocol get
others. Marks and dashes distinguish contenders for readers who cannot distinguish colours.
"""

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from markupsafe import Markup

from wirelab.analysis import Analysis
from wirelab.analysis.synopsis import Synopsis
from wirelab.bundle import ContenderRecord
from wirelab.report.theme import OTHER_COLOUR, PROTOCOL_COLOURS, colour

FURTHER_COLOURS = (
    OTHER_COLOUR,
    ("#00718f", "#5cc3df"),
    ("#9c5332", "#dd9f7f"),
    ("#5c6f00", "#b3c552"),
    ("#b0303d", "#f28c8f"),
    ("#3a55c4", "#97a9f7"),
    ("#8a4a9e", "#d59be6"),
    ("#7a6a45", "#cbb98e"),
)

MARKS = (
    "M1,0A1,1,0,1,1,-1,0A1,1,0,1,1,1,0Z",  # disc
    "M-.87,-.87H.87V.87H-.87Z",  # square
    "M0,-1.05L1.05,.8H-1.05Z",  # triangle
    "M0,-1.2L1.05,0L0,1.2L-1.05,0Z",  # diamond
    "M-.38,-1H.38V-.38H1V.38H.38V1H-.38V.38H-1V-.38H-.38Z",  # plus
    "M0,1.05L1.05,-.8H-1.05Z",  # triangle, head down
    "M-1,-.95L0,-.3L1,-.95V.95L0,.3L-1,.95Z",  # bow tie
    "M1.05,0L.52,.92H-.52L-1.05,0L-.52,-.92H.52Z",  # hexagon
    "M0,.5L.5,1L1,.5L.5,0L1,-.5L.5,-1L0,-.5L-.5,-1L-1,-.5L-.5,0L-1,.5L-.5,1Z",  # cross
)
"""As SVG paths within a radius of about one."""

DASHES = ((1, 0), (7, 3), (2, 3), (9, 3, 2, 3), (12, 4), (5, 2, 1, 2, 1, 2))


@dataclass(frozen=True, slots=True)
class Style:
    """The style of a contender: a CSS variable for its colour, the path of its mark, its dash."""

    hue: str
    mark: str
    dash: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Palette:
    """The styles of all contenders, by id and by label; and the colours behind the variables."""

    styles: Mapping[str, Style]
    hues: Mapping[str, tuple[str, str]]

    @classmethod
    def from_analysis(cls, analysis: Analysis) -> "Palette":
        """Give every contender of an analysis its style."""
        baseline = analysis.study.baseline
        ordered = sorted(analysis.contenders.items(), key=lambda item: item[0] != baseline)
        return cls.of_contenders(dict(ordered), analysis.labels)

    @classmethod
    def of_several(cls, synopses: Iterable[Synopsis]) -> "Palette":
        """Give every contender of several bundles its style, those of the newest bundle first."""
        ordered = sorted(synopses, key=lambda each: each.info.created_utc, reverse=True)
        contenders: dict[str, ContenderRecord] = {}
        labels: dict[str, str] = {}
        for each in ordered:
            for name, record in each.contenders.items():
                contenders.setdefault(name, record)
                labels.setdefault(name, each.labels.get(name, name))
        first = ordered[0].baseline
        known = sorted(contenders.items(), key=lambda item: item[0] != first)
        return cls.of_contenders(dict(known), labels)

    @classmethod
    def of_contenders(
        cls, contenders: Mapping[str, ContenderRecord], labels: Mapping[str, str]
    ) -> "Palette":
        """Give styles in the order of the contenders."""
        styles, hues = {}, {}
        taken: set[str] = set()
        further = itertools.cycle(FURTHER_COLOURS)
        dashes = itertools.cycle(DASHES)
        for number, (name, record) in enumerate(contenders.items()):
            known = record.protocol in PROTOCOL_COLOURS and record.protocol not in taken
            taken.add(record.protocol)
            hues[f"c{number}"] = PROTOCOL_COLOURS[record.protocol] if known else next(further)
            mark = MARKS[number % len(MARKS)]
            styles[name] = Style(f"var(--c{number})", mark, next(dashes))
            styles[labels[name]] = styles[name]
        return cls(styles, hues)

    def __getitem__(self, name: str) -> Style:
        """Return the style of a contender, by id or label; anything else is named by protocol."""
        return self.styles.get(name) or Style(colour(name), MARKS[0], DASHES[0])

    def ordered(self, labels: Iterable[str]) -> list[str]:
        """Sort contenders in the order of all charts: the baseline, then the study's order."""
        ranks = {name: rank for rank, name in enumerate(self.styles)}
        return sorted(dict.fromkeys(labels), key=lambda label: ranks.get(label, len(ranks)))

    def dot(self, name: str) -> Markup:
        """Draw a contender's mark for a line of text, beside its name."""
        style = self[name]
        return Markup(
            '<svg class="dot" viewBox="-1.3 -1.3 2.6 2.6" aria-hidden="true"'
            ' style="--hue: {}"><path d="{}"/></svg>'
        ).format(style.hue, style.mark)

    def variables(self, scheme: int) -> str:
        """Return the colours as declarations of CSS, for light (0) or dark (1) pages."""
        named = {**PROTOCOL_COLOURS, "other": OTHER_COLOUR, **self.hues}
        return "\n".join(f"  --{name}: {pair[scheme]};" for name, pair in named.items())
