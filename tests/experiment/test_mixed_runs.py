"""A mix that writes what it reads: what has no right answer is left out, and named."""

from pathlib import Path

from tests.experiment.laboratory import carry_out, reasons, runs_of
from wirelab.analysis import analyse


def test_reads_that_the_mix_itself_changes_are_left_out(study: Path) -> None:
    outcome = carry_out(study, "good", "steady", design="mixing")
    cautions = {each.title: each.detail for each in analyse(outcome.bundle).cautions}

    assert reasons(outcome.bundle) == []
    assert (
        "read: 3 of 10 parameter sets of read_all are left out of some_counted:"
        " its own writes change their correct answers" in cautions["Verification reported warnings"]
    )


def test_a_mix_that_reads_only_what_it_writes_is_not_measured(study: Path) -> None:
    outcome = carry_out(study, "good", "steady", design="all_counted")

    assert [each.workload for each in outcome.refused] == ["all_counted"]
    assert "3 of 3 parameter sets of read" in outcome.refused[0].reason
    assert {run.status for run in runs_of(outcome.bundle, "good")} == {"skipped"}
