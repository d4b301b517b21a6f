"""kill -9 at any moment leaves a bundle that can be read and resumed, with no finished run lost."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from wirelab.bundle import Bundle

from . import writer

ROOT = Path(__file__).parents[2]
RUNS = 400
DEATHS = 12


def test_a_writer_killed_again_and_again_loses_no_finished_run(tmp_path: Path) -> None:
    folder = tmp_path / "bundle"
    moment = random.Random(20261120)
    promised: set[str] = set()

    for _ in range(DEATHS):
        promised |= _write_until_killed(folder, moment.uniform(0.0, 0.25))
        if not folder.exists():
            assert promised == set()
            continue
        bundle = Bundle.open(folder)

        assert promised <= bundle.finished_run_ids()
        assert bundle.info.status in {"planned", "running", "complete"}
        assert all(event["event"] == "run started" for event in bundle.events())
        for record in bundle.run_records():
            for name in ("result.json", "samples.parquet", "contender.log"):
                path = folder / "runs" / record.folder_name / name
                assert path.stat().st_size == len(writer.PAYLOAD)

    assert promised, "the writer was never given time to finish a run"
    subprocess.run(_command(folder), check=True, capture_output=True, cwd=ROOT)

    bundle = Bundle.open(folder)
    assert bundle.finished_run_ids() == {f"run-{index}" for index in range(RUNS)}
    assert bundle.check() == []
    assert not list(tmp_path.rglob(".partial-run*"))


def test_death_while_a_bundle_is_made_leaves_all_of_it_or_nothing(tmp_path: Path) -> None:
    for attempt in range(6):
        folder = tmp_path / f"bundle-{attempt}"
        _write_until_killed(folder, 0.0, wait_for=folder.parent / f".partial-{folder.name}")

        if folder.exists():
            assert len(Bundle.open(folder).schedule.runs) == RUNS


def _write_until_killed(folder: Path, seconds: float, wait_for: Path | None = None) -> set[str]:
    """Let the writer work that long after it is open, or `wait_for` is there; what it promised."""
    process = subprocess.Popen(_command(folder), stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        assert process.stdout is not None
        if wait_for is None:
            process.stdout.readline()
        while wait_for and not (wait_for.exists() or folder.exists() or process.poll() is not None):
            pass  # the folder lives for a millisecond: no time to sleep
        time.sleep(seconds)
    finally:
        process.send_signal(signal.SIGKILL)
        output, _ = process.communicate()
    return {line for line in output.splitlines() if line.startswith("run-")}


def _command(folder: Path) -> list[str]:
    return [sys.executable, "-m", f"{__package__}.writer", str(folder), str(RUNS)]
