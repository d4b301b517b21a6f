"""The result of a comparison: for scripts as exit code, for pull requests as Markdown."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wirelab.analysis import Analysis
from wirelab.analysis.answers.headline import opening
from wirelab.analysis.answers.invalid_runs import stopped_answering
from wirelab.analysis.cautions.budget import NotDecided, NotMeasured, omitted
from wirelab.analysis.cautions.verification import VerificationRefused
from wirelab.analysis.procedure import RATIOS
from wirelab.analysis.wording import say
from wirelab.compare.baseline import AgainstBaseline
from wirelab.compare.limits import Breach
from wirelab.errors import CommandError
from wirelab.experiment.context import StudyOutcome
from wirelab.inputs.problems import ProblemsError
from wirelab.report.markdown import cell_text
from wirelab.statistics import Nuance, Outcome
from wirelab.terminal import words
from wirelab.terminal.exit_codes import ExitCode

SIGNS = {
    Outcome.FASTER: "🟢",
    Outcome.SLOWER: "🔴",
    Outcome.SAME: "⚪",
    Outcome.CANNOT_TELL: "❔",
}


def exit_code(
    ending: StudyOutcome,
    analysis: Analysis,
    breaches: Sequence[Breach],
    earlier: Sequence[AgainstBaseline],
    *,
    strict: bool,
) -> ExitCode:
    """Return the exit code of a comparison; with `strict`, its verdicts are failures, too.

    The worst comes first: answers that differ, nothing measured, a limit, slower, a server that
    stopped answering, cannot tell.
    """
    if ending.refused:
        return ExitCode.VERIFY_FAILED
    if not analysis.settings:
        return ExitCode.FAULTS
    outcomes = {each.outcome for each in earlier}
    outcomes |= {pair.verdict.outcome for pair in analysis.pairs if pair.verdict}
    if omitted(analysis.study, analysis.schedule):
        outcomes.add(Outcome.CANNOT_TELL)
    beyond = {breach.kind for breach in breaches}
    silent = stopped_answering(analysis.validity.faulty)
    ranked = (
        ("beyond" in beyond, ExitCode.BEYOND_LIMIT),
        (strict and Outcome.SLOWER in outcomes, ExitCode.SLOWER),
        (bool(silent), ExitCode.FAULTS),
        ("unknown" in beyond, ExitCode.CANNOT_TELL),
        (strict and Outcome.CANNOT_TELL in outcomes, ExitCode.CANNOT_TELL),
        (bool(analysis.disturbance.lost_runs), ExitCode.FAULTS),
    )
    return next((code for holds, code in ranked if holds), ExitCode.OK)


def what_to_do_about_differences(domain: Sequence[str]) -> str:
    """Return the remedy for answers that differ; `domain` is that of the comparison, if any."""
    intended = "describe an intended difference below `common` in its domain.toml"
    if not domain:
        intended = "leave out with --ignore PART what is meant to differ"
    return f"make the answers equal, or {intended}"


def markdown(
    ending: StudyOutcome,
    analysis: Analysis,
    breaches: Sequence[Breach],
    earlier: Sequence[AgainstBaseline],
) -> str:
    """Render the comparison for a pull request; text from servers cannot become markup."""
    return "\n".join(_lines(ending, analysis, breaches, earlier)).rstrip() + "\n"


def failure_markdown(failed: ProblemsError | CommandError, command: str = "compare") -> str:
    """Render what prevented a command, with its hint, for a pull request."""
    if isinstance(failed, ProblemsError):
        pairs = [each.said for each in failed.problems]
    else:
        without_hint = replace(failed.failure, hint="")
        pairs = [(str(without_hint), failed.hint)]
    listed = "".join(
        f"* {cell_text(what)}\n" + (f"  * hint: {cell_text(hint)}\n" if hint else "")
        for what, hint in pairs
    )
    return f"### wirelab {command}: failed\n\n{listed}"


def _lines(
    ending: StudyOutcome,
    analysis: Analysis,
    breaches: Sequence[Breach],
    earlier: Sequence[AgainstBaseline],
) -> Iterator[str]:
    yield f"### wirelab compare: {cell_text(_headline(ending, analysis, breaches, earlier))}"
    yield ""
    if ending.refused:
        yield f"**{analysis.stopped or 'Answers differ. These operations were not measured:'}**"
        yield ""
        yield from (f"* {cell_text(each)}." for each in analysis.refused)
        yield ""
    if analysis.stopped:
        return
    pairs = analysis.pairs
    if pairs:
        yield "| | operation | compared | time | ratio [95 %] | verdict |"
        yield "|---|---|---|---|---|---|"
        times = {
            row.summary.cell: row.summary.latency_us.value
            for setting in analysis.settings
            for row in setting.rows
        }
        for pair in pairs:
            said = say(pair.comparison, pair.verdict)
            cells = (
                SIGNS[said.outcome] if said.outcome else "",
                analysis.study.workloads[pair.a.workload].title,
                f"{pair.a_label} against {pair.b_label}",
                f"{words.duration(times[pair.b])} → {words.duration(times[pair.a])}",
                said.estimate,
                said.words,
            )
            yield f"| {' | '.join(map(cell_text, cells))} |"
        yield ""
    for question, answer in opening(analysis).reasons.items():
        yield f"* **{question}** {cell_text(answer)}"
    if analysis.procedure.has_ratios_of_turns:
        yield ""
        yield RATIOS
        yield ""
    for each in earlier:
        yield f"* {SIGNS[each.outcome]} {cell_text(each.sentence)}"
    for breach in breaches:
        yield f"* {'⛔' if breach.kind == 'beyond' else '❔'} {cell_text(breach.text)}"
    noise = analysis.noise
    detected = (
        "What it detects is not known"
        if noise.largest is None
        else f"Detects differences above about {words.percent(noise.largest)} here"
    )
    yield ""
    yield (
        f"{detected}; margin ±{words.percent(noise.margin_ratio)}."
        f" {cell_text(analysis.disturbance.sentence)}"
    )
    for caution in analysis.cautions:
        if caution.severity != "serious" or isinstance(caution, VerificationRefused):
            continue  # the refusals are stated above
        sign = "❔ " if isinstance(caution, NotMeasured | NotDecided) else ""
        yield f"* {sign}{cell_text(caution.title)}: {cell_text(caution.detail)}"


def _headline(
    ending: StudyOutcome,
    analysis: Analysis,
    breaches: Sequence[Breach],
    earlier: Sequence[AgainstBaseline],
) -> str:
    left = [
        title for titles in omitted(analysis.study, analysis.schedule).values() for title in titles
    ]
    unknown = sum(breach.kind == "unknown" for breach in breaches)
    silent = [analysis.labels[each] for each in stopped_answering(analysis.validity.faulty)]
    rests = (
        f"; {words.listed(silent)} stopped answering" if silent else "",
        f"; {words.plural(len(left), 'operation')} not measured" if left else "",
        f"; {words.plural(unknown, 'limit')} could not be judged" if unknown else "",
    )
    return _verdict(ending, analysis, earlier) + "".join(rests)


def _verdict(ending: StudyOutcome, analysis: Analysis, earlier: Sequence[AgainstBaseline]) -> str:
    if ending.refused:
        return "answers differ"
    verdicts = [pair.verdict for pair in analysis.pairs if pair.verdict]
    outcomes = [each.outcome for each in verdicts] + [each.outcome for each in earlier]
    if not outcomes:
        return "nothing was measured"
    firmly = {each.nuance for each in verdicts if each.outcome is Outcome.SLOWER}
    is_beyond = firmly == {Nuance.CLEARLY} and Outcome.SLOWER not in {
        comparison.outcome for comparison in earlier
    }
    for outcome, phrase in (
        (Outcome.SLOWER, "slower beyond the margin" if is_beyond else "slower"),
        (Outcome.CANNOT_TELL, "cannot tell"),
        (Outcome.FASTER, "faster"),
    ):
        if outcome in outcomes:
            count = outcomes.count(outcome)
            return phrase if len(outcomes) == 1 else f"{phrase} in {count} of {len(outcomes)}"
    return "practically the same"
