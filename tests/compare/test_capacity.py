"""`wirelab capacity` as a person starts it, against servers of known capacity."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from itertools import count
from pathlib import Path

import pytest
from lxml import html

from tests.compare.running import FEW_TURNS, PROGRAM, TWO_BLOCKS, wirelab
from tests.support.queue import SERVER, queue
from tests.support.undisturbed import undisturbed
from wirelab.analysis.cautions.capacities import SearchUnfinished
from wirelab.bundle import Bundle, CapacityRecord
from wirelab.bundle.run_reasons import NoCapacity, TransactionsFailed

OK, FAULTS, INTERRUPTED = 0, 5, 130
SHORT_TRIALS = ("--path", "/", "--trial", "0.3s", "--repeats", "1")
QUICK = (*SHORT_TRIALS, "--search", "8s")
"""A search takes all of its time; a shorter one places the trials less accurately."""

OF_COMPARISONS = ("verdict", "cannot tell", "practically the same", "faster", "baseline", "twin")
"""Words that have no meaning in a report about one server."""

OBJECTIVE = ("--objective", "failed<30%")
"""The servers refuse what they have no slot for, so that no time of a busy machine decides."""
SLOTS = 8
SERVED_PER_S = SLOTS / 0.020
"""What a server serves: one request in each slot every 20 ms."""


def command(slots: int, *ways: str) -> str:
    """Return the command of a server with this number of slots of 20 ms each."""
    ways = ("refuse", *ways)
    return " ".join([sys.executable, str(SERVER), "{port}", str(slots), "20", *ways])


def bundle_in(folder: Path) -> Bundle:
    """Open the only bundle below a folder."""
    (path,) = folder.rglob("bundle.json")
    return Bundle.open(path.parent)


def capacities(folder: Path, contender: str) -> list[CapacityRecord]:
    """Return what each block found of a contender."""
    return [
        run.capacity
        for block in bundle_in(folder).last_attempts()
        for run in block.runs
        if run.capacity is not None and run.run.cell.registration == contender
    ]


def found_undisturbed(
    folder: Path,
    claim: str,
    *arguments: str,
    constants: Mapping[str, object] = TWO_BLOCKS,
) -> tuple[subprocess.CompletedProcess[str], Path]:
    """Search for a capacity, again while the answer lacks a claim, each time in a folder.

    On a machine that stands still, some of the trials may end differently.
    """
    attempts = count()

    def search() -> tuple[subprocess.CompletedProcess[str], Path]:
        own = folder / str(next(attempts))
        own.mkdir()
        return wirelab("capacity", *arguments, folder=own, constants=constants), own

    return undisturbed(search, lambda found: claim in " ".join(found[0].stdout.split()))


def readable(folder: Path) -> str:
    """Return what the page of the only report shows."""
    page = html.fromstring((bundle_in(folder).report_folder / "report.html").read_text())
    for hidden in page.xpath("//script | //style"):
        hidden.drop_tree()
    return str(page.text_content())


def check_overload(found: CapacityRecord) -> None:
    """Check a block's overloads of a server that refuses what it has no slot for."""
    assert found.rate_per_s is not None
    assert [it.times for it in found.overload] == [1.5, 2.0]
    for it in found.overload:
        trial = it.trial
        assert trial.rate_per_s == pytest.approx(it.times * found.rate_per_s)
        # It continues to serve its slots, and refuses the rest instead of letting it wait.
        assert 0 < trial.judged.good < trial.judged.due
        assert trial.judged.good + trial.failed + trial.never_sent <= trial.judged.due
        assert {*trial.errors} == {"status"}
        assert trial.errors["status"] == trial.failed
        # More is refused than the objective allows; if the machine stalled in the trials, the rate
        # that was found may be so low that even twice as much is served.
        assert trial.judged.loss_ratio > 0.3 or trial.rate_per_s < SERVED_PER_S / 0.7
        assert it.recovery_s is not None  # It meets the objective again, within the longest time.
    assert found.ended is None


