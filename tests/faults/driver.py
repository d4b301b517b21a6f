"""The command `wirelab`, which reports each phase and waits there for a signal to continue.

The command itself runs; only the functions that report phases are wrapped.
`REACHED_PIPE` and `RESUME_PIPE` are ends of pipes, `GATE` is the phase to report, once.
"""

import functools
import os
import sys
from collections.abc import Callable
from typing import Any

from tests.faults import clock
from tests.faults.matrix import Phase, Target
from wirelab.cli import main
from wirelab.commands.progress import ProgressBar
from wirelab.experiment.blocks.session import Session
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


def before(place: str, phase: Phase) -> None:
    """Report a phase before a function is called."""
    owner_name, _, name = place.rpartition(".")
    owner = _find(owner_name)
    function = getattr(owner, name)

    @functools.wraps(function)
    def reporting(*args: Any, **options: Any) -> Any:
        reached(phase)
        return function(*args, **options)

    setattr(owner, name, reporting)


def _find(path: str) -> Any:
    """Return a module, or an attribute of one."""
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        module = ".".join(parts[:length])
        try:
            __import__(module)
        except ImportError:
            continue
        return functools.reduce(getattr, parts[length:], sys.modules[module])
    raise LookupError(path)


def after_commands() -> None:
    """Report the engine's phases when it has its command, and is running it."""
    send: Callable[[Conversation, Any], None] = Conversation.send

    def reporting(conversation: Conversation, command: Any) -> None:
        send(conversation, command)
        if command["command"] == "warm_up":
            reached(Phase.WARM_UP)
        elif command["command"] == "slices" and command["recorded"]:
            reached(Phase.WINDOW)

    Conversation.send = reporting  # type: ignore[method-assign, assignment]


def after_blocks() -> None:
    """Report when a block is recorded."""
    on = ProgressBar.on

    def reporting(bar: ProgressBar, event: Event) -> None:
        on(bar, event)
        if isinstance(event, BlockFinished):
            reached(Phase.BETWEEN)

    ProgressBar.on = reporting  # type: ignore[method-assign, assignment]


def after_sessions() -> None:
    """Report when the first session of a block has ended, and another one follows."""
    run = Session.run

    def reporting(session: Session) -> Any:
        done = run(session)
        reached(Phase.BETWEEN_RUNS)
        return done

    Session.run = reporting  # type: ignore[method-assign, assignment]


def preload_clock() -> None:
    """Start only one part with the changeable clock.

    If the laboratory has the clock, this process was started with it.
    """
    os.environ.pop(clock.PRELOAD, None)
    if clock.TARGET not in os.environ:
        return
    owner_name, _, name = STARTS[Target(os.environ[clock.TARGET])].rpartition(".")
    owner = _find(owner_name)
    start = getattr(owner, name)
    library, file = os.environ[clock.LIBRARY], os.environ[clock.FILE]
    prefix = ["env", f"{clock.PRELOAD}={library}", f"{clock.FILE}={file}"]

    def started(command: Any, **options: Any) -> Any:
        return start([*prefix, *command], **options)

    setattr(owner, name, started)


def report_phases() -> None:
    """Wrap the functions that report phases, in the process that becomes the command."""
    preload_clock()
    before("wirelab.experiment.study.set_up", Phase.STANDING_UP)
    before("wirelab.lab.stores.postgresql.fill", Phase.SETTING_UP)
    before("wirelab.lab.stores.mongodb.MongodbStore._restore", Phase.SETTING_UP)
    before("wirelab.experiment.preparation.verifier.verify", Phase.VERIFYING)
    before("wirelab.bundle.folder.finish_seal", Phase.SEALING)
    after_commands()
    after_sessions()
    after_blocks()


if __name__ == "__main__":
    report_phases()
    sys.exit(main())
