"""The report as Markdown, for a pull request or a wiki: the same findings without charts."""

from wirelab.analysis import Analysis
from wirelab.analysis.answers.headline import headline, opening
from wirelab.analysis.matrix import matrix_of
from wirelab.analysis.model import CellSummary
from wirelab.report.control import scope_of
from wirelab.report.environment import Unit, compiled_templates, environment, fixed
from wirelab.report.sustained import OVERLOAD, sustained_views
from wirelab.statistics import Reporting


def render_markdown(analysis: Analysis) -> str:
    """Render tables, answers, claims and threats. Text from the bundle cannot become markup."""
    jinja = environment(analysis.extension.templates).overlay(
        autoescape=False, bytecode_cache=compiled_templates("markdown")
    )
    jinja.filters |= {
        "cell_text": cell_text,
        "code_text": code_text,
        "one_line": one_line,
        "percentile_text": percentile_text,
    }
    text = jinja.get_template("report.md").render(
        analysis=analysis,
        study=analysis.study,
        capacities=sustained_views(analysis),
        overload=OVERLOAD,
        matrix=matrix_of(analysis),
        scope=scope_of(analysis.study),
        headline=headline(analysis),
        opening=opening(analysis),
    )
    return text.rstrip() + "\n"


def one_line(text: object) -> str:
    """Join the lines of a text, so that it cannot end its Markdown block."""
    return " ".join(str(text).split())


def cell_text(text: object) -> str:
    """Escape a text for a table's cell: one line without Markdown syntax."""
    plain = one_line(text)
    for sign in ("\\", "|", "<", ">", "`", "*", "_", "[", "]"):
        plain = plain.replace(sign, f"\\{sign}")
    return plain


def code_text(text: object) -> str:
    """Escape a text for use between back quotes."""
    return one_line(text).replace("`", "'")


def percentile_text(summary: CellSummary, name: str, unit: Unit) -> str:
    """Render a percentile: in italics for few samples, a dash if it is omitted."""
    found = next(each for each in summary.percentiles if each.name == name)
    if found.reporting is Reporting.OMITTED:
        return "–"
    shown = fixed(found.value_us, unit)
    return f"*{shown}*" if found.reporting is Reporting.GREY else shown
