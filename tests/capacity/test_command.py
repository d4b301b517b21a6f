"""`wirelab capacity` as a person starts it, against servers of known capacity."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.compare.running import PROGRAM, wirelab
from tests.measure.test_capacity import SERVER, queue

OK, FAULTS, INTERRUPTED = 0, 5, 130
QUICK = ("--path", "/", "--trial", "0.15s", "--search", "8s", "--repeats", "1")


def command(slots: int, *ways: str) -> str:
    """Return the command of a server of so many slots of 10 ms each."""
    return " ".join([sys.executable, str(SERVER), "{port}", str(slots), "10", *ways])


def capacities(folder: Path) -> dict[str, Any]:
    """Return all that was measured."""
    (path,) = folder.rglob("capacity.json")
    record: dict[str, Any] = json.loads(path.read_text())
    return record


def test_half_the_slots_sustain_half_as_much(tmp_path: Path) -> None:
    sides = (f"whole={command(8)}", f"half={command(4)}")

    done = wirelab("capacity", *sides, "--objective", "p90<30ms", *QUICK, "--json", folder=tmp_path)

    assert done.returncode == OK, done.stderr
    found = json.loads(done.stdout)
    whole, half = (found["contenders"][name] for name in ("whole", "half"))
    assert 200 < whole["rate_per_s"] < 1000
    assert 0.3 < half["rate_per_s"] / whole["rate_per_s"] < 0.75
    assert found["against_first"]["half"]["verdict"] == "sustains less", found
    # Twice what it sustains is not answered in time, and it is itself again afterwards.
    assert whole["overload"]["2"]["good_share"] < 0.9
    assert whole["overload"]["2"]["recovery_s"] < 10
    record = capacities(tmp_path)
    assert record["restarted"] == ["whole", "half"]
    assert len(record["blocks"]) == 6
    for block in record["blocks"]:
        first, second = block["trials"][:2]  # they take turns
        assert {first["contender"], second["contender"]} == {"whole", "half"}
        assert len(block["trials"]) == 18
    (page,) = tmp_path.rglob("capacity.md")
    assert "sustains less" in page.read_text()


def test_one_address_gets_a_capacity_and_is_not_restarted(tmp_path: Path) -> None:
    with queue(8, 10) as url:
        done = wirelab(
            *("capacity", f"it={url}", "--objective", "p90<30ms", "--blocks", "2"),
            *(*QUICK, "--output", "out"),
            folder=tmp_path,
        )

    assert done.returncode == OK, done.stderr
    assert "it was not restarted" in " ".join(done.stdout.split())
    record = capacities(tmp_path / "out")
    rates = [block["capacities"]["it"] for block in record["blocks"]]
    assert any(200 < rate < 1000 for rate in rates if rate)


def test_what_keeps_the_objective_at_no_rate_is_told(tmp_path: Path) -> None:
    sides = (f"quick={command(8)}", f"slow={command(8, 'after=10', 'factor=8')}")

    done = wirelab(
        *("capacity", *sides, "--objective", "p90<30ms", "--blocks", "1", *QUICK),
        folder=tmp_path,
    )

    assert done.returncode == FAULTS, done.stderr
    told = " ".join(done.stdout.split())
    assert "slow was not measured: it keeps the objective at no rate" in told
    assert capacities(tmp_path)["blocks"][0]["capacities"]["quick"] is not None


@pytest.mark.parametrize("objective", ["p99<5ms,", "mean<5ms"])
def test_a_wrong_objective_starts_nothing(tmp_path: Path, objective: str) -> None:
    done = wirelab("capacity", command(8), "--objective", objective, folder=tmp_path)

    assert done.returncode == 2
    assert "p99<50ms" in done.stderr
    assert not list(tmp_path.iterdir())


def test_ctrl_c_keeps_the_blocks_that_are_whole(tmp_path: Path) -> None:
    words = ("capacity", f"it={command(8)}", "--objective", "p90<30ms", *QUICK, "--blocks", "50")
    with subprocess.Popen(
        [PROGRAM, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        deadline = time.monotonic() + 120
        while not list(tmp_path.rglob("capacity.json")):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        printed, told = process.communicate(timeout=60)

    assert process.returncode == INTERRUPTED, told
    assert "it" in printed
    assert 1 <= len(capacities(tmp_path)["blocks"]) < 50
