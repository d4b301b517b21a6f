"""The answer to each question of the study, in a sentence that the reader can act on."""

from collections.abc import Iterator, Mapping, Sequence

from wirelab.analysis.answers.exclusion import excluded_runs, without_runs
from wirelab.analysis.answers.ranking_limits import not_ordered, reversals
from wirelab.analysis.answers.tally import tally
from wirelab.analysis.cells import other_metric, title_of
from wirelab.analysis.comparing import Comparer
from wirelab.analysis.model import ComparedPair, ContenderRow, Faulty, QuestionAnswer, Setting
from wirelab.analysis.result import Analysis
from wirelab.analysis.settings import setting_key, varying_levels
from wirelab.analysis.wording import TIME, Wording, wording_of
from wirelab.statistics import Outcome, tie_groups
from wirelab.study import (
    Cell,
    Pair,
    Question,
    Study,
    compared_by,
    is_measured_alone,
    with_reason,
)
from wirelab.terminal import words

MOST_BEFORE = 8

UNANSWERED = "unanswered"
"""The name of the answer that combines questions for which nothing was measured."""


def build_answers(
    study: Study,
    cells: Sequence[Cell],
    settings: Sequence[Setting],
    comparer: Comparer,
    faulty: Sequence[Faulty],
) -> tuple[QuestionAnswer, ...]:
    """Answer every question, in every setting that it asks about.

    A contender of a question without a valid run is named, with the number of its `faulty` ones,
    even if no contender of the setting has one. Questions for which nothing was measured come last,
    with the reason, combined into one answer named `UNANSWERED`.
    """
    answers: list[QuestionAnswer] = []
    unanswered: list[str] = []
    by_key = {setting.key: setting for setting in settings}
    excluded = excluded_runs(faulty)
    tried = by_key.keys() | {key for key, _ in excluded}
    keys = [key for key in dict.fromkeys(map(setting_key, cells)) if key in tried]
    for name, question in study.questions.items():
        to_compare = compared_by(study, name, cells)
        if question.compare == "contender":
            by_setting = {key: [p for p in to_compare if setting_key(p.a) == key] for key in keys}
            several = len({pair.a.workload for pair in to_compare}) > 1
            found = [
                _in_setting(
                    study,
                    name,
                    cells,
                    by_key.get(key),
                    pairs,
                    labels=comparer.labels,
                    excluded=excluded,
                    name_workload=several,
                )
                for key, pairs in by_setting.items()
                if pairs
            ]
        else:
            found = [_over_all(study, name, to_compare, comparer)] if to_compare else []
        answers += found
        if not found and not is_measured_alone(study, question):
            unanswered.append(with_reason(study, name, cells))
    if unanswered:
        title = "What this design does not answer"
        why = "Not answered, because nothing was measured to compare"
        sentence = f"{why}: {words.first_few(unanswered)}."
        with words.in_full():
            in_full = f"{why}: {words.first_few(unanswered)}."
        answers.append(QuestionAnswer(UNANSWERED, title, sentence, False, None, (), in_full))
    return tuple(answers)


def compared_where(study: Study, answer: QuestionAnswer, pair: ComparedPair) -> tuple[str, ...]:
    """Name where two levels of a factor are compared: the workload, and what else varies."""
    cells = [cell for each in answer.pairs for cell in (each.a, each.b)]
    factor = study.questions[answer.question].compare
    varying = varying_levels(study, pair.a, cells, without=(factor,))
    return study.workloads[pair.a.workload].title, *varying


def sentences(analysis: Analysis) -> Iterator[QuestionAnswer]:
    """Yield the answers, each sentence once; those over all settings come last.

    If there are more than `MOST_BEFORE` others, those over all settings come first, since readers
    would not reach the end.
    """
    ordered = list({answer.sentence: answer for answer in analysis.answers}.values())
    if len(ordered) > MOST_BEFORE:
        ordered.sort(key=lambda answer: answer.setting is not None or not answer.pairs)
    yield from ordered