@pytest.mark.thorough(reason="searches for minutes")
def test_half_the_slots_sustain_half_as_much(tmp_path: Path) -> None:
    sides = (f"whole={command(8)}", f"half={command(4)}")

    done = wirelab("capacity", *sides, *OBJECTIVE, *QUICK, "--json", folder=tmp_path)

    assert done.returncode == OK, done.stderr
    found = json.loads(done.stdout)
    whole, half = (found["contenders"][name]["capacity"] for name in ("whole", "half"))
    assert 25 < whole["rate_per_s"]["value"] < 640
    assert 0.25 < half["rate_per_s"]["value"] / whole["rate_per_s"]["value"] < 0.8
    against = found["against_first"]["half"]
    assert against["verdict"] in ("less", "clearly less"), found
    assert 0.25 < against["ratio"] < 0.8
    # Half or more of twice what it sustains is refused, and it is itself again afterwards.
    _, twice = whole["overload"]
    assert (twice["times"], twice["failed"]) == (2, ["status"])
    assert twice["failed_share"] > 0.3
    assert twice["recovery_s"] < 10
    for name in ("whole", "half", "whole~twin"):  # they take turns
        assert [len(it.trials) for it in capacities(tmp_path, name)] == 6 * [9]
    assert [it.search is not None for it in capacities(tmp_path, "whole")] == [True] + 5 * [False]
    assert all(it.search is None for it in capacities(tmp_path, "whole~twin"))
    page = (bundle_in(tmp_path).report_folder / "report.html").read_text()
    assert "Sustained rates" in page


def test_one_address_gets_a_capacity_and_is_not_restarted(tmp_path: Path) -> None:
    with queue(SLOTS, 20, "refuse") as url:
        done = wirelab(
            *("capacity", f"it={url}", *OBJECTIVE, "--blocks", "2"),
            *(*QUICK, "--output", "out"),
            folder=tmp_path,
            constants=FEW_TURNS,
        )

    assert done.returncode in (OK, FAULTS), done.stderr  # FAULTS: this machine stalled
    assert "did not start" in (tmp_path / "out" / "report" / "report.md").read_text()
    found = capacities(tmp_path, "it")
    assert all(0 < it.rate_per_s < 640 for it in found if it.rate_per_s)
    assert done.returncode == FAULTS or any(it.rate_per_s for it in found)
    assert found[0].search is not None
    assert found[0].search.trials
    if done.returncode == OK:  # otherwise a run may have ended before the overload
        assert all(it.overload or it.ended for it in found if it.rate_per_s)
    for block in (it for it in found if it.overload):
        check_overload(block)
    if done.returncode == OK:
        report = (bundle_in(tmp_path).report_folder / "report.md").read_text()
        for times in ("1.5", "2") if any(it.overload for it in found) else ():
            (row,) = (line for line in report.splitlines() if f"| {times} times as much |" in line)
            assert "(status)" in row
        answer = " ".join(done.stdout.split())
        assert "Capacity of it" in answer
        assert re.search(r"it at “GET /” sustains \S+/s within failed<30% \(", answer)
        for words in (answer, report, readable(tmp_path)):
            assert not [word for word in OF_COMPARISONS if word in words.lower()]
            assert "Capacity of it" in words


def test_the_trials_find_a_capacity_that_a_search_was_too_short_for(tmp_path: Path) -> None:
    with queue(SLOTS, 20) as url:
        done, folder = found_undisturbed(
            *(tmp_path, "sustains ", url, *OBJECTIVE, "--blocks", "1", "--repeats", "1"),
            *("--search", "1s", "--trial", "0.05s", "--output", "out"),
            constants=FEW_TURNS,
        )

    assert done.returncode == OK, done.stderr
    (block,) = bundle_in(folder).last_attempts()
    (run,) = block.runs
    found = run.capacity
    assert found is not None
    assert found.search is not None
    assert found.search.out_of_time
    assert found.rate_per_s is not None
    assert {it.judged.is_kept for it in found.trials} == {True, False}
    report = (bundle_in(folder).report_folder / "report.md").read_text()
    for text in (report, readable(folder)):
        assert SearchUnfinished.TITLE in text
        assert "a longer --search" in " ".join(text.split())


