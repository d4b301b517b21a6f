"""Regressions between git versions: is one of 5 % found, and none where there is none.

Each repetition makes a repository with three versions: the server before the change, one whose
answers take 5 % longer, and one with another comment. `wirelab compare` compares the first with
each of the others, as a developer or a pipeline would.

How long a round of work takes, relative to the rest of an answer, depends on the machine: a version
with twice the rounds, compared first and without the disturber, shows it.
"""

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benches.noise.conditions import Condition, condition
from wirelab.analysis import analyse
from wirelab.bundle import Bundle
from wirelab.statistics import Outcome
from wirelab.terminal.exit_codes import ExitCode

SERVER = Path(__file__).parent / "world" / "versions" / "serve.py"
WORK = "ROUNDS = {rounds}\n# {remark}\n"
ROUNDS = 24_000
"""Rounds of work before the change."""
REGRESSION = 0.05
"""Time added to an answer, relative to the time before."""
MARGIN = "2"
"""Percent: who wants to find 5 % does not call 4 % the same."""
LONGEST_S = 600.0
MEASURED = {ExitCode.OK, ExitCode.SLOWER, ExitCode.CANNOT_TELL}


@dataclass(frozen=True, slots=True)
class RegressionTrial:
    """One comparison of a version with that before it."""

    seed: int
    version: str
    ratio: float
    low: float
    high: float
    verdict: str
    is_slower: bool
    is_told_apart: bool
    """The verdict says that they differ, in whichever direction."""
    seconds: float


def try_regression(
    name: Condition, repetitions: int, first_seed: int, budget: str
) -> Iterator[dict[str, object]]:
    """Compare the versions `repetitions` times; yield each comparison as it ends."""
    regressed = _rounds_of_regression(first_seed)
    for seed in range(first_seed, first_seed + repetitions):
        with TemporaryDirectory(prefix="wirelab-regression-") as place:
            repository = _repository(Path(place) / "repository", regressed)
            for version in ("regressed", "same"):
                with condition(name, seed):
                    row = _compare(repository, version, seed, budget)
                print(
                    f"{name} {seed} {version}: {row.ratio:.3f} [{row.low:.3f}, {row.high:.3f}]"
                    f" {row.verdict}, {row.seconds:.0f} s",
                    flush=True,
                )
                yield asdict(row)


def _rounds_of_regression(seed: int) -> int:
    """Return the rounds with which an answer takes 5 % longer than before on this machine."""
    with TemporaryDirectory(prefix="wirelab-regression-") as place:
        repository = _repository(Path(place) / "repository", 2 * ROUNDS)
        ratio = _compare(repository, "regressed", seed, "30s").ratio
    rounds = ROUNDS + round(ROUNDS * REGRESSION / (ratio - 1))
    print(f"twice the work takes {ratio:.3f} times as long: the regression is {rounds} rounds")
    return rounds


def _repository(folder: Path, regressed_rounds: int) -> Path:
    versions = {
        "before": (ROUNDS, "as it was"),
        "regressed": (regressed_rounds, "more work"),
        "same": (ROUNDS, "another comment"),
    }
    folder.mkdir()
    (folder / "serve.py").write_text(SERVER.read_text())
    _git(folder, "init", "--quiet", "--initial-branch", "main")
    for version, (rounds, remark) in versions.items():
        (folder / "work.py").write_text(WORK.format(rounds=rounds, remark=remark))
        _git(folder, "add", ".")
        _git(folder, "commit", "--quiet", "--message", remark)
        _git(folder, "tag", version)
    return folder


def _git(folder: Path, *arguments: str) -> None:
    who = "-c", "user.name=bench", "-c", "user.email=bench@example.org"
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True)


def _compare(repository: Path, version: str, seed: int, budget: str) -> RegressionTrial:
    bundle = repository.parent / f"bundle-{version}"
    began = time.monotonic()
    done = subprocess.run(
        [
            *(str(Path(sys.executable).with_name("wirelab")), "compare", f"before..{version}"),
            *("--start", f"exec {sys.executable} serve.py {{port}}", "--path", "/items/7"),
            *("--budget", budget, "--margin", MARGIN, "--ci", "--seed", str(seed)),
            *("--output", str(bundle)),
        ],
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST_S,
    )
    seconds = time.monotonic() - began
    if done.returncode not in MEASURED:
        raise RuntimeError(f"wirelab compare ended with {done.returncode}: {done.stderr}")
    (pair,) = (pair for answer in analyse(Bundle.open(bundle)).answers for pair in answer.pairs)
    interval = pair.comparison.interval95
    assert pair.verdict is not None
    assert interval is not None
    return RegressionTrial(
        seed=seed,
        version=version,
        ratio=pair.comparison.ratio,
        low=interval.low,
        high=interval.high,
        verdict=pair.verdict.words,
        is_slower=pair.verdict.outcome is Outcome.SLOWER,
        is_told_apart=pair.verdict.outcome in (Outcome.SLOWER, Outcome.FASTER),
        seconds=seconds,
    )