def _in_setting(
    study: Study,
    name: str,
    cells: Sequence[Cell],
    setting: Setting | None,
    to_compare: Sequence[Pair],
    *,
    labels: Mapping[str, str],
    excluded: Mapping[tuple[str, str], int],
    name_workload: bool,
) -> QuestionAnswer:
    """Answer a question in one setting, which is None if no run in it counts."""
    question = study.questions[name]
    cell = to_compare[0].a
    compared = {frozenset((pair.a, pair.b)) for pair in to_compare}
    judged = () if setting is None else setting.pairs
    pairs = tuple(pair for pair in judged if frozenset((pair.a, pair.b)) in compared)
    names = {cell.contender for pair in to_compare for cell in (pair.a, pair.b)}
    shown = () if setting is None else setting.rows
    rows = [row for row in shown if row.summary.cell.contender in names]
    measured = {row.summary.cell.contender for row in rows}
    absent = {
        labels[each]: excluded.get((setting_key(cell), each), 0)
        for each in study.contenders
        if each in names - measured
    }
    other = other_metric(study)
    other_time = "" if other is None else title_of(other)
    losing = [labels[each] for each in names if excluded.get((setting_key(cell), each))]
    ranking = _ranking(rows, pairs, wording_of(study.primary), other_time, losing)
    answer = "; ".join((ranking, *without_runs(absent)))
    sentence = question.sentence.replace("{answer}", answer)
    if not sentence.startswith(tuple(labels.values())):  # names keep their spelling
        sentence = words.capital(sentence)
    where = [study.workloads[cell.workload].title] if name_workload else []
    if question.where.levels("environment") is None:
        where += varying_levels(study, cell, cells)
    if where:
        sentence = f"{sentence.removesuffix('.')} ({', '.join(where)})."
    decided = any(pair.is_decided for pair in pairs)
    key = None if setting is None else setting.key
    return QuestionAnswer(name, question.text, sentence, decided, key, pairs)


def _over_all(
    study: Study, name: str, to_compare: Sequence[Pair], comparer: Comparer
) -> QuestionAnswer:
    """Answer a question about another factor than contenders, over all settings."""
    question = study.questions[name]
    judged = tuple(comparer.compare_pair(pair.a, pair.b) for pair in to_compare)
    decided = any(pair.is_decided for pair in judged)
    sentence = over_settings(question, judged, wording_of(study.primary))
    return QuestionAnswer(name, question.text, sentence, decided, None, judged)


def over_settings(
    question: Question, pairs: Sequence[ComparedPair], wording: Wording = TIME
) -> str:
    """Describe the effect of a factor's levels over all settings: a sentence for each pair."""
    by_levels: dict[tuple[str, str], list[ComparedPair]] = {}
    for pair in pairs:
        by_levels.setdefault((pair.a_label, pair.b_label), []).append(pair)
    if len(by_levels) == 1:
        return words.capital(question.sentence.replace("{answer}", tally(pairs, wording)))
    return " ".join(
        f"{level.capitalize()} against {other}: {tally(members, wording)}."
        for (level, other), members in by_levels.items()
    )


