"""Running studies for a trial: each into a folder that is gone afterwards."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from wirelab.analysis import Analysis, analyse
from wirelab.analysis.values import RunValues
from wirelab.experiment.events import Event, Observer, Observers, StageStarted
from wirelab.experiment.study import run_study
from wirelab.planning.plan import plan_study

WORLD = Path(__file__).parent / "world" / "study"


@dataclass(frozen=True, slots=True)
class Trial:
    """What one study found, and what measuring it took."""

    analysis: Analysis
    values: RunValues
    seconds: float
    """Of the blocks alone, from the start of the first to the end of the last."""


def run_trial(
    study: str | Path,
    design: str,
    seed: int,
    only: Sequence[str] = (),
    *,
    observer: Observer | None = None,
) -> Trial:
    """Run a study and analyse it; `observer` receives its events."""
    with TemporaryDirectory(prefix="wirelab-noise-") as folder:
        watch = _Watch()
        planned = plan_study(study, design, seed, only)
        observers = Observers(watch, observer) if observer else watch
        outcome = run_study(planned, Path(folder) / "bundle", observer=observers)
        seconds = time.monotonic() - watch.began
        analysis = analyse(outcome.bundle)
        values = RunValues.from_bundle(outcome.bundle, analysis.study)
        return Trial(analysis, values, seconds)


class _Watch(Observer):
    """Notes when measuring begins."""

    began = 0.0

    def on(self, event: Event) -> None:
        """Note the time of the last stage."""
        if isinstance(event, StageStarted):
            self.began = time.monotonic()
