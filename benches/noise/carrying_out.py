"""Carrying studies out for a trial: each into a folder that is gone afterwards."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from wirelab.analysis import Analysis, analyse
from wirelab.analysis.values import RunValues
from wirelab.experiment import Observer, Observers, plan_study, run_study

WORLD = Path(__file__).parent / "world" / "study"


@dataclass(frozen=True, slots=True)
class Trial:
    """What one study found, and what measuring it took."""

    analysis: Analysis
    values: RunValues
    seconds: float
    """Of the blocks alone, from the start of the first to the end of the last."""


def carry_out(
    study: str | Path,
    design: str,
    seed: int,
    only: Sequence[str] = (),
    *,
    observer: Observer | None = None,
) -> Trial:
    """Carry a study out and analyse it; `observer` receives its events."""
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

    def phase(self, text: str, steps: int) -> None:  # noqa: ARG002
        """Note the time of the last stage."""
        self.began = time.monotonic()