def _ranking(
    rows: Sequence[ContenderRow],
    pairs: Sequence[ComparedPair],
    wording: Wording,
    other_time: str,
    losing: Sequence[str],
) -> str:
    """Name the best and the worst contender, and the difference, as far as it is decided.

    The sentence covers the contenders with enough blocks; the others are named at the end. It says
    which comparisons of the best and the worst the other time reverses. `losing` have runs that do
    not count.
    """
    if not pairs:
        return f"there is nothing to compare: {_measured_alone(rows, wording)}"
    enough = [pair for pair in pairs if pair.comparison.has_enough_blocks]
    if not enough:
        return _too_early(rows, pairs, wording, losing)
    names = {cell.contender for pair in enough for cell in (pair.a, pair.b)}
    compared = [row for row in rows if row.summary.cell.contender in names]
    groups = _groups(compared, enough)
    if len(compared) == 2 and _ordered(enough[0]):
        sentence = _of_two(compared, enough[0], wording)
    elif groups is None:
        sentence = _pair_by_pair(enough, wording)
    elif len(groups) == 1:
        sentence = _no_order(compared, enough, wording)
    else:
        first, last = groups[0], groups[-1]
        between = [row for group in groups[1:-1] for row in group]
        against = _against_one(compared, enough)
        best = _extreme(first, wording.best, between, enough, against=against, wording=wording)
        worst = _extreme(
            last, wording.worst, [*first, *between], enough, against=against, wording=wording
        )
        sentence = f"{best}; {worst}"
    ranked = compared if groups is None else [*groups[0], *groups[-1]]
    sentence = "; ".join((sentence, *reversals(enough, ranked, other_time)))
    left = [row.summary.label for row in rows if row not in compared]
    if left:
        has = "has" if len(left) == 1 else "have"
        sentence += f"; {words.listed(left)} {has} too few blocks to be compared"
    return sentence


def _measured_alone(rows: Sequence[ContenderRow], wording: Wording) -> str:
    """Name contenders that have no other contender to compare with."""
    alone = [f"{row.summary.label} ({wording.shown(row.summary)})" for row in rows]
    return f"only {words.listed(alone)} was measured" if alone else "no run counts"


def _too_early(
    rows: Sequence[ContenderRow],
    pairs: Sequence[ComparedPair],
    wording: Wording,
    losing: Sequence[str],
) -> str:
    most = max((pair.comparison for pair in pairs), key=lambda comparison: comparison.blocks)
    leader = rows[0].summary
    counted, remedy = words.plural(most.blocks, "block counts", "blocks count"), ""
    if most.dropped_blocks:
        of_all = words.plural(most.blocks + most.dropped_blocks, "block counts", "blocks count")
        counted = f"{most.blocks} of {of_all}"
        remedy = "; too little was answered in the others: measure longer, or end other programs"
        if losing:
            remedy = f"; in others, runs of {words.listed(sorted(losing))} do not count"
    return (
        f"it is too early to tell: {counted}, and a verdict needs"
        f" {pairs[0].comparison.method.least_blocks}"
        f" ({leader.label} {wording.leads}, {wording.shown(leader)}){remedy}"
    )


def _groups(
    rows: Sequence[ContenderRow], pairs: Sequence[ComparedPair]
) -> list[list[ContenderRow]] | None:
    """Group tied contenders; None if the verdicts give no order."""
    by_name = {row.summary.cell.contender: row for row in rows}
    verdicts = {
        (pair.a.contender, pair.b.contender): pair.verdict for pair in pairs if pair.verdict
    }
    groups = tie_groups(list(by_name), verdicts)
    return None if groups is None else [[by_name[name] for name in group] for group in groups]


def _pair_by_pair(pairs: Sequence[ComparedPair], wording: Wording) -> str:
    """Describe each comparison separately, if they give no order of all contenders.

    That is so if all are compared with a single one, or if they contradict each other.
    """
    phrases = []
    for pair in pairs:
        match pair.verdict and pair.verdict.outcome:
            case Outcome.FASTER | Outcome.SLOWER:
                assert pair.verdict is not None
                how = f"{wording.is_[0]} {pair.verdict.words} than {pair.b_label}"
            case Outcome.SAME:
                how = f"and {pair.b_label} {wording.same}"
            case _:
                how = f"cannot be distinguished from {pair.b_label}"
        ratio = words.times(pair.comparison.ratio)
        phrases.append(f"{pair.a_label} {how} ({ratio} {wording.quantity})")
    return words.listed(phrases)