def test_a_failure_under_load_is_reported_and_the_others_continue(tmp_path: Path) -> None:
    sides = (f"sound={command(8)}", f"frail={command(8, 'breaks=57')}")

    done = wirelab(
        *("capacity", *sides, *OBJECTIVE, "--blocks", "1", *SHORT_TRIALS, "--search", "4s"),
        folder=tmp_path,
        constants=FEW_TURNS,
    )

    assert done.returncode == FAULTS, done.stderr
    (block,) = bundle_in(tmp_path).last_attempts()
    (frail,) = (run for run in block.runs if run.run.cell.contender == "frail")
    assert frail.status == "invalid"
    assert isinstance(frail.reasons[0], TransactionsFailed)
    (sound,) = capacities(tmp_path, "sound")
    assert len(sound.trials) == 9


def test_an_objective_that_no_rate_meets_is_reported(tmp_path: Path) -> None:
    side = f"slow={command(8)}"

    claim = "No capacity of slow at “GET /” was found within p90<2ms: all "
    done, folder = found_undisturbed(
        *(tmp_path, claim, side, "--objective", "p90<2ms", "--blocks", "2", *QUICK)
    )

    assert done.returncode == FAULTS, done.stderr
    answer = " ".join(done.stdout.split())
    assert claim in answer
    assert re.search(r"such as --objective 'p90<\d+ms'\.", answer)
    first, second = bundle_in(folder).last_attempts()
    assert {run.status for run in first.runs} == {"invalid"}
    assert [type(each) for run in first.runs for each in run.reasons] == [NoCapacity]
    # A further start would show no more, so there is none.
    assert {run.status for run in second.runs} == {"skipped"}


def test_a_server_too_slow_to_be_judged_ends_with_a_remedy(tmp_path: Path) -> None:
    """Trials of p999 at 40/s would last for minutes each, so none begins."""
    side = f"slow={sys.executable} {SERVER} {{port}} 16 400"

    done = wirelab(
        *("capacity", side, "--objective", "p999<5ms", "--blocks", "1", "--path", "/"),
        *("--search", "2s"),
        folder=tmp_path,
    )

    assert done.returncode == FAULTS, done.stderr
    ((run,),) = (block.runs for block in bundle_in(tmp_path).last_attempts())
    assert [type(each) for each in run.reasons] == [NoCapacity]
    assert "--objective 'p50<5ms'" in " ".join(done.stdout.split())


@pytest.mark.parametrize("objective", ["p99<5ms,", "mean<5ms"])
def test_a_wrong_objective_starts_nothing(tmp_path: Path, objective: str) -> None:
    done = wirelab("capacity", command(8), "--objective", objective, folder=tmp_path)

    assert done.returncode == 2
    assert "p99<50ms" in done.stderr
    assert not list(tmp_path.iterdir())


def test_all_errors_are_reported_at_once(tmp_path: Path) -> None:
    wrong = ("--objective", "fast", "--trial", "1ms", "--search", "soon")

    done = wirelab("capacity", "localhost:1", *wrong, folder=tmp_path)

    assert done.returncode == 2
    assert all(option in done.stderr for option in ("--objective", "--trial", "--search"))


@pytest.mark.thorough(reason="waits for blocks")
def test_ctrl_c_keeps_complete_blocks(tmp_path: Path) -> None:
    words = ("capacity", f"it={command(8)}", *OBJECTIVE, *QUICK, "--blocks", "50")
    with subprocess.Popen(
        [PROGRAM, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        deadline = time.monotonic() + 120
        while not list(tmp_path.rglob("block.json")):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        printed, output = process.communicate(timeout=60)

    assert process.returncode == INTERRUPTED, output
    assert "it" in printed
    assert 1 <= len(bundle_in(tmp_path).last_attempts()) < 50
