"""What a study's own code adds to its report: the protocol that it implements, and its values.

A study names its extension in study.toml. The package of that name in the study's folder has an
object `EXTENSION` that implements `Extension`, and beside it the templates of its sections.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from wirelab.analysis.cautions.caution import Caution
from wirelab.analysis.comparing import Comparer
from wirelab.analysis.values import RunValues
from wirelab.bundle import ContenderRecord, Contents
from wirelab.study import Cell, Study, Where


@dataclass(frozen=True, slots=True)
class Measurements:
    """What an extension computes from: a bundle, and what the analysis has found in it so far."""

    bundle: Contents
    study: Study
    cells: Sequence[Cell]
    """The cells of the schedule, in the order of the study."""
    values: RunValues
    comparer: Comparer
    contenders: Mapping[str, ContenderRecord]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report, shown by the extension's templates `NAME.html` and `NAME.md`.

    The templates get the content as `content`; report.json contains it under the section's name.
    The page shows sections behind the paper's tables. So does Markdown, but it shows a summary
    before the paper's figures.
    """

    name: str
    content: Any
    is_summary: bool = False


@dataclass(frozen=True, slots=True)
class Caption:
    """A sentence without full stop, shown with a metric over the number of clients.

    It belongs to the workloads and places that have cells in `where`.
    """

    metric: str
    where: Where
    text: str


@dataclass(frozen=True, slots=True)
class ReportFile:
    """A text file that is written beside the report. `text` is called only then."""

    name: str
    text: Callable[[], str]


@dataclass(frozen=True, slots=True)
class Additions:
    """All that an extension adds to a report."""

    sections: tuple[Section, ...] = ()
    captions: tuple[Caption, ...] = ()
    files: tuple[ReportFile, ...] = ()


class Extension(Protocol):
    """The code of a study's extension."""

    def check(self, study: Study) -> None:
        """Check the extension's own file, before anything is measured.

        Raises `ProblemsError` with every mistake.
        """

    def additions(self, measurements: Measurements) -> Additions:
        """Compute what is added to the report."""


@dataclass(frozen=True, slots=True)
class Extended:
    """What a report gets from the extension of its study.

    `templates` is the folder of its templates; `cautions` say why something is missing.
    """

    additions: Additions = Additions()
    templates: Path | None = None
    cautions: tuple[Caution, ...] = ()

    @property
    def sections(self) -> tuple[Section, ...]:
        """The sections that are added."""
        return self.additions.sections
