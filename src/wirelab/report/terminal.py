"""The answer in a terminal, printed when a study has ended.

Words and signs express everything; colour only repeats them, so it may be disabled.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table

from wirelab.analysis import Analysis, Setting
from wirelab.analysis.answers.headline import headline, opening
from wirelab.analysis.answers.questions import UNANSWERED
from wirelab.analysis.cautions.disturbance import Disturbed
from wirelab.analysis.matrix import matrix_of
from wirelab.analysis.model import SHOWN_PERCENTILES, CellSummary, ContenderRow
from wirelab.analysis.procedure import RATIOS
from wirelab.analysis.wording import say
from wirelab.claims import ClaimCheck, by_other_metrics, not_measured
from wirelab.report.environment import Unit, fixed, unit_of
from wirelab.report.sustained import OVERLOAD, sustained_views
from wirelab.report.terminal_intervals import has_intervals, intervals_view
from wirelab.report.terminal_matrix import COLOURS, matrix_view
from wirelab.report.unbroken import Text
from wirelab.statistics import ClaimVerdict, Reporting
from wirelab.terminal import words

WIDE = 112
"""Minimum width of a terminal for tables with percentiles, rates and costs."""

MOST_CAUTIONS = 2
"""Maximum number of serious cautions; the report has all."""

_CLAIM = {
    ClaimVerdict.REPRODUCED: "green",
    ClaimVerdict.CONTRADICTED: "red",
    ClaimVerdict.NOT_MEASURED: "yellow",
    ClaimVerdict.PARTLY_MEASURED: "yellow",
    ClaimVerdict.CANNOT_TELL: "yellow",
    ClaimVerdict.NOT_TESTABLE: "yellow",
    ClaimVerdict.DIRECTION_ONLY: "cyan",
    ClaimVerdict.SAME_WITHIN_MARGIN: "cyan",
}


def terminal_view(analysis: Analysis) -> RenderableType:
    """Show the answer as a matrix, a sentence for each question, and the limits of both.

    A narrow terminal shows ratios, intervals and verdicts; a wide one also shows full tables.
    """
    return _View(analysis)


@dataclass(frozen=True, slots=True)
class _View:
    """The analysis as an object of rich, which provides the available width."""

    analysis: Analysis

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        analysis = self.analysis
        yield _heading(analysis)
        if analysis.stopped:
            yield Text(analysis.stopped, style="bold red")
            for each in analysis.refused:
                yield Padding(Text(f"{each}."), (0, 0, 0, 2))
            if analysis.cautions:
                yield Text()
                yield from _cautions(analysis)
            return
        matrix = matrix_of(analysis)
        if analysis.has_matrix and has_intervals(matrix):
            yield from intervals_view(matrix, options.max_width)
        elif analysis.has_matrix:
            yield from matrix_view(matrix, options.max_width)
        for view in sustained_views(analysis):
            yield Text()
            yield _plain_table(view.title, view.headings, view.rows)
            if view.overload:
                yield _plain_table("Overload", OVERLOAD, view.overload)
        if options.max_width >= WIDE:
            for setting in analysis.settings:
                yield Text()
                yield _ranking(setting, compares=analysis.compares)
            ranked = any(setting.is_ranked for setting in analysis.settings)
            tie = "1= marks a tie, " if ranked else ""
            yield Text(f"{tie}~ marks a figure from few samples", style="dim")
        yield from _statements(analysis)
        if analysis.figures.container_costs:
            yield Text()
            yield Text("What a container adds", style="bold")
            for cost in analysis.figures.container_costs:
                who = f"{analysis.labels[cost.cell.contender]}, {cost.where(analysis.study)}: "
                yield Padding(Text(who + cost.line), (0, 0, 0, 2))
        yield Text()
        yield _footing(analysis)
        yield from _short_cautions(analysis)
        yield from _answers(analysis)


def _answers(analysis: Analysis) -> Iterator[RenderableType]:
    """Yield the answers, which end the view and so stay on the screen."""
    yield from (
        Text(each.sentence, style="dim") for each in analysis.answers if each.question == UNANSWERED
    )
    yield Text()
    verdict, first = headline(analysis), opening(analysis)
    if verdict != analysis.study.title:
        yield Text(verdict, style="bold")
    style = "bold" if verdict == analysis.study.title else ""
    yield from (Text(sentence, style=style) for sentence in first.sentences)
    for question, answer in first.reasons.items():
        yield Text.assemble((question, "bold"), f" {answer}")
    if first.folded:
        more = words.plural(len(first.folded), "more answer")
        yield Text(f"The report has {more}.", style="dim")


def _short_cautions(analysis: Analysis) -> Iterator[RenderableType]:
    """Yield the serious cautions, and how many others the report explains."""
    serious = [each for each in analysis.cautions if each.severity == "serious"]
    for caution in serious[:MOST_CAUTIONS]:
        yield Text(f"{caution.title}: {caution.detail}.", style="red")
    others = len(analysis.cautions) - len(serious[:MOST_CAUTIONS])
    if others:
        count = words.plural(others, "further caution" if serious else "caution")
        titles = [each.title for each in analysis.cautions if each not in serious[:MOST_CAUTIONS]]
        named = words.first_few(titles)
        yield Text(f"{count} in the report: {named}.", style="dim")


def _statements(analysis: Analysis) -> Iterator[RenderableType]:
    """Yield the paper's claims with their verdicts."""
    if analysis.paper.claims:
        yield Text()
        yield from _claims(analysis)
        metric = analysis.study.metric
        for note in (
            by_other_metrics(analysis.paper.claims, metric),
            not_measured(analysis.paper.claims),
        ):
            if note:
                yield Text(note, style="dim")
    if analysis.paper.hypotheses:
        yield Text(f"Hypotheses: {analysis.paper.hypotheses.sentence}", style="bold")


