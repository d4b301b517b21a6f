"""The laboratory: in this process, or the command `wirelab` as another one, as users start it."""

import os
import time
from pathlib import Path

from tests.support.commands import Command
from wirelab.bundle import Bundle, RunRecord
from wirelab.experiment.context import StudyOutcome
from wirelab.experiment.events import Observer
from wirelab.experiment.study import ThisMachine, run_study
from wirelab.planning.plan import plan_study


def measure(
    study: Path,
    *only: str,
    design: str = "smoke",
    stores: dict[str, str] | None = None,
    observer: Observer | None = None,
) -> StudyOutcome:
    """Run a study in this process; its bundle is beside it."""
    planned = plan_study(study, design, 1, only)
    machines = ThisMachine(stores or {})
    folder = study.parent / "bundle"
    return run_study(planned, folder, observer=observer or Observer(), machines=machines)


def runs_of(bundle: Bundle, contender: str, *, twin: bool = False) -> list[RunRecord]:
    """Return the runs of a contender in the last attempts at all blocks."""
    return [
        run
        for block in bundle.last_attempts()
        for run in block.runs
        if (run.run.cell.contender, run.run.cell.twin) == (contender, twin)
    ]


def reasons(bundle: Bundle) -> list[str]:
    """Return why runs do not count."""
    runs = (run for block in bundle.last_attempts() for run in block.runs)
    return [str(reason) for run in runs for reason in run.reasons]


def start_laboratory(*arguments: str | Path) -> Command:
    """Start `wirelab` with these arguments."""
    discarded = Path(os.devnull)
    return Command(*arguments, stdout=discarded, stderr=discarded)


def wait_for_block(bundle: Path, laboratory: Command, finished: int = 1) -> None:
    """Wait until that many blocks are in the bundle and another one has begun."""
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline:
        assert laboratory.poll() is None, "the laboratory ended before its first block"
        blocks = bundle / "blocks"
        if (
            blocks.is_dir()
            and len(Bundle.open(bundle).finished_block_ids()) >= finished
            and list(blocks.glob(".partial-*/1/job.json"))
        ):
            return
        time.sleep(0.1)
    raise AssertionError("no block was finished in three minutes")
