"""The command `wirelab` as another process, as its users start it."""

import subprocess
import sys
import time
from pathlib import Path

from wirelab.bundle import Bundle


def start_laboratory(*arguments: str | Path) -> subprocess.Popen[bytes]:
    """Start `wirelab` with these arguments."""
    command = [sys.executable, "-c", "import sys; from wirelab.cli import main; sys.exit(main())"]
    return subprocess.Popen(
        [*command, *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def wait_for_run(bundle: Path, laboratory: subprocess.Popen[bytes]) -> None:
    """Wait until a run is in the bundle and another one has begun."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert laboratory.poll() is None, "the laboratory ended before its first run"
        runs = bundle / "runs"
        if (
            runs.is_dir()
            and Bundle.open(bundle).finished_run_ids()
            and list(runs.glob(".partial-*"))
        ):
            return
        time.sleep(0.05)
    raise AssertionError("no run was finished in a minute")
