"""The command `wirelab`, which reports each phase and waits there for a signal to continue.

The command itself runs; only the functions that report phases are wrapped.
`REACHED_PIPE` and `RESUME_PIPE` are ends of pipes, `GATE` is the phase to report, once.
"""

import functools
import os
import pkgutil
import sys
from collections.abc import Callable, Mapping
from typing import Any

from tests.faults import clock
from tests.faults.matrix import Phase, Target
from wirelab.cli import main
from wirelab.commands.progress import ProgressBar
from wirelab.experiment.events import BlockFinished, Event
from wirelab.measure.conversation import Conversation

REACHED_PIPE = "WIRELAB_FAULTS_REACHED"
RESUME_PIPE = "WIRELAB_FAULTS_RESUME"
GATE = "WIRELAB_FAULTS_PHASE"
STARTS = {
    Target.CONTENDER: "wirelab.lab.environments.environment.start_guarded",
    Target.PROXY: "wirelab.lab.network.proxy.start_guarded",
    Target.ENGINE: "wirelab.measure.driver.start_guarded",
    Target.STORE: "wirelab.lab.stores.postgresql_server.start_guarded",
}
"""The functions that start a part of the laboratory."""

_reported: set[Phase] = set()


def reached(phase: Phase) -> None:
    """Report that a phase is reached, and wait to continue; only the first time."""
    if os.environ.get(GATE) != phase or phase in _reported:
        return
    _reported.add(phase)
    os.write(int(os.environ[REACHED_PIPE]), b"\n")
    os.read(int(os.environ[RESUME_PIPE]), 1)


def wrap(place: str, wrapped: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Replace a function or method."""
    owner_name, _, name = place.rpartition(".")
    owner = pkgutil.resolve_name(owner_name)
    setattr(owner, name, wrapped(getattr(owner, name)))


def report(place: str, phase_of: Callable[..., Phase | None], *, done: bool) -> None:
    """Report the phase that the arguments of a call stand for: before it, or if `done`, after."""

    def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def reporting(*args: Any, **options: Any) -> Any:
            phase = phase_of(*args)
            if phase and not done:
                reached(phase)
            result = function(*args, **options)
            if phase and done:
                reached(phase)
            return result

        return reporting

    wrap(place, wrapped)


def of_command(_: Conversation, command: Any) -> Phase | None:
    """Return the phase of a command to the engine."""
    if command["command"] == "slices" and command["recorded"]:
        return Phase.WINDOW
    return Phase.WARM_UP if command["command"] == "warm_up" else None


def of_event(_: ProgressBar, event: Event) -> Phase | None:
    """Return the phase after an event of the study."""
    return Phase.BETWEEN if isinstance(event, BlockFinished) else None


def preload_clock() -> None:
    """Start only one part with the changeable clock.

    If the laboratory has the clock, this process was started with it.
    """
    os.environ.pop(clock.PRELOAD, None)
    if clock.TARGET not in os.environ:
        return
    library, file = os.environ[clock.LIBRARY], os.environ[clock.FILE]
    prefix = ["env", f"{clock.PRELOAD}={library}", f"{clock.FILE}={file}"]
    wrap(
        STARTS[Target(os.environ[clock.TARGET])],
        lambda start: lambda command, **options: start([*prefix, *command], **options),
    )


def report_phases() -> None:
    """Wrap the functions that report phases, in the process that becomes the command."""
    preload_clock()
    for place, phase in BEFORE.items():
        report(place, lambda *_, phase=phase: phase, done=False)
    for place, phase_of in AFTER.items():
        report(place, phase_of, done=True)


BEFORE = {
    "wirelab.experiment.study.set_up": Phase.STANDING_UP,
    "wirelab.lab.stores.postgresql.fill": Phase.SETTING_UP,
    "wirelab.lab.stores.mongodb.MongodbStore._restore": Phase.SETTING_UP,
    "wirelab.experiment.preparation.verifier.verify": Phase.VERIFYING,
    "wirelab.bundle.folder.finish_seal": Phase.SEALING,
}
AFTER: Mapping[str, Callable[..., Phase | None]] = {
    "wirelab.measure.conversation.Conversation.send": of_command,
    "wirelab.experiment.blocks.session.Session.run": lambda _: Phase.BETWEEN_RUNS,
    "wirelab.commands.progress.ProgressBar.on": of_event,
}
"""The functions before or after which phases are reported."""


if __name__ == "__main__":
    report_phases()
    sys.exit(main())
