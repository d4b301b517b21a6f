"""The one page of a replication: HTML, Markdown and JSON, all from the same findings."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader
from markupsafe import Markup
from pydantic_core import to_json

from wirelab.bundle.files import write_atomically
from wirelab.claims import ClaimVerdict
from wirelab.replication.agreement import RunAgreement
from wirelab.replication.findings import OPEN, StudyFindings
from wirelab.report.environment import compiled_templates, environment
from wirelab.report.markdown import cell_text, one_line
from wirelab.report.page import page_style
from wirelab.report.palette import Palette
from wirelab.statistics import SIGNIFICANCE
from wirelab.terminal import words

NAME = "replication"
"""The name of the page's files, without their endings."""


_OTHER = {ClaimVerdict.DIRECTION_ONLY, ClaimVerdict.SAME_WITHIN_MARGIN}
KINDS: Mapping[str, Collection[ClaimVerdict]] = {
    "reproduced": {ClaimVerdict.REPRODUCED},
    "in part": _OTHER,
    "undecided": {*OPEN},
    "contradicted": {ClaimVerdict.CONTRADICTED},
}
"""The verdicts that an overview counts together."""
STYLES = {"reproduced": "good", "in part": "even", "contradicted": "bad", "undecided": ""}


def kinds_of(found: StudyFindings) -> dict[str, int]:
    """Return how many claims of a study have a verdict of each kind."""
    return {
        kind: sum(found.tally[verdict] for verdict in verdicts) for kind, verdicts in KINDS.items()
    }


@dataclass(frozen=True)
class Replication:
    """Everything that the page says.

    `failed` has the parts that could not be measured, with the reason and the remedy; `waiting`
    those that have not begun; `again` is the command that continues.
    """

    studies: Sequence[StudyFindings]
    failed: dict[str, str]
    waiting: Sequence[str]
    again: str
    agreement: RunAgreement | None = None

    @property
    def tally(self) -> Counter[ClaimVerdict]:
        """How many claims of all papers have each verdict."""
        counted = sum((found.tally for found in self.studies), Counter[ClaimVerdict]())
        return Counter({it: counted[it] for it in ClaimVerdict if counted[it]})

    @property
    def claims(self) -> int:
        """The number of all claims."""
        return sum(self.tally.values())

    @property
    def decided(self) -> int:
        """How many of them are decided."""
        return sum(count for verdict, count in self.tally.items() if verdict not in OPEN)

    @property
    def headline(self) -> str:
        """The result in one line."""
        papers = words.plural(len(self.studies), "paper")
        reproduced = self.tally[ClaimVerdict.REPRODUCED]
        return (
            f"{papers} replicated: {reproduced} of {words.plural(self.claims, 'claim')}"
            f" reproduced, {self.tally[ClaimVerdict.CONTRADICTED]} contradicted"
        )

    @property
    def reasons(self) -> dict[str, str]:
        """Whether that is sure, and what is known of why: the question and the answer."""
        claims = f"{self.decided} of {words.plural(self.claims, 'claim')}"
        confidence = words.percent(1 - SIGNIFICANCE)
        reasons = {"Is it sure?": f"{claims} are decided, at {confidence} confidence."}
        treatments = [
            claim.treatment_differs
            for found in self.studies
            for claim in found.claims
            if claim.verdict is ClaimVerdict.CONTRADICTED
        ]
        if treatments:
            contradicted = words.plural(len(treatments), "contradicted claim")
            others = sum(map(bool, treatments))
            reasons["Why do findings differ?"] = (
                f"Of {contradicted}, {others} {'was' if others == 1 else 'were'} tested under"
                " another treatment than the paper’s. Implementations, versions and machines are"
                " others in all."
            )
        return reasons

    @property
    def cost(self) -> str:
        """What all of it took, in a sentence."""
        measured_s = sum(found.measured_s for found in self.studies)
        cpu_s = sum(found.cpu_s for found in self.studies)
        runs = sum(part.valid_runs for found in self.studies for part in found.measured)
        return (
            f"Measuring took {hours(measured_s)}; the {words.plural(runs, 'valid run')} used"
            f" {hours(cpu_s)} of CPU time while they were recorded."
        )


def write_page(page: Replication, root: Path) -> dict[str, Path]:
    """Write the page into the folder of the replication; returns its files by format."""
    written = {}
    for kind, ending, render in (
        ("html", "html", page_html),
        ("markdown", "md", page_markdown),
        ("json", "json", page_json),
    ):
        written[kind] = root / f"{NAME}.{ending}"
        write_atomically(written[kind], render(page).encode())
    return written


def page_html(page: Replication) -> str:
    """Render the page, which contains no script and loads nothing."""
    jinja = _environment()
    palette = Palette.of_contenders({}, {})
    jinja.globals |= {"palette": palette}
    style = Markup(page_style(jinja, palette))  # noqa: S704 - text of this program
    return jinja.get_template("replication.html").render(_content(page), style=style)


def page_markdown(page: Replication) -> str:
    """Render the same as Markdown. Text from results cannot become markup."""
    jinja = _environment().overlay(autoescape=False, bytecode_cache=compiled_templates("markdown"))
    jinja.filters |= {"cell_text": cell_text, "one_line": one_line}
    return jinja.get_template("replication.md").render(_content(page)).rstrip() + "\n"


def page_json(page: Replication) -> str:
    """Return everything for other programs; unknown numbers are null."""
    value: dict[str, Any] = {
        "format": "wirelab-replication/1",
        "wirelab_version": version("wirelab"),
        "claims": page.claims,
        "decided": page.decided,
        "tally": page.tally,
        "reasons": page.reasons,
        "studies": [_study(found) for found in page.studies],
        "failed": page.failed,
        "waiting": page.waiting,
        "agreement": None if page.agreement is None else _agreement(page.agreement),
    }
    return to_json(value, inf_nan_mode="null", indent=1).decode() + "\n"


def hours(seconds: float) -> str:
    """Render a long time in hours, or in minutes if it is shorter than two."""
    if seconds < 7200:
        return f"{words.significant(seconds / 60, 2)}{words.NO_BREAK}min"
    return f"{words.significant(seconds / 3600, 2)}{words.NO_BREAK}h"


def _study(found: StudyFindings) -> dict[str, Any]:
    study = found.study
    return {
        "id": study.id,
        "title": study.title,
        "question": study.summary,
        "paper": study.paper,
        "published": study.paper.found if study.paper else "",
        "answers": found.answers,
        "differences": found.differences,
        "tally": found.tally,
        "claims": [asdict(claim) for claim in found.claims],
        "hypotheses": found.hypotheses,
        "tables": [asdict(table) for table in found.tables],
        "untested": found.untested,
        "parts": found.measured,
    }


def _agreement(agreement: RunAgreement) -> dict[str, Any]:
    return {
        "against": agreement.name,
        "decided": len(agreement.decided),
        "share": agreement.share,
        "contradicting": agreement.contradicting,
        "claims": agreement.claims,
    }


def _content(page: Replication) -> dict[str, Any]:
    return {
        "page": page,
        "version": version("wirelab"),
        "hours": hours,
        "kinds": list(KINDS),
        "kinds_of": kinds_of,
        "styles": STYLES,
    }


def _environment() -> Environment:
    jinja = environment()
    own = PackageLoader("wirelab.replication", "templates")
    return jinja.overlay(loader=ChoiceLoader([own, *filter(None, [jinja.loader])]))
