"""How it was measured, in sentences that hold for this bundle: who was started, who took turns."""

from collections.abc import Iterator, Mapping, Sequence

from wirelab.analysis import words
from wirelab.bundle import BlockRecord, Bundle, ContenderRecord, SessionRecord


def procedure(
    bundle: Bundle, contenders: Mapping[str, ContenderRecord], labels: Mapping[str, str]
) -> tuple[str, ...]:
    """Say how the last attempts at all blocks went, and what wirelab had no hand in."""
    records = bundle.last_attempts()
    sessions = [each for record in records if not record.failure for each in record.sessions]
    started = [labels[name] for name, each in contenders.items() if _holds("fresh_start", each)]
    found = [labels[name] for name in contenders if labels[name] not in started]
    return (
        *_turns(sessions, started, everyone=not found),
        *(_found(found, contenders, labels) if found else ()),
        *_stores(started, contenders, labels),
        *_notes(records),
    )


def _holds(what: str, record: ContenderRecord) -> bool:
    return what not in record.not_controlled


def _turns(
    sessions: Sequence[SessionRecord], started: Sequence[str], *, everyone: bool
) -> Iterator[str]:
    who = "all contenders of a setting" if everyone else words.listed(started)
    in_turns = any(session.permutations for session in sessions)
    if in_turns:
        fresh = f"each block started {who} afresh; " if started else "in each block "
        yield words.capital(f"{fresh}they took turns in short slices, in random order.")
    if any(not session.permutations for session in sessions):
        fresh = f", after a fresh start of {who}" if started else ""
        yield f"Each {'further ' if in_turns else ''}run had a window of its own{fresh}."


def _found(
    found: Sequence[str], contenders: Mapping[str, ContenderRecord], labels: Mapping[str, str]
) -> Iterator[str]:
    """Say what it means that some servers were running already."""
    ran, them = ("was", "it") if len(found) == 1 else ("were", "them")
    yield (
        f"{words.listed(found)} {ran} running already. wirelab did not start {them}, so intervals"
        " do not cover differences between starts."
    )
    unknown = [labels[name] for name, each in contenders.items() if not _holds("processes", each)]
    if unknown:
        yield f"CPU time and memory of {words.listed(unknown)} are not known."


def _stores(
    started: Sequence[str], contenders: Mapping[str, ContenderRecord], labels: Mapping[str, str]
) -> Iterator[str]:
    left = [labels[name] for name, each in contenders.items() if not _holds("restored_store", each)]
    if left:
        yield f"The data behind {words.listed(left)} were not restored between blocks."
    elif started:
        yield "Every store was in the state that the workload asks for when a block began."


def _notes(records: Sequence[BlockRecord]) -> Iterator[str]:
    """Repeat what was noted of blocks, each note once."""
    for note in dict.fromkeys(note for record in records for note in record.notes):
        yield f"{words.capital(note.rstrip('.'))}."