def _of_two(rows: Sequence[ContenderRow], pair: ComparedPair, wording: Wording) -> str:
    """Describe how much better one of two contenders is, from their comparison."""
    assert pair.verdict is not None
    better_cell = pair.a if pair.verdict.outcome is Outcome.FASTER else pair.b
    fast, slow = sorted(rows, key=lambda row: row.summary.cell != better_cell)
    ratio = pair.comparison.ratio
    slower = ratio if pair.a == slow.summary.cell else 1 / ratio
    shown = [wording.shown(row.summary) for row in (fast, slow)]
    better = wording.direction.words(Outcome.FASTER)
    return (
        f"{fast.summary.label} {wording.is_[0]} {better} than {slow.summary.label}"
        f" ({shown[0]} and {shown[1]}):"
        f" {slow.summary.label} {wording.takes} {words.times(slower)} {wording.quantity}"
    )


def _no_order(rows: Sequence[ContenderRow], pairs: Sequence[ComparedPair], wording: Wording) -> str:
    """Describe what is known if no two contenders could be distinguished."""
    summaries = [row.summary for row in rows]
    names = words.listed(summary.label for summary in summaries)
    if len(rows) == 2:
        span = words.listed(wording.shown(summary) for summary in summaries)
    else:
        span = wording.span(summaries)
    if all(pair.verdict.outcome is Outcome.SAME for pair in pairs if pair.verdict):
        return f"{names} {wording.same} ({span})"
    return f"{names} cannot be distinguished ({span})"


def _extreme(
    rows: Sequence[ContenderRow],
    adjective: str,
    others: Sequence[ContenderRow],
    pairs: Sequence[ComparedPair],
    *,
    against: Mapping[str, ComparedPair],
    wording: Wording,
) -> str:
    names = [row.summary.label for row in rows]
    verb = wording.is_[len(rows) > 1]
    tie = "" if len(rows) == 1 else f", {_tie(rows, pairs)}"
    but = not_ordered(rows, others, pairs)
    return (
        f"{words.listed(names)} {verb} {adjective}{tie} ({_figures(rows, against, wording)}){but}"
    )


def _against_one(
    compared: Sequence[ContenderRow], pairs: Sequence[ComparedPair]
) -> Mapping[str, ComparedPair]:
    """Return the comparisons whose ratios the answer gives: all with the same contender.

    It is the baseline, or else the first one that all others are compared with. An answer without
    the baseline does not refer to it: the question does not ask for that comparison.
    """
    names = [row.summary.cell.contender for row in compared]
    for row in sorted(compared, key=lambda row: not row.is_baseline):
        other = row.summary.cell.contender
        by_contender = {pair.a.contender: pair for pair in pairs if pair.b.contender == other}
        if by_contender.keys() >= set(names) - {other}:
            return by_contender
    return {}


def _figures(
    rows: Sequence[ContenderRow], against: Mapping[str, ComparedPair], wording: Wording
) -> str:
    figures = words.listed(wording.shown(row.summary) for row in rows)
    names = [row.summary.cell.contender for row in rows]
    judged = [against[name] for name in names if name in against]
    if len(judged) < len(rows):  # one of them is what the others are compared with
        return figures
    ratios = words.listed(words.times(pair.comparison.ratio) for pair in judged)
    return f"{figures}, {ratios} {wording.quantity} of {judged[0].b_label}"


def _tie(rows: Sequence[ContenderRow], pairs: Sequence[ComparedPair]) -> str:
    """Describe how a group is tied: shown to be practically the same, or not distinguished."""
    members = {row.summary.cell.contender for row in rows}
    outcomes = {
        pair.verdict.outcome
        for pair in pairs
        if pair.verdict and {pair.a.contender, pair.b.contender} <= members
    }
    return "practically the same" if outcomes == {Outcome.SAME} else "not distinguished"


def _ordered(pair: ComparedPair) -> bool:
    return pair.verdict is not None and pair.verdict.orders