def _heading(analysis: Analysis) -> Text:
    blocks = words.block_count(analysis.schedule.repetitions.values())
    facts = f"design {analysis.info.design}, {blocks}, seed {analysis.info.seed}"
    return Text.assemble((analysis.study.title, "bold"), (f"\n{facts}", "dim"))


def _plain_table(
    title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]
) -> RenderableType:
    table = Table(box=None, pad_edge=False, header_style="dim", title_justify="left")
    table.title = Text(title, style="bold")
    for number, heading in enumerate(headings):
        table.add_column(heading, no_wrap=number == 0)  # names are not broken
    for row in rows:
        table.add_row(*(Text(text) for text in row))
    return table


def _ranking(setting: Setting, *, compares: bool) -> Table:
    unit = unit_of(setting)
    table = Table(box=None, pad_edge=False, header_style="dim", title_justify="left")
    table.title = Text(setting.title, style="bold")
    table.add_column("")
    table.add_column("contender", no_wrap=True)
    table.add_column(f"{setting.time_title}, {unit[0]}", justify="right")
    if compares:
        table.add_column(f"vs {setting.relative_to or 'another'}", justify="right")
        table.add_column("verdict")
    for heading in (*SHOWN_PERCENTILES, "per s", "bytes", "CPU"):
        table.add_column(heading, justify="right")
    for row in setting.rows:
        group, name, time, *compared = _cells(row, setting, unit)
        table.add_row(group, name, time, *(compared if compares else ()), *_costs(row, unit))
    return table


