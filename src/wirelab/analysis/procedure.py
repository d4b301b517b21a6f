"""How a bundle was measured, in sentences: what was started, and which contenders took turns."""

from collections.abc import Iterator, Mapping, Sequence

from wirelab.bundle import CapacityRecord, ContenderRecord, Contents, SessionRecord
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


def procedure(
    bundle: Contents,
    contenders: Mapping[str, ContenderRecord],
    labels: Mapping[str, str],
    *,
    by_turns: bool,
    compares: bool,
) -> tuple[str, ...]:
    """Describe how the last attempts at all blocks ran, and what wirelab did not control.

    `by_turns`: ratios are those of slices, where contenders took turns. `compares`: whether the
    study compares cells.
    """
    records = bundle.last_attempts()
    sessions = [each for record in records for each in record.measured_sessions]
    started = [labels[name] for name, each in contenders.items() if _holds("fresh_start", each)]
    found = [labels[name] for name in contenders if labels[name] not in started]
    capacities = [run.capacity for record in records for run in record.runs if run.capacity]
    has_trials = any(each.trials for each in capacities)
    turns = (*_turns(sessions, started, everyone=not found), *([TRIALS] if has_trials else ()))
    return (
        *(_trials_alone(capacities) if capacities and not compares else turns),
        *(_found(found) if found else ()),
        *_stores(started, contenders),
        *(
            [RATIOS]
            if compares and by_turns and sessions and all(it.permutations for it in sessions)
            else ()
        ),
    )


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


def _found(found: Sequence[str]) -> Iterator[str]:
    """Name the servers that were already running; a caution explains the consequences."""
    yield f"{words.listed(found)} {'was' if len(found) == 1 else 'were'} running already."


def _stores(started: Sequence[str], contenders: Mapping[str, ContenderRecord]) -> Iterator[str]:
    if started and all(_holds("restored_store", each) for each in contenders.values()):
        yield "At the start of each block, every store was in the state that the workload requires."
