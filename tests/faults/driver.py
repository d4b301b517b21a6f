"""The command `wirelab`, which tells where it is and waits there for a word.

What runs is the command itself; only the places where it tells are put around functions of it.
`TELL` and `HEAR` are numbers of pipes' ends, `WANTED` is the phase to tell of, once.
"""

import functools
import os
import sys
from collections.abc import Callable
from typing import Any

from tests.faults import clock
from tests.faults.matrix import Phase, Target
from wirelab.bundle import BlockRecord
from wirelab.cli import main
from wirelab.commands.progress import LiveView
from wirelab.experiment.session import Session
from wirelab.measure.engine import Engine

TELL, HEAR, WANTED = "WIRELAB_FAULTS_TELL", "WIRELAB_FAULTS_HEAR", "WIRELAB_FAULTS_PHASE"
STARTS = {
    Target.CONTENDER: "wirelab.lab.environment.start_guarded",
    Target.PROXY: "wirelab.lab.proxy.start_guarded",
    Target.ENGINE: "wirelab.measure.engine.start_guarded",
    Target.STORE: "wirelab.lab.postgresql_server.start_guarded",
}
"""What starts a part of the laboratory."""

_told: set[Phase] = set()


def reached(phase: Phase) -> None:
    """Tell that a phase is reached, and go on at a word; only the first time."""
    if os.environ.get(WANTED) != phase or phase in _told:
        return
    _told.add(phase)
    os.write(int(os.environ[TELL]), b"\n")
    os.read(int(os.environ[HEAR]), 1)


def before(place: str, phase: Phase) -> None:
    """Tell of a phase before a function is called."""
    owner_name, _, name = place.rpartition(".")
    owner = _find(owner_name)
    function = getattr(owner, name)

    @functools.wraps(function)
    def told(*args: Any, **options: Any) -> Any:
        reached(phase)
        return function(*args, **options)

    setattr(owner, name, told)


def _find(path: str) -> Any:
    """Return a module, or something in one."""
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
    """Tell of the engine's phases when it has its command, and is at work on it."""
    say: Callable[[Engine, Any], None] = Engine._send

    def told(engine: Engine, command: Any) -> None:
        say(engine, command)
        if command["command"] == "warm_up":
            reached(Phase.WARM_UP)
        elif command["command"] == "slices" and command["recorded"]:
            reached(Phase.WINDOW)

    Engine._send = told  # type: ignore[method-assign, assignment]


def after_blocks() -> None:
    """Tell when a block is in the bundle."""
    finished = LiveView.block_finished

    def told(view: LiveView, record: BlockRecord) -> None:
        finished(view, record)
        reached(Phase.BETWEEN)

    LiveView.block_finished = told  # type: ignore[method-assign, assignment]


def after_sessions() -> None:
    """Tell when the first session of a block has ended, and there is another one to come."""
    carry_out = Session.carry_out

    def told(session: Session) -> Any:
        done = carry_out(session)
        reached(Phase.BETWEEN_RUNS)
        return done

    Session.carry_out = told  # type: ignore[method-assign, assignment]


def give_clock() -> None:
    """Start one part with the clock that can be moved, and no other.

    If it is ours, we have it already: we have been started with it.
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


if __name__ == "__main__":
    give_clock()
    before("wirelab.experiment.execution.Execution.set_up", Phase.STANDING_UP)
    before("wirelab.lab.postgresql.fill", Phase.SETTING_UP)
    before("wirelab.lab.mongodb.MongodbStore._restore", Phase.SETTING_UP)
    before("wirelab.experiment.verifier.verify", Phase.VERIFYING)
    before("wirelab.bundle.folder.finish_seal", Phase.SEALING)
    after_commands()
    after_sessions()
    after_blocks()
    sys.exit(main())
