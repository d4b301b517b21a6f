"""Whether a resumed study continues its sequence of blocks, or begins a new one.

Tests assume that all blocks repeat the same experiment. What another machine measures, or another
version, is another experiment.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from wirelab.bundle import ContenderRecord
from wirelab.bundle.records import ENDED_EVENTS
from wirelab.experiment.context import RunContext
from wirelab.experiment.events import Note
from wirelab.lab.host import Host, other_machine, other_versions
from wirelab.terminal import words


def keep_one_sequence(
    context: RunContext, host: Host, contenders: Mapping[str, ContenderRecord]
) -> None:
    """Begin a new sequence if a resumed study has another machine, or other versions.

    The blocks so far then no longer count: they stay in the bundle as earlier attempts, and are
    measured again. `contenders` are the records from before this execution. A study of which
    nothing is left stays as it is, and so does one that several machines of a cluster measured:
    there, the report compares machines.
    """
    bundle, schedule = context.bundle, context.plan.schedule
    finished = bundle.finished_block_ids()
    has_ended = any(event.get("event") in ENDED_EVENTS for event in bundle.events())
    is_done = not schedule.remaining(finished) and has_ended
    if not finished or is_done or bundle.machines:
        return
    here = host.model_dump(mode="json")
    reasons = [
        *other_machine(here, bundle.host),
        *other_versions(here, bundle.host),
        *_other_versions(bundle.contenders, contenders),
    ]
    if not reasons:
        return
    first = context.plan.design.first_blocks if schedule.until_decided else None
    blocks = tuple(b for b in schedule.blocks if first is None or b.number <= first)
    context.plan = replace(context.plan, schedule=replace(schedule, blocks=blocks))
    bundle.begin_sequence(reasons, context.plan.schedule, here)
    counted = words.plural(len(finished), "block")
    context.observer.on(
        Note(
            f"{words.listed(reasons)} changed since {counted} were measured: a new sequence begins,"
            " and these no longer count"
        )
    )


def _other_versions(
    now: Mapping[str, ContenderRecord], before: Mapping[str, ContenderRecord]
) -> Iterator[str]:
    """Yield the contenders of which another version was built than for the blocks so far."""
    for name in sorted(now.keys() & before.keys()):
        if before[name].versions and now[name].versions != before[name].versions:
            yield f"the versions of {name}"
