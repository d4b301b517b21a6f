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
QUICK = ("--path", "/", "--trial", "0.3s", "--search", "8s", "--repeats", "1")


OBJECTIVE = ("--objective", "failed<30%")
"""The servers refuse what they have no slot for, so that no time of a busy machine decides."""


def command(slots: int, *ways: str) -> str:
    """Return the command of a server of so many slots of 20 ms each."""
    ways = ("refuse", *ways)
    return " ".join([sys.executable, str(SERVER), "{port}", str(slots), "20", *ways])


def capacities(folder: Path) -> dict[str, Any]:
    """Return all that was measured."""
    (path,) = folder.rglob("capacity.json")
    record: dict[str, Any] = json.loads(path.read_text())
    return record


@pytest.mark.thorough(reason="six starts of two servers, and trials at all of their rates")
def test_half_the_slots_sustain_half_as_much(tmp_path: Path) -> None:
    sides = (f"whole={command(8)}", f"half={command(4)}")

    done = wirelab("capacity", *sides, *OBJECTIVE, *QUICK, "--json", folder=tmp_path)

    assert done.returncode == OK, done.stderr
    found = json.loads(done.stdout)
    whole, half = (found["contenders"][name] for name in ("whole", "half"))
    assert 25 < whole["rate_per_s"] < 640
    assert 0.25 < half["rate_per_s"] / whole["rate_per_s"] < 0.8
    assert found["against_first"]["half"]["verdict"] == "sustains less", found
    # Half or more of twice what it sustains is refused, and it is itself again afterwards.
    assert whole["overload"]["2"]["failed_share"] > 0.3
    assert whole["overload"]["2"]["failed"] == ["status"]
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
    with queue(8, 20, "refuse") as url:
        done = wirelab(
            *("capacity", f"it={url}", *OBJECTIVE, "--blocks", "2"),
            *(*QUICK, "--output", "out"),
            folder=tmp_path,
        )

    assert done.returncode in (OK, FAULTS), done.stderr  # FAULTS: this machine stood still
    assert "it was not restarted" in " ".join(done.stdout.split())
    record = capacities(tmp_path / "out")
    rates = [block["capacities"].get("it") for block in record["blocks"]]
    assert all(0 < rate < 640 for rate in rates if rate)
    assert (done.returncode == OK) == any(rates)
    assert record["searches"]["it"]["trials"]


def test_what_fails_under_load_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    sides = (f"sound={command(8)}", f"frail={command(8, 'breaks=25')}")

    done = wirelab("capacity", *sides, *OBJECTIVE, "--blocks", "1", *QUICK, folder=tmp_path)

    assert done.returncode == FAULTS, done.stderr
    assert "frail was not measured" in " ".join(done.stdout.split())
    (block,) = capacities(tmp_path)["blocks"]
    assert "frail" not in {trial["contender"] for trial in block["trials"]}
    assert "frail" in block["reasons"]


def test_an_objective_that_no_rate_keeps_is_told(tmp_path: Path) -> None:
    side = f"slow={command(8)}"

    done = wirelab(
        *("capacity", side, "--objective", "p90<2ms", "--blocks", "3", *QUICK), folder=tmp_path
    )

    assert done.returncode == FAULTS, done.stderr
    told = " ".join(done.stdout.split())
    assert "slow was not measured: it keeps the objective at no rate" in told
    assert len(capacities(tmp_path)["blocks"]) == 1  # further ones would show no more


@pytest.mark.parametrize("objective", ["p99<5ms,", "mean<5ms"])
def test_a_wrong_objective_starts_nothing(tmp_path: Path, objective: str) -> None:
    done = wirelab("capacity", command(8), "--objective", objective, folder=tmp_path)

    assert done.returncode == 2
    assert "p99<50ms" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.thorough(reason="waits for a block to be whole")
def test_ctrl_c_keeps_the_blocks_that_are_whole(tmp_path: Path) -> None:
    words = ("capacity", f"it={command(8)}", *OBJECTIVE, *QUICK, "--blocks", "50")
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
