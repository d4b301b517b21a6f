"""A mix that writes what it reads: what has no right answer is left out, and named.

Its generator ignores the seed, which the report names, too.
"""

from pathlib import Path

from tests.support.laboratory import measure, reasons, runs_of
from tests.support.observers import KeptNotes
from tests.support.wording import assert_worded
from tests.support.worlds import ignore_seed
from wirelab.verify.findings.finding_reasons import LeftOutOfMix, SeedIgnored


def test_reads_that_the_mix_itself_changes_are_left_out(study: Path) -> None:
    ignore_seed(study.parent / "domain")
    file = study / "study.toml"
    wire = "[design.mixing]\nwire = { transactions = [1, 3] }"
    file.write_text(file.read_text().replace("[design.mixing]", wire))
    outcome = measure(study, "good", "steady", design="mixing")
    found = {each.reason for each in outcome.bundle.findings}

    assert reasons(outcome.bundle) == []
    left_out = LeftOutOfMix(mix="some_counted", workload="read_all", removed=3, planned=10)
    assert {SeedIgnored(), left_out} <= found
    once, thrice = (row for row in outcome.bundle.wire_records if row.contender == "good")
    assert (once.transactions, thrice.transactions) == (7 + 3, 3 * (7 + 3)), "whole cycles"
    assert thrice.payload_received == 3 * once.payload_received
    assert once.payload_gzip is not None
    assert thrice.payload_gzip == 3 * once.payload_gzip


def test_workloads_without_a_correct_answer_are_not_measured_and_named_as_workloads(
    study: Path,
) -> None:
    ignore_seed(study.parent / "domain")
    file = study / "study.toml"
    file.write_text(f"data_seed = 1\n{file.read_text()}")
    notes = KeptNotes()
    outcome = measure(study, "good", "steady", design="all_counted", observer=notes)

    refused = [each.workload for each in outcome.refused]
    assert refused == ["read_none", "read_none", "all_counted"]
    left_out = outcome.refused[-1].reason
    assert isinstance(left_out, LeftOutOfMix)
    assert (left_out.removed, left_out.planned) == (3, 3)
    assert_worded("\n".join(it.partition(":")[0] for it in notes.texts if "left out" in it))
    assert {run.status for run in runs_of(outcome.bundle, "good")} == {"skipped"}
    assert not any(isinstance(it.reason, SeedIgnored) for it in outcome.bundle.findings)
