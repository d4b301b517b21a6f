"""A/A studies: how often a server that is measured twice gets a verdict of a difference.

A study looks after every block from the fourth on, and ends with the first verdict.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from benches.noise.conditions import Condition, condition
from benches.noise.running import WORLD, run_trial


@dataclass(frozen=True, slots=True)
class SameTrial:
    """One study of two equal servers, and what was said of them."""

    seed: int
    blocks: int
    ratio: float
    low: float
    high: float
    p_value: float
    verdict: str
    is_false: bool
    """The verdict says that the equal servers differ by something that matters."""
    stolen_share: float
    other_share: float | None
    seconds: float


def try_same(name: Condition, studies: int, first_seed: int) -> Iterator[dict[str, object]]:
    """Carry out so many studies, each with a seed of its own; yield each as it ends."""
    for seed in range(first_seed, first_seed + studies):
        with condition(name, seed):
            trial = run_trial(WORLD, "same", seed)
        ((pair,),) = (answer.pairs for answer in trial.analysis.answers)
        interval, verdict = pair.comparison.interval95, pair.verdict
        assert interval is not None
        assert verdict is not None
        disturbance = trial.analysis.disturbance
        row = SameTrial(
            seed=seed,
            blocks=pair.comparison.blocks,
            ratio=pair.comparison.ratio,
            low=interval.low,
            high=interval.high,
            p_value=pair.comparison.p_value,
            verdict=verdict.words,
            is_false=verdict.orders,
            stolen_share=disturbance.stolen_share,
            other_share=disturbance.other_share,
            seconds=trial.seconds,
        )
        shown = f"{row.ratio:.3f} [{row.low:.3f}, {row.high:.3f}] {row.verdict}"
        print(f"{name} {seed}: {shown} after {row.blocks} blocks", flush=True)
        yield asdict(row)
