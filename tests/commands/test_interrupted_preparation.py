"""A command that is interrupted while it builds, generates or measures leaves nothing behind."""

import json
import shlex
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.compare.running import TWO_BLOCKS
from tests.support.commands import Command
from tests.support.queue import SERVER
from tests.support.worlds import copy_world
from wirelab.installation.build_cache import COMPLETE
from wirelab.terminal.exit_codes import ExitCode

PATIENCE_S = 120.0


def slow_step(mark: Path) -> list[str]:
    """Return a command that starts another process, makes a file, and does not end."""
    return ["sh", "-c", f"sleep 300 & touch {mark}; wait"]


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A folder for temporary files, which other users can read, too."""
    with tempfile.TemporaryDirectory(prefix="wirelab-test-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def interrupt(
    number: signal.Signals,
    is_reached: Callable[[], bool],
    temporary: Path,
    folder: Path,
    *words: str | Path,
) -> str:
    """Interrupt a command at a moment, and require that it leaves nothing behind.

    Returns what it printed.
    """
    cache, output = folder / "cache", folder / "output"
    command = Command(
        *words,
        stdout=output,
        stderr=output,
        folder=folder,
        environment={"TMPDIR": str(temporary), "WIRELAB_CACHE": str(cache)},
        constants=TWO_BLOCKS,
    )
    deadline = time.monotonic() + PATIENCE_S
    while not (is_reached() or command.poll() is not None or time.monotonic() > deadline):
        time.sleep(0.02)
    assert is_reached(), output.read_text()
    started = psutil.Process(command.pid).children(recursive=True)
    assert len(started) > 1

    command.send_signal(number)
    code = command.wait(PATIENCE_S)

    printed = output.read_text()
    assert code == ExitCode.INTERRUPTED, printed
    assert "Traceback" not in printed
    assert psutil.wait_procs(started, timeout=10)[1] == []
    assert list(temporary.iterdir()) == []
    builds = [path for path in cache.glob("builds/*") if path.suffix != ".lock"]
    assert all((path / COMPLETE).exists() for path in builds)
    assert list(cache.glob("data/.making-*")) == []
    return printed


@pytest.mark.parametrize(
    ("step", "number"), [("commands", signal.SIGTERM), ("versions", signal.SIGINT)]
)
def test_a_build_is_interrupted(
    tmp_path: Path, temporary: Path, step: str, number: signal.Signals
) -> None:
    study, mark = copy_world(tmp_path), tmp_path / "reached"
    step_command = slow_step(mark)
    if step == "commands":  # a compiler, for example, has temporary files
        step_command[-1] = f"mktemp && {step_command[-1]}"
    slow = json.dumps(step_command)
    contender = study.parent / "domain" / "contenders" / "python" / "contender.toml"
    build = f"commands = [{slow}]" if step == "commands" else f"versions = {slow}"
    contender.write_text(
        contender.read_text().replace("\n\n", f"\n\n[build]\ninputs = []\n{build}\n\n", 1)
    )

    bundle = tmp_path / "bundle"
    words = ("run", study, "--only", "good", "--output", bundle)
    printed = interrupt(number, mark.exists, temporary, tmp_path, *words)

    assert f"wirelab run --resume {bundle}" in " ".join(printed.split())


def test_a_generator_is_interrupted(tmp_path: Path, temporary: Path) -> None:
    study, mark = copy_world(tmp_path), tmp_path / "reached"
    (study.parent / "domain" / "generate.py").write_text(
        f"import subprocess\nsubprocess.run({slow_step(mark)!r})\n"
    )

    words = ("run", study, "--only", "good", "--output", tmp_path / "bundle")
    interrupt(signal.SIGTERM, mark.exists, temporary, tmp_path, *words)

    assert list((tmp_path / "cache").glob("data/*")) == []


@pytest.mark.parametrize("moment", ["probing", "measuring"])
def test_a_search_for_capacity_is_interrupted_before_its_first_block_is_complete(
    tmp_path: Path, temporary: Path, moment: str
) -> None:
    mark, bundle = tmp_path / "reached", tmp_path / "bundle"
    server = shlex.join([sys.executable, str(SERVER)])
    side = f"it={shlex.join(slow_step(mark))} & exec {server} {{port}} 8 20 refuse"

    def is_reached() -> bool:
        blocks = bundle / "blocks"
        return mark.exists() if moment == "probing" else any(blocks.glob(".partial-*/1/job.json"))

    options = ("--path", "/", "--objective", "failed<30%", "--output", bundle)
    printed = interrupt(signal.SIGTERM, is_reached, temporary, tmp_path, "capacity", side, *options)

    again = f"wirelab run --resume {bundle}"
    expected = "interrupted by SIGTERM" if moment == "probing" else again
    assert expected in " ".join(printed.split())
