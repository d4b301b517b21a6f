"""How a bundle was measured, in sentences: what was started, and which contenders took turns."""

from collections.abc import Iterator, Mapping, Sequence

from wirelab import words
from wirelab.bundle import ContenderRecord, Contents, SessionRecord
from wirelab.study import CapacityLoad

RATIOS = (
    "Ratios compare neighbouring turns, which share the noise, and are more exact than the quotient"
    " of two times."
)

TRIALS = (
    "Before that, contenders took turns in trials at rates near what each of them sustains;"
    " response times are those at half of the lowest rate that a contender sustains."
)
TRIALS_ALONE = (
    f"In each block, trials at {CapacityLoad.RATES} rates near the capacity ran in random order;"
    " the capacity is the rate at which half of them meet the objective. Response times are those"
    " at half of it."
)
"""How capacities were found, and at which load response times were measured; the latter for
contenders that are not compared."""


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
    is_capacity = any(run.capacity is not None for record in records for run in record.runs)
    turns = (*_turns(sessions, started, everyone=not found), *([TRIALS] if is_capacity else ()))
    return (
        *([TRIALS_ALONE] if is_capacity and not compares else turns),
        *(_found(found) if found else ()),
        *_stores(started, contenders),
        *(
            [RATIOS]
            if compares and by_turns and sessions and all(it.permutations for it in sessions)
            else ()
        ),
    )


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
