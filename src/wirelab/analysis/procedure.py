"""How a bundle was measured, in sentences: what was started, and which contenders took turns."""

from collections.abc import Iterator, Mapping, Sequence

from wirelab.bundle import BlockRecord, CapacityRecord, ContenderRecord, SessionRecord
from wirelab.bundle.records import EarlierSequence
from wirelab.study import CapacityLoad
from wirelab.terminal import words

RATIOS = (
    "Ratios compare neighbouring turns, which share the noise, and are more exact than the quotient"
    " of two times."
)

TRIALS = (
    "Before that, contenders took turns in trials at rates near what each of them sustains;"
    " response times are those at half of the lowest rate that a contender sustains."
)
"""How capacities of several contenders were found, and the load at which responses were timed."""


def has_ratios_of_turns(blocks: Sequence[BlockRecord]) -> bool:
    """Return whether contenders took turns in all sessions."""
    sessions = _sessions(blocks)
    return bool(sessions) and all(session.permutations for session in sessions)


def procedure(
    blocks: Sequence[BlockRecord],
    contenders: Mapping[str, ContenderRecord],
    labels: Mapping[str, str],
    *,
    has_ratios: bool,
    compares: bool,
) -> tuple[str, ...]:
    """Describe how the attempts that count ran, and what wirelab did not control.

    `has_ratios`: ratios are those of slices, where contenders took turns. `compares`: whether the
    study compares cells.
    """
    started = [labels[name] for name, each in contenders.items() if _holds("fresh_start", each)]
    running = [labels[name] for name in contenders if labels[name] not in started]
    capacities = [run.capacity for record in blocks for run in record.runs if run.capacity]
    has_trials = any(each.trials for each in capacities)
    in_turns = _turns(_sessions(blocks), started, everyone=not running)
    turns = (*in_turns, *([TRIALS] if has_trials else ()))
    return (
        *(_trials_alone(capacities) if capacities and not compares else turns),
        *(_running(running) if running else ()),
        *_stores(started, contenders),
        *([RATIOS] if has_ratios else ()),
    )


def _sessions(blocks: Sequence[BlockRecord]) -> list[SessionRecord]:
    return [session for record in blocks for session in record.measured_sessions]


def _trials_alone(capacities: Sequence[CapacityRecord]) -> Iterator[str]:
    """Describe the trials of contenders that are not compared, as far as there were any."""
    if any(each.trials for each in capacities):
        yield (
            f"In each block, trials at {CapacityLoad.RATES} rates ran in random order; the capacity"
            " is the rate at which half of them meet the objective."
        )
    if any(each.rate_per_s for each in capacities):
        yield "Response times are those at half of it."


def _holds(what: str, record: ContenderRecord) -> bool:
    return what not in record.not_controlled


def _turns(
    sessions: Sequence[SessionRecord], started: Sequence[str], *, everyone: bool
) -> Iterator[str]:
    who = "all contenders of a setting" if everyone else words.listed(started)
    in_turns = any(session.permutations for session in sessions)
    if in_turns:
        fresh = f"each block started {who} afresh; then" if started else "in each block"
        yield words.capital(f"{fresh} contenders took turns in short slices, in random order.")
    if any(not session.permutations for session in sessions):
        fresh = f", after a fresh start of {who}" if started else ""
        yield f"Each {'further ' if in_turns else ''}run had its own window{fresh}."


def _running(running: Sequence[str]) -> Iterator[str]:
    """Name the servers that were already running; a caution explains the consequences."""
    yield f"{words.listed(running)} {'was' if len(running) == 1 else 'were'} running already."


def _stores(started: Sequence[str], contenders: Mapping[str, ContenderRecord]) -> Iterator[str]:
    if started and all(_holds("restored_store", each) for each in contenders.values()):
        yield "At the start of each block, every store was in the state that the workload requires."


def amount(
    records: Sequence[BlockRecord], family: int, earlier: Sequence[EarlierSequence] = ()
) -> tuple[str, ...]:
    """Say how long measuring took, on which days, and how many comparisons share the correction.

    `records` are all attempts, `family` counts compared pairs. `earlier` are sequences of blocks
    that no longer count.
    """
    return tuple(_amount(records, family, earlier))


def _amount(
    records: Sequence[BlockRecord], family: int, earlier: Sequence[EarlierSequence]
) -> Iterator[str]:
    if records:
        seconds = [record.seconds for record in records]
        low, high = _time(min(seconds)), _time(max(seconds))
        repeated = sum(record.attempt > 1 for record in records)
        again = f" ({repeated} of them repeated)" if repeated else ""
        yield (
            f"{words.plural(len(records), 'block')}{again} took {_time(sum(seconds))} in all,"
            f" {low if low == high else f'{low} to {high}'} each."
        )
        days = sorted({record.started_utc[:10] for record in records})
        if len(days) > 1:
            yield f"They were measured on {words.listed(days)}."
    for sequence in earlier:
        yield (
            f"{words.plural(len(sequence.attempts), 'block')} from before"
            f" {sequence.ended_utc[:10]} do not count: {words.listed(sequence.changed)} changed."
        )
    if family:
        yield f"Holm's correction covers {words.plural(family, 'comparison')}."


def _time(seconds: float) -> str:
    """Render a time in seconds, or from two minutes on in minutes."""
    if seconds < 120:
        return f"{words.significant(seconds, 2)} s"
    return f"{words.significant(seconds / 60, 2)} min"
