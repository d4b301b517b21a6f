"""What a report says first: the verdict of a comparison, and a study's answers in few sentences."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wirelab.analysis.answers.questions import sentences
from wirelab.analysis.answers.tally import counts
from wirelab.analysis.answers.why import why
from wirelab.analysis.model import ComparedPair, QuestionAnswer
from wirelab.analysis.result import Analysis
from wirelab.analysis.wording import Wording, say, wording_of
from wirelab.statistics import SIGNIFICANCE, Basis, Interval, Outcome
from wirelab.terminal import words

MOST_SENTENCES = 5
"""Number of sentences that a report opens with."""

ALIKE = 3
"""As many answers to one question are summarised in one sentence."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The sentences that a report opens with, and the answers that are folded below them."""

    sentences: tuple[str, ...]
    reasons: Mapping[str, str]
    """Whether that is sure, and why it is so: the question and the answer, as far as known."""
    folded: tuple[str, ...]


def headline(analysis: Analysis) -> str:
    """Return the verdict of a comparison; the title of other studies, or if nothing was judged."""
    study, pairs = analysis.study, analysis.pairs
    if not study.has_options or not pairs or analysis.stopped:
        return study.title
    wording = wording_of(study.primary)
    if len(pairs) == 1:
        return _of_one(pairs[0], wording)
    if len({(pair.a_label, pair.b_label) for pair in pairs}) == 1:
        return _of_two(pairs, wording)
    return _of_several(analysis, wording) or study.title


def opening(analysis: Analysis) -> Opening:
    """Summarise the answers to a question about many settings, and fold those."""
    answers = list(sentences(analysis))
    by_question: dict[str, list[QuestionAnswer]] = {}
    for answer in answers:
        by_question.setdefault(answer.question, []).append(answer)
    shown = list(analysis.leading)
    folded: list[str] = []
    for name, alike in by_question.items():
        own = [answer.sentence for answer in alike]
        if not alike[0].pairs:
            folded += own
        elif len(answers) > MOST_SENTENCES and len(alike) >= ALIKE:
            shown.append(_summary(analysis, name, alike))
            folded += own
        else:
            shown += own
    if not shown:
        shown, folded = folded, []
    reasons = {"Is it sure?": certainty(analysis), "Why?": why(analysis)}
    return Opening(
        tuple(shown[:MOST_SENTENCES]),
        {question: answer for question, answer in reasons.items() if answer},
        (*shown[MOST_SENTENCES:], *folded),
    )


def certainty(analysis: Analysis) -> str:
    """Say how sure the verdicts are; "" without any that the headline does not already doubt."""
    pairs = [pair for pair in analysis.pairs if pair.verdict]
    decided = [pair.verdict for pair in pairs if pair.verdict and pair.is_decided]
    confidence = words.percent(1 - SIGNIFICANCE)
    if len(pairs) != 1:
        count = words.plural(len(pairs), "comparison")
        of = f"all {count} are" if len(decided) == len(pairs) else f"{len(decided)} of {count} are"
        return f"{words.capital(of)} decided, at {confidence} confidence." if pairs else ""
    if not decided:
        return ""
    comparison, basis = pairs[0].comparison, decided[0].basis
    margin = f"the margin of ±{words.percent(analysis.noise.margin_ratio)}"
    after = f"after {words.plural(comparison.blocks, 'block')}"
    if basis is Basis.INSIDE_MARGIN:
        interval = f"the 90{words.NO_BREAK}% interval {words.between(comparison.interval90)}"
        return f"Yes, {after}: {interval}, which decides on equality, lies inside {margin}."
    exceeds = f"exceeds {margin}" if basis is Basis.BEYOND_MARGIN else f"may be inside {margin}"
    return (
        f"Yes, at {confidence} confidence (interval in brackets) {after}; the difference {exceeds}."
    )


def _summary(analysis: Analysis, name: str, answers: Sequence[QuestionAnswer]) -> str:
    """Count the verdicts on each contender relative to the one that most are compared with."""
    study = analysis.study
    wording = wording_of(study.primary)
    pairs = [pair for answer in answers for pair in answer.pairs]
    others = Counter(pair.b.contender for pair in pairs)
    if not others:
        return answers[0].sentence
    other = max(others, key=lambda each: (others[each], -study.contenders.index(each)))
    by_contender: dict[str, list[ComparedPair]] = {}
    for pair in pairs:
        if pair.b.contender == other:
            by_contender.setdefault(pair.a.contender, []).append(pair)
    clauses = [
        f"{analysis.labels[each]} {wording.is_[0]} {words.listed(counts(compared, wording))}"
        for each, compared in by_contender.items()
    ]
    settings = words.plural(len({pair.b for pair in pairs if pair.b.contender == other}), "setting")
    sentence = f"relative to {analysis.labels[other]} in {settings}, {'; '.join(clauses)}"
    return words.capital(study.questions[name].sentence.replace("{answer}", sentence))


def _of_one(pair: ComparedPair, wording: Wording) -> str:
    """State one comparison, the better side first."""
    said, sides = say(pair.comparison, pair.verdict), (pair.a_label, pair.b_label)
    match said.outcome:
        case Outcome.FASTER | Outcome.SLOWER:
            ratio, interval = pair.comparison.ratio, pair.comparison.interval95
            if (said.outcome is Outcome.FASTER) is (wording.reported_as == "time"):
                ratio = 1 / ratio
                interval = interval and Interval(1 / interval.high, 1 / interval.low)
            better, other = sides if said.outcome is Outcome.FASTER else sides[::-1]
            factor = words.times(ratio, interval)
            how = f"{factor} {wording.direction.words(Outcome.FASTER)}"
            return (
                f"{better} {wording.is_[0]} {how} than {other} {words.between(interval)}".rstrip()
            )
        case Outcome.SAME:
            return f"{words.listed(sides)} {wording.same}: {said.estimate}"
    why = said.estimate if pair.comparison.has_enough_blocks else said.words
    better = wording.direction.words(Outcome.FASTER)
    return f"Cannot tell whether {words.listed(sides, 'or')} {wording.is_[0]} {better}: {why}"


def _of_two(pairs: Sequence[ComparedPair], wording: Wording) -> str:
    """State how two contenders compare in several operations."""
    noun = "operations" if len({pair.a.workload for pair in pairs}) == len(pairs) else "comparisons"
    counted = words.listed(counts(pairs, wording))
    of = words.whole(len(pairs))
    return (
        f"{pairs[0].a_label} {wording.is_[0]}, against {pairs[0].b_label} in {of} {noun}, {counted}"
    )


def _of_several(analysis: Analysis, wording: Wording) -> str:
    """State which of several contenders leads, and how often; "" if none does."""
    leaders = Counter(
        words.listed(row.summary.label for row in setting.rows if row.group == 1)
        for setting in analysis.settings
        if setting.judged and setting.is_ranked
    )
    settings = sum(setting.judged for setting in analysis.settings)
    if not leaders:
        return ""
    leader, often = leaders.most_common(1)[0]
    where = "" if settings == 1 else f" in {often} of {settings} operations"
    return f"{leader} {wording.is_[' and ' in leader]} {wording.best}{where}"
