"""The search for capacity, against servers with a known number of slots and time in each."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.queue import queue
from tests.support.undisturbed import undisturbed

LOAD = Path(sys.executable).with_name("wirelab-load")
TIMEOUT_S = 180.0
FOUND, BAD_INPUT, BEYOND, UNSETTLED, INTERRUPTED = 0, 2, 12, 13, 130
LOSSES = ("lost", "failed", "unsent")
QUICK = ("--trial", "150ms", "--warm-up", "200ms", "-c", "32")


def search(url: str, objective: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Search to the end."""
    return subprocess.run(
        [LOAD, url, "--find-capacity", objective, *options],
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )


def read(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """Return what was found."""
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["format"] == "wirelab-capacity/1"
    assert [goal["exceed_ratio"] for goal in found["goals"]] == [0.5, 0.05]
    return found


@pytest.mark.thorough(reason="takes a minute")
def test_a_known_capacity_is_enclosed() -> None:
    # 8 slots of 20 ms serve 400/s, or whatever this machine leaves of that; what comes beyond is
    # refused, and three of ten may be. A machine that stalls in between has no capacity.
    def ask() -> subprocess.CompletedProcess[str]:
        return search(url, "failed<30%", *QUICK, "-d", "2m", "--json")

    def is_found(done: subprocess.CompletedProcess[str]) -> bool:
        return bool(read(done)["goals"][0]["outcome"] == "found")

    with queue(8, 20, "refuse") as url:
        done = undisturbed(ask, is_found)

    found = read(done)
    headline, strict = found["goals"]
    assert headline["outcome"] == "found", found["warnings"]
    assert 0 < headline["lower_per_s"] < headline["upper_per_s"] < 640
    assert headline["upper_per_s"] / headline["lower_per_s"] < 1.011
    assert strict["lower_per_s"] is None or strict["lower_per_s"] <= headline["upper_per_s"]
    assert done.returncode in (FOUND, UNSETTLED)
    # A trial has as many requests as its rate says; what its lead-in could not send in time, too.
    for trial in found["trials"]:
        expected = trial["rate_per_s"] * trial["seconds"]
        assert expected - 2 <= trial["due"] <= 1.1 * expected + 2
        assert trial["good"] <= trial["due"] - trial["failed"] - trial["never_sent"]
        assert trial["is_kept"] == (trial["loss_ratio"] <= found["allowed_loss_ratio"])
    kept = {trial["rate_per_s"] for trial in found["trials"] if trial["is_kept"]}
    assert headline["lower_per_s"] in kept
    clients = [rung["clients"] for rung in found["ladder"]]
    assert clients == [1, 2, 4, 8, 16, 32][: len(clients)]
    assert all(rung["rate_per_s"] < 420 for rung in found["ladder"])


def test_the_terminal_shows_bounds_and_a_table() -> None:
    with queue(8, 10) as url:
        done = search(url, "p90<25ms,failed<1%", *QUICK, "-d", "4s")

    lines = done.stdout.splitlines()
    assert "p90<25ms,failed<1%" in lines[1]
    assert any(line.startswith("half of the") for line in lines)
    assert any(line.startswith("5 % of the") for line in lines)
    header = next(line for line in lines if "trials" in line and "unsent" in line)
    assert header.split() == ["rate", "trials", "missed", *LOSSES, "p50", "p99"]
    assert any("trials of 150 ms" in line for line in lines)


def test_the_highest_permitted_rate_may_be_sustained() -> None:
    def bounds(done: "subprocess.CompletedProcess[str]") -> set[tuple[str, float, float | None]]:
        goals = read(done)["goals"]
        return {(it["outcome"], it["lower_per_s"], it["upper_per_s"]) for it in goals}

    with queue(8, 10) as url:
        done = undisturbed(
            lambda: search(url, "p90<2s", *QUICK, "--max-rate", "150", "--json"),
            lambda done: done.returncode == FOUND and bounds(done) == {("every rate", 150, None)},
        )

    assert done.returncode == FOUND, done.stderr
    assert bounds(done) == {("every rate", 150, None)}


def test_no_rate_may_be_sustained() -> None:
    with queue(8, 10) as url:
        done = undisturbed(
            lambda: search(url, "p90<2ms", *QUICK, "--json"), lambda it: it.returncode == BEYOND
        )
        output = search(url, "p90<2ms", *QUICK).stdout

    assert done.returncode == BEYOND, done.stderr
    for goal in read(done)["goals"]:
        assert (goal["outcome"], goal["lower_per_s"]) == ("no rate", None)
    assert "the lowest rate" in output


def test_a_search_that_runs_out_of_time_reports_its_bounds_so_far() -> None:
    with queue(8, 10) as url:
        done = search(url, "p90<25ms", *QUICK, "-d", "3s", "--json")

    found = read(done)
    assert done.returncode == UNSETTLED
    assert found["out_of_time"]  # perhaps even before the first trial, on a busy machine
    assert any(goal["outcome"] == "unfinished" for goal in found["goals"])


@pytest.mark.parametrize(
    ("ways", "word"),
    [(("after=1500", "factor=5"), "slower"), (("after=1500", "factor=0.2"), "faster")],
    ids=["degrades", "recovers"],
)
def test_a_permanent_change_of_a_server_is_reported(ways: tuple[str, str], word: str) -> None:
    with queue(8, 10, *ways) as url:
        done = search(url, "p90<25ms", *QUICK, "-d", "10s", "--json")

    found = read(done)
    assert done.returncode == UNSETTLED
    assert (found["change"] < 1) == (word == "slower")
    assert any(f"became {word} during the search" in warning for warning in found["warnings"])


def test_refused_requests_count_as_lost() -> None:
    with queue(2, 10, "refuse") as url:
        done = search(url, "failed<20%", *QUICK, "-d", "15s", "--json")

    found = read(done)
    assert {"status"} == {name for trial in found["trials"] for name in trial["errors"]}
    # 2 slots of 10 ms serve 200/s; one request of five may be refused.
    assert all(goal["upper_per_s"] < 400 for goal in found["goals"] if goal["upper_per_s"])
    assert any(trial["failed"] > 0 for trial in found["trials"])


def test_a_server_that_never_answers_correctly_has_no_capacity() -> None:
    with queue(0, 10, "refuse") as url:
        done = search(url, "p90<25ms", *QUICK)

    assert done.returncode == 1
    assert "none of" in done.stderr
    assert "status" in done.stderr


def test_ctrl_c_keeps_the_bounds_found_so_far() -> None:
    command = [str(LOAD), "--find-capacity", "p90<25ms", "--trial", "1s", "-c", "32", "--json"]
    with (
        queue(8, 10) as url,
        subprocess.Popen([*command, url], stdout=subprocess.PIPE, text=True) as process,
    ):
        time.sleep(9.0)  # for the warm-up and the ladder; the trials take many seconds more
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate(timeout=TIMEOUT_S)

    found = json.loads(printed)
    assert process.returncode == INTERRUPTED
    assert found["interrupted"]
    assert found["trials"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--find-capacity", "p99>5ms"), "p99<50ms"),
        (("--find-capacity", "p99<5ms", "-r", "10"), "cannot be used"),
        (("--find-capacity", "p99<5ms", "-n", "10"), "cannot be used"),
        (("--find-capacity", "p99<5ms", "--output", "csv"), "--output csv"),
        (("--find-capacity", "p99<5ms", "--fail-if", "p99>1ms"), "--fail-if"),
        (("--find-capacity", "p99<5ms", "--trial", "1ms"), "at least 50ms"),
        (("--find-capacity", "p99<5ms", "http://127.0.0.1:2/"), "one server"),
        (("--max-rate", "10"), "--find-capacity"),
    ],
)
def test_an_invalid_search_is_refused(options: tuple[str, ...], expected: str) -> None:
    done = subprocess.run(
        [LOAD, "http://127.0.0.1:1/", *options], capture_output=True, text=True, check=False
    )

    assert done.returncode == BAD_INPUT
    assert expected in done.stderr
