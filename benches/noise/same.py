"""A/A studies: how often a verdict distinguishes a server from itself."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from benches.noise.conditions import Condition, condition
from benches.noise.running import WORLD, run_trial
from wirelab.statistics import Outcome, decide


@dataclass(frozen=True, slots=True)
class SameTrial:
    """One study of a server and its twin, and what was said of them."""

    seed: int
    ratio: float
    low: float
    high: float
    p_value: float
    verdict: str
    is_false: bool
    """The verdict says that the twins differ by something that matters."""
    stolen_share: float
    other_share: float | None
    seconds: float


def try_same(name: Condition, studies: int, first_seed: int) -> Iterator[dict[str, object]]:
    """Carry out so many studies, each with a seed of its own; yield each as it ends."""
    for seed in range(first_seed, first_seed + studies):
        with condition(name, seed):
            trial = run_trial(WORLD, "same", seed)
        ((_, resolved),) = trial.analysis.noise.resolutions
        twin = resolved.twin
        verdict = decide(twin, p_holm=twin.p_value)
        interval = twin.interval95
        assert interval is not None
        disturbance = trial.analysis.disturbance
        row = SameTrial(
            seed=seed,
            ratio=twin.ratio,
            low=interval.low,
            high=interval.high,
            p_value=twin.p_value,
            verdict=verdict.words,
            is_false=verdict.outcome in (Outcome.FASTER, Outcome.SLOWER),
            stolen_share=disturbance.stolen_share,
            other_share=disturbance.other_share,
            seconds=trial.seconds,
        )
        print(f"{name} {seed}: {row.ratio:.3f} [{row.low:.3f}, {row.high:.3f}] {row.verdict}")
        yield asdict(row)
