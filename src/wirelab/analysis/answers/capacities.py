"""What each contender sustains, in sentences; of one without a capacity, why, and what to do."""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from wirelab.analysis.answers.invalid_runs import are_wrong, each_kind
from wirelab.analysis.figures.sustained import OPTIONS, shown_warning
from wirelab.analysis.model import CellSummary, QuestionAnswer, Sustained
from wirelab.analysis.settings import setting_key
from wirelab.bundle import BlockRecord, CapacityRecord, RunRecord, TrialRecord
from wirelab.engine.events import CapacityFound, Judged
from wirelab.statistics import MINIMUM_BLOCKS
from wirelab.study import CapacityLoad, Cell, Study
from wirelab.terminal import words

SUSTAINED = "sustained"
"""Stands for the name of a question in the answers about capacities."""
USUAL_TRIAL_S, USUAL_LOST = 1.0, 5.0
"""By default, a trial takes at least this long, and the objective allows at least this number of
its requests to be lost."""
SEARCH_TRIALS = 40
"""Number of trials that a search should have time for: by default, of the usual duration."""
ROUND = (1, 2, 5, 10)
"""The first digits of suggested values."""
Assign = Callable[[str, str], str]
"""Renders how a key of the load is given another value: as an option, or in a study."""


def capacity_answers(
    study: Study,
    cells: Iterable[Cell],
    summaries: Mapping[Cell, CellSummary],
    blocks: Sequence[BlockRecord],
    *,
    labels: Mapping[str, str],
    titles: Mapping[Cell, str],
    compares: bool,
) -> Iterator[QuestionAnswer]:
    """Yield an answer for each cell whose load measures capacity.

    If the study `compares` cells, other answers have the capacities that were found, so these are
    only about those that were not.
    """
    for cell in cells:
        load = study.loads[cell.load]
        if cell.twin or not isinstance(load, CapacityLoad):
            continue
        who = f"{labels[cell.contender]} at “{titles[cell]}”"
        summary = summaries.get(cell)
        sustained = None if summary is None else summary.sustained
        runs = [run for block in blocks for run in block.runs if run.run.cell == cell]
        if sustained is None:
            sentence = _not_found(who, load, runs, study)
        elif compares or summary is None:
            continue
        else:
            sentence = _found(who, sustained, summary, runs)
        text = f"Which rate does {who} sustain within {load.objective}?"
        yield QuestionAnswer(
            SUSTAINED, text, sentence, sustained is not None, setting_key(cell), ()
        )


def _found(who: str, found: Sustained, summary: CellSummary, runs: Sequence[RunRecord]) -> str:
    rate, blocks = found.rate_per_s, summary.runs
    counted = words.plural(blocks, "block")
    if blocks < summary.planned:
        counted = f"{blocks} of {words.plural(summary.planned, 'block')}"
    helps = not any(are_wrong(run.reasons) for run in runs)
    more = f"--blocks {math.ceil(MINIMUM_BLOCKS * summary.planned / blocks)}"
    if rate.interval is None:
        how = f"from {counted}, so its uncertainty is not known"
        how += f"; measure with {more}" if helps else ""
    else:
        low, high = map(words.significant, rate.interval)
        how = f"95{words.NO_BREAK}% interval {low} to {high}, from {counted}"
        if blocks < MINIMUM_BLOCKS and helps:
            how += f"; {more} makes it narrower"
    sentence = f"{who} sustains {words.significant(rate.value)}/s within {found.objective} ({how})"
    return f"{'; '.join([sentence, *_beyond(runs, rate.value)])}."


def _beyond(runs: Sequence[RunRecord], found_per_s: float) -> Iterator[str]:
    """Yield how many blocks have no value, since all of their trials met the objective, or none.

    Where these rates lie beyond the one that was found, the capacity may be on their side.
    """
    lost = [run.capacity for run in runs if run.status != "valid" and run.capacity is not None]
    for is_kept, what, where in (
        (True, "met it, at up to", "higher"),
        (False, "missed it, even at", "lower"),
    ):
        those = [
            record.trials
            for record in lost
            if record.trials and all(each.judged.is_kept is is_kept for each in record.trials)
        ]
        if those:
            end = max if is_kept else min
            rate = end(each.rate_per_s for trials in those for each in trials)
            is_beyond = end(rate, found_per_s) != found_per_s
            yield (
                f"in {words.plural(len(those), 'further block')}, all trials {what}"
                f" {words.significant(rate)}/s"
                + (f", so the capacity may be {where}" if is_beyond else "")
            )


