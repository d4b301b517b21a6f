"""Jinja with everything escaped, and the filters that render numbers and verdicts."""

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from jinja2 import (
    BaseLoader,
    BytecodeCache,
    ChoiceLoader,
    Environment,
    FileSystemBytecodeCache,
    FileSystemLoader,
    PackageLoader,
    PrefixLoader,
    StrictUndefined,
)
from jinja2.bccache import Bucket

from wirelab.analysis import ComparedPair, Setting
from wirelab.analysis.answers.questions import compared_where
from wirelab.analysis.figures.place_costs import seconds, signed
from wirelab.analysis.figures.settling import TITLES, total, unsettled
from wirelab.analysis.figures.sweep import SweepPanel
from wirelab.analysis.wording import Said, say
from wirelab.claims import by_other_metrics, not_measured
from wirelab.errors import LabError
from wirelab.installation.programs import cache_folder
from wirelab.report.design import design_facts, reading
from wirelab.report.prose import linked, unfolded, unfolding, whole
from wirelab.report.scaling import NOTE, scaling_headings, scaling_row
from wirelab.report.theme import VERDICT_STYLE
from wirelab.statistics import ClaimVerdict, Outcome, Verdict
from wirelab.study import Metric
from wirelab.study.model import Paper
from wirelab.terminal import words


class _KeptTemplates(FileSystemBytecodeCache):
    """The code of templates in files; without space or permission, it is not kept."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a template."""
        with suppress(OSError):
            super().dump_bytecode(bucket)


@cache
def compiled_templates(kind: str) -> BytecodeCache | None:
    """Return what keeps compiled templates in the cache; None without a cache.

    Compiling takes longer than rendering. A changed template is compiled again. Environments that
    escape differently need different kinds.
    """
    try:
        folder = cache_folder() / "builds" / "templates"
        folder.mkdir(parents=True, exist_ok=True)
    except (LabError, OSError):
        return None
    return _KeptTemplates(str(folder), f"{kind}-%s")


def environment(extension: Path | None = None) -> Environment:
    """Create the environment. Bundles are untrusted, so escaping is always enabled.

    `extension` is the folder of the templates of a study's extension, found as `extension/NAME`.
    """
    loaders: list[BaseLoader] = [PackageLoader("wirelab.report", "templates")]
    if extension is not None:
        loaders.append(PrefixLoader({"extension": FileSystemLoader(extension)}))
    made = Environment(
        loader=ChoiceLoader(loaders),
        bytecode_cache=compiled_templates("page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "duration": words.duration,
        "times": words.times,
        "between": words.between,
        "percent": words.percent,
        "byte_count": words.byte_count,
        "significant": words.significant,
        "p_value": words.p_value,
        "listed": words.listed,
        "capital": words.capital,
        "style": verdict_style,
        "said": said_of,
        "flat": words.flat,
        "signed": signed,
        "added_seconds": seconds,
        "fixed": fixed,
        "quantity": quantity,
        "settled_total": total,
        "unsettled": unsettled,
        "not_measured": lambda claims: unfolding(lambda: not_measured(claims), ()),
        "by_other_metrics": by_other_metrics,
        "reading": reading,
        "design_facts": design_facts,
        "amount": amount,
        "in_unit": words.in_unit,
        "whole": whole,
        "unfolded": unfolded,
        "linked": linked,
        "detail": lambda caution, names: unfolding(lambda: caution.detail, names),
    }
    made.globals |= {"scaling_headings": scaling_headings, "scaling_row": scaling_row}
    made.globals["scaling_note"] = NOTE
    made.globals |= {
        "settling_titles": TITLES,
        "plural": words.plural,
        "block_count": words.block_count,
        "unit_for": unit_for,
        "unit_of": unit_of,
        "citation": citation,
        "compared_where": compared_where,
    }
    return made


def verdict_style(verdict: Said | Verdict | Outcome | ClaimVerdict) -> str:
    """Return the style classes of a verdict, or of what is said of a comparison."""
    outcome = verdict.outcome if isinstance(verdict, Said | Verdict) else verdict
    return "open" if outcome is None else VERDICT_STYLE[outcome]


def citation(paper: Paper) -> str:
    """Cite a paper with its known details."""
    year = f" ({paper.year})" if paper.year else ""
    doi = f"doi:{paper.doi}" if paper.doi else ""
    parts = (f"{words.listed(paper.authors)}{year}", paper.title, paper.venue, doi)
    return ". ".join(filter(None, parts))


def said_of(pair: ComparedPair) -> Said:
    """Return what is said of a comparison."""
    return say(pair.comparison, pair.verdict)


class Unit(NamedTuple):
    """A unit of time for a whole table: its name, the µs in it, and the decimals of all rows."""

    name: str
    us: float
    decimals: int


def unit_of(setting: Setting) -> Unit:
    """Choose the unit of a setting's table."""
    return unit_for(max(row.summary.latency_us.value for row in setting.rows))


def unit_for(largest_us: float) -> Unit:
    """Choose the unit of a table by its largest time."""
    if largest_us >= 1000:
        return Unit("ms", 1000.0, 2)
    return Unit("µs", 1.0, 0 if largest_us >= 100 else 2)


def fixed(microseconds: float, unit: Unit) -> str:
    """Render a time in the table's unit, with the same number of decimals in all of its rows."""
    return f"{microseconds / unit.us:,.{unit.decimals}f}".replace(",", words.NO_BREAK_NARROW)


def quantity(value: float, metric: Metric) -> str:
    """Render a value of a metric with its unit."""
    return words.in_unit(value, metric.unit)


def amount(panel: SweepPanel, value: float) -> str:
    """Render a value of a panel with its unit."""
    if panel.unit == "µs":
        return words.duration(value)
    unit = "/s" if panel.unit == "1/s" else f"{words.NO_BREAK}{panel.unit}"
    return f"{words.significant(value)}{unit}"