def _cells(row: ContenderRow, setting: Setting, unit: Unit) -> list[RenderableType]:
    summary, judged = row.summary, row.judged
    tied = row.group is not None and sum(other.group == row.group for other in setting.rows) > 1
    group = "" if row.group is None else f"{row.group}{'=' if tied else ''}"
    if judged is None:
        ratio, verdict = "baseline" if row.is_baseline else words.MISSING, Text()
    else:
        said = say(judged.comparison, judged.verdict)
        aside = "" if setting.relative_to else f"\nvs {judged.b_label}"
        ratio = f"{said.estimate}{aside}"
        style = COLOURS[said.outcome] if said.outcome else "dim"
        verdict = Text(f"{said.sign} {said.words}".lstrip(), style=style)
    return [
        Text(group, style="dim"),
        Text(summary.label),
        fixed(summary.latency_us.value, unit),
        Text(ratio),  # as text, or rich would read the brackets as markup
        verdict,
    ]


def _costs(row: ContenderRow, unit: Unit) -> list[RenderableType]:
    summary = row.summary
    cpu = summary.cpu_us.get("contender")
    return [
        *(_percentile(summary, name, unit) for name in SHOWN_PERCENTILES),
        words.significant(summary.throughput_per_s),
        words.byte_count(row.wire.fit.marginal) if row.wire else words.MISSING,
        words.duration(cpu.value) if cpu else words.MISSING,
    ]


def _percentile(summary: CellSummary, name: str, unit: Unit) -> Text:
    percentile = next(each for each in summary.percentiles if each.name == name)
    if percentile.reporting is Reporting.OMITTED:
        return Text(words.MISSING, style="dim")
    few = percentile.reporting is Reporting.GREY
    return Text(fixed(percentile.value_us, unit) + ("~" if few else ""), style="dim" if few else "")


def _footing(analysis: Analysis) -> Text:
    valid, disturbance = analysis.validity, analysis.disturbance
    margin = (
        f"; differences up to ±{words.percent(analysis.noise.margin_ratio)} count as practically"
        " the same"
    )
    parts = [
        f"{valid.valid} of {words.plural(valid.planned, 'run counts', 'runs count')}"
        f"{margin if analysis.compares else ''}."
    ]
    if analysis.procedure.has_ratios_of_turns:
        parts.append(RATIOS)
    # Cautions count the runs that do not count, and describe a strong disturbance.
    sentence = disturbance.without_runs if valid.faulty else disturbance.sentence
    if sentence and not any(isinstance(each, Disturbed) for each in analysis.cautions):
        parts.append(sentence)
    return Text(" ".join(parts), style="dim")


def _claims(analysis: Analysis) -> Iterator[RenderableType]:
    measured = [claim for claim in analysis.paper.claims if claim.is_measured]
    table = Table(box=None, pad_edge=False, show_header=False, title_justify="left")
    counted = Counter(str(claim.verdict) for claim in analysis.paper.claims)
    tally = ", ".join(f"{count} {verdict}" for verdict, count in counted.items())
    table.title = Text.assemble(("Claims of the paper", "bold"), f": {tally}")
    table.add_column("")
    table.add_column("", no_wrap=True)
    table.add_column("")
    for claim in measured:
        verdict = Text(str(claim.verdict), style=_CLAIM[claim.verdict])
        if claim.treatment_differs:
            verdict.append("\ntreatment differs", style="dim")
        table.add_row(Text(claim.id), verdict, Text(claim.text))
    yield table
    yield from _treatments(measured)


def _treatments(claims: Sequence[ClaimCheck]) -> Iterator[Text]:
    """Say how treatments differ from the paper's, each once."""
    for treatment in dict.fromkeys(claim.treatment_differs for claim in claims):
        if treatment:
            those = [claim.id for claim in claims if claim.treatment_differs == treatment]
            yield Text(f"Treatment of {words.listed(those)}: {treatment}.", style="dim")


def _cautions(analysis: Analysis) -> list[RenderableType]:
    shown: list[RenderableType] = [Text("What limits this result", style="bold")]
    for caution in analysis.cautions:
        style = "red" if caution.severity == "serious" else ""
        line = Text(f"{caution.title}: ", style=style)
        line.append(f"{caution.detail}.", style="dim" if not style else "")
        shown.append(Padding(line, (0, 0, 0, 2)))
    return shown