def _not_found(who: str, load: CapacityLoad, runs: Sequence[RunRecord], study: Study) -> str:
    """Say at which rates trials met the objective, why this shows no capacity, and what to do."""
    records = [run.capacity for run in runs if run.capacity is not None]
    reasons = list(each_kind(reason for run in runs for reason in run.reasons))
    tried = list(_trials(records))
    searches = [record.search for record in records if record.search]
    start = f"No capacity of {who} was found within {load.objective}"
    if not tried and not any(load.is_too_slow(search.trial_s) for search in searches):
        return f"{start}: {'; '.join(reasons) or 'no run was measured'}."
    why, remedy = _diagnosis(load, records, tried, _as_option if study.has_options else _as_key)
    # Warnings are about bounds, and there are none if no trial met the objective.
    has_bounds = any(trial.judged.is_kept for trial in tried)
    warnings = [text for search in searches for text in search.warnings if has_bounds]
    seen = _rates(tried) if tried else "no trial was complete"
    parts = (
        f"{start}: {seen}",
        why,
        *(shown_warning(study, warning) for warning in dict.fromkeys(warnings)),
    )
    return f"{'. '.join(map(words.capital, parts))}. What to do: {remedy}."


def _trials(records: Iterable[CapacityRecord]) -> Iterator[TrialRecord]:
    """Yield the trials of searches, and those on the grid."""
    for record in records:
        for each in record.search.trials if record.search else ():
            yield TrialRecord(
                rate_per_s=each.rate_per_s,
                seconds=each.seconds,
                judged=Judged(
                    due=each.due,
                    good=each.good,
                    loss_ratio=each.loss_ratio,
                    is_kept=each.is_kept,
                ),
                failed=each.failed,
                never_sent=each.never_sent,
                errors=each.errors,
                p99_us=each.p99_us,
            )
        yield from record.trials


def _rates(tried: Sequence[TrialRecord]) -> str:
    """Say at which rates trials met the objective, and at which they missed it."""
    kept, missed = (
        [trial.rate_per_s for trial in tried if trial.judged.is_kept is way]
        for way in (True, False)
    )
    if not kept or not missed:
        every = f"all {len(tried)} trials" if len(tried) > 1 else "the only trial"
        return f"{every} {'met' if kept else 'missed'} it, at {_span(kept or missed)}"
    return (
        f"{words.plural(len(kept), 'trial')} met it, at {_span(kept)}, and"
        f" {words.plural(len(missed), 'trial')} missed it, at {_span(missed)}"
    )


def _span(rates: Sequence[float]) -> str:
    ends = dict.fromkeys(words.significant(end) for end in (min(rates), max(rates)))
    return f"{' to '.join(ends)}/s"


def _diagnosis(
    load: CapacityLoad,
    records: Sequence[CapacityRecord],
    tried: Sequence[TrialRecord],
    assign: Assign,
) -> tuple[str, str]:
    """Return why trials show no capacity, and the remedy."""
    search = next((record.search for record in records if record.search), None)
    kept = [trial for trial in tried if trial.judged.is_kept]
    has_no_rate = search is not None and search.goals[0].outcome == "no rate"
    if search is not None and not has_no_rate and load.is_too_slow(search.trial_s):
        return _too_long(load, search, assign)
    too_short = _too_short(search) if search is not None else None
    if search is not None and too_short and (not kept or search.out_of_time):
        why, trial_s = too_short
        over = f"; {_over(search, records)}" if search.out_of_time else ""
        length = _rounded(trial_s)
        return f"{why}{over}", _longer(load, search, assign, "longer trials", trial_seconds=length)
    if has_no_rate and not kept:
        return _lost(tried), _easier(load, tried, assign)
    if search is not None and search.out_of_time:
        return _over(search, records), _longer(load, search, assign)
    if kept and len(kept) < len(tried) and not _is_one_sided(records):
        trials = {
            "trial_seconds": _rounded(2 * (search.trial_s if search else USUAL_TRIAL_S)),
            "repeats": str(2 * load.repeats),
        }
        return (
            "no rate separates the trials that met it from the others",
            _longer(load, search, assign, "longer and more trials", **trials),
        )
    blocks = max(MINIMUM_BLOCKS, 2 * len(records))
    return (
        f"{_side(records)}; each further block tries other rates",
        f"more blocks, --blocks {blocks}",
    )


def _too_short(search: CapacityFound) -> tuple[str, float] | None:
    """Return why a search's trials cannot judge a rate that the server answers, and enough time."""
    fastest = max((rung.rate_per_s for rung in search.ladder), default=0.0)
    lowest = 1 / (search.allowed_loss_ratio * search.trial_s)
    if not 0 < fastest < lowest:
        return None
    why = (
        f"trials of {search.trial_s:g} s cannot judge a rate below {words.significant(lowest)}/s,"
        f" and the server answers at most {words.significant(fastest)}/s"
    )
    return why, max(USUAL_TRIAL_S, USUAL_LOST / (search.allowed_loss_ratio * fastest))


def _over(search: CapacityFound, records: Sequence[CapacityRecord]) -> str:
    return (
        f"the search was over after {words.significant(search.seconds, 2)} s and"
        f" {words.plural(len(search.trials), 'trial')}, before it found the order of magnitude;"
        f" {_side(records)}"
    )


