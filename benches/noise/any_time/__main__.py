"""Compute the table of the repeated t test again, and simulate studies with it.

    python -m benches.noise.any_time table [--blocks 1024]
    python -m benches.noise.any_time studies [--studies 20000]

The table takes some five minutes with 1024 blocks, the studies some ten. Neither measures anything:
they print the same on any machine.
"""

import argparse
from collections.abc import Iterator

import numpy as np

from benches.noise.any_time.calibration import reach, simulate_reach, smallest_reached_with
from benches.noise.any_time.studies import (
    NOISES,
    actual_over_expected,
    blocks_to_verdict,
    false_sameness,
    false_verdicts,
    naive_difference,
)
from wirelab.statistics.repeated_t import CALIBRATION

RATIOS = (1.0, 1.02, 1.05, 1.1, 1.5, 4.0)
DEVIATIONS = (0.01, 0.02, 0.04)
FORECAST = ((1.0, 0.04), (1.02, 0.04), (1.05, 0.04), (1.1, 0.08))
PATHS = 1_000_000


def main() -> None:
    """Read the command line and print one of the two parts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=("table", "studies"))
    parser.add_argument("--blocks", type=int, default=1024, help="the last look")
    parser.add_argument("--studies", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    lines = (
        table(chosen.blocks, chosen.seed)
        if chosen.part == "table"
        else studies(chosen.studies, chosen.seed)
    )
    for line in lines:
        print(line, flush=True)


def table(blocks: int, seed: int) -> Iterator[str]:
    """Yield each point of the table: as printed, by the recursion, and by simulation."""
    columns = ("x in the table", f"x by {blocks}", f"F(x) by {blocks}", "by 256", "simulated, 256")
    yield f"| F | {' | '.join(columns)} |"
    yield "|---|---|---|---|---|---|"
    simulated = simulate_reach([x for x, _ in CALIBRATION], PATHS, 256, seed)
    for (x, probability), share in zip(CALIBRATION, simulated, strict=True):
        exact = f"{smallest_reached_with(probability, blocks):.3g} | {reach(x, blocks):.3g}"
        yield f"| {probability:g} | {x:.3g} | {exact} | {reach(x, 256):.3g} | {share:.3g} |"


def studies(count: int, seed: int) -> Iterator[str]:
    """Yield the tables of false verdicts, and of blocks to the first verdict."""
    yield "| blocks | sd | differs | negligibly | covers after every block | at the verdict |"
    yield "|---|---|---|---|---|---|"
    for deviation in (0.01, 0.04, 0.10):
        yield _false("normal, 30 pairs", false_verdicts(count, deviation, seed))
    for name, noise in NOISES.items():
        wrong = false_verdicts(count, 0.04, seed, pairs=1, noise=noise)
        yield _false(f"{name}, one pair", wrong)
    yield ""
    yield f"called the same, of a true 1.05 at sd 4 %: {false_sameness(count, 0.04, seed):.1%}"
    naive = naive_difference(count, seed)
    yield f"called different, of equal pairs, by a t test after every block: {naive:.1%}"
    for ratio, deviation in FORECAST:
        actual = actual_over_expected(count // 40, ratio, deviation, seed)
        low, middle, high = np.quantile(actual, (0.25, 0.5, 0.75))
        yield (
            f"{ratio:g} at sd {deviation:.0%}, undecided after 6 blocks: took {middle:.1f} times"
            f" the expected further blocks (half of them {low:.1f} to {high:.1f})"
        )
    yield ""
    yield f"| sd | {' | '.join(f'{ratio:g}' for ratio in RATIOS)} |"
    yield f"|---|{'---|' * len(RATIOS)}"
    rows = list(blocks_to_verdict(count, RATIOS, DEVIATIONS, seed))
    for deviation in DEVIATIONS:
        cells = [
            f"{row['blocks']:.1f}" + (f" ({row['decided']:.0%})" if row["decided"] < 0.985 else "")
            for row in rows
            if row["deviation"] == deviation
        ]
        yield f"| {deviation:.0%} | {' | '.join(cells)} |"


def _false(name: str, found: dict[str, float]) -> str:
    shares = " | ".join(f"{share:.1%}" for key, share in found.items() if key != "deviation")
    return f"| {name} | {found['deviation']:.0%} | {shares} |"


if __name__ == "__main__":
    main()