def _longer(
    load: CapacityLoad, search: CapacityFound | None, assign: Assign, what: str = "", **keys: str
) -> str:
    """Return the remedy of other trials, given by `keys` of the load, and a search with their time.

    Without other trials, only the search is too short.
    """
    given_s = search.trial_s if search else USUAL_TRIAL_S
    search_s = SEARCH_TRIALS * float(keys.get("trial_seconds", given_s))
    if search is not None and search.out_of_time:
        search_s = max(search_s, 2 * load.search_seconds, 2 * search.seconds)
    if search_s > load.search_seconds:
        what = f"{what} and a longer search" if what else "a longer search"
        keys["search_seconds"] = _rounded(search_s)
    return f"{what}, {words.listed(assign(key, value) for key, value in keys.items())}"


def _too_long(load: CapacityLoad, search: CapacityFound, assign: Assign) -> tuple[str, str]:
    """Return the reason and the remedy if the server answers too slowly for the objective."""
    fastest = max((rung.rate_per_s for rung in search.ladder), default=0.0)
    percentile, _, limit = load.objective.partition("<")
    coarser = (
        f"an objective that fewer requests can judge, such as"
        f" {assign('objective', f'p50<{limit}')}, or "
        if percentile.startswith("p") and percentile != "p50" and "," not in limit
        else ""
    )
    length = str(math.ceil(search.trial_s))
    longer = _longer(load, search, assign, "trials of that length", trial_seconds=length)
    return (
        f"a trial would take {words.significant(search.trial_s, 2)} s to judge the objective, as"
        f" the server answers at most {words.significant(fastest)}/s",
        f"choose {coarser}{longer}",
    )


def _is_one_sided(records: Sequence[CapacityRecord]) -> bool:
    return all(len({trial.judged.is_kept for trial in record.trials}) < 2 for record in records)


def _side(records: Sequence[CapacityRecord]) -> str:
    """Say on which side of the trials of the last block the capacity is."""
    last = records[-1].trials
    if not last:
        return "no trial was placed around it"
    if not _is_one_sided(records[-1:]):
        return "no rate separates the last block’s trials that met it from the others"
    where = "above" if last[0].judged.is_kept else "below"
    return f"the capacity is {where} the rates that the last block tried"


def _lost(tried: Sequence[TrialRecord]) -> str:
    """Describe the losses at the lowest rate: the trials that were easiest to serve."""
    lowest = min(trial.rate_per_s for trial in tried)
    trials = [trial for trial in tried if trial.rate_per_s == lowest]
    due, good = (
        sum(trial.judged.due for trial in trials),
        sum(trial.judged.good for trial in trials),
    )
    errors: Counter[str] = Counter()
    for trial in trials:
        errors.update(trial.errors)
    classes = ", ".join(name for name, _ in errors.most_common())
    failed, never_sent = (
        sum(trial.failed for trial in trials),
        sum(trial.never_sent for trial in trials),
    )
    kinds = {
        f"failed ({classes})": failed,
        "were never sent, because all connections were in use": never_sent,
        "were answered too late": due - good - failed - never_sent,
    }
    lost = [
        f"{words.percent(count / max(1, due))} {what}" for what, count in kinds.items() if count > 0
    ]
    times = [trial.p99_us for trial in trials if trial.p99_us is not None]
    slow = f"; their p99 was {words.duration(max(times))}" if times else ""
    shares = words.listed(lost) or "none was lost"
    return f"of the requests at {words.significant(lowest)}/s, {shares}{slow}"


def _easier(load: CapacityLoad, tried: Sequence[TrialRecord], assign: Assign) -> str:
    """Return the remedy if no rate meets the objective: one that the server can meet."""
    lowest = min(trial.rate_per_s for trial in tried)
    trials = [trial for trial in tried if trial.rate_per_s == lowest]
    times = [trial.p99_us for trial in trials if trial.p99_us is not None]
    first, _, _ = load.objective.partition(",")
    if (
        2 * sum(trial.failed for trial in trials)
        > sum(trial.judged.due - trial.judged.good for trial in trials)
        or not times
    ):
        return "read the server’s log, and correct what makes requests fail"
    if not first.startswith("p"):
        return "choose an objective that the server can meet"
    percentile = first.partition("<")[0].strip()
    objective = f"{percentile}<{_rounded(1.5 * max(times) / 1000)}ms"
    return (
        "make the server faster, or choose an objective that it can meet, such as"
        f" {assign('objective', objective)}"
    )


def _as_option(key: str, value: str) -> str:
    """Render an option of `wirelab capacity`."""
    unit = "s" if key.endswith("_seconds") else ""
    return words.command(OPTIONS[key], value + unit)


def _as_key(key: str, value: str) -> str:
    """Render a key of the load in study.toml."""
    return f"{key} = {json.dumps(value) if key == 'objective' else value}"


def _rounded(value: float) -> str:
    """Round up to 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(f"{digit * power:g}" for digit in ROUND if digit * power >= 0.999 * value)
