"""A mix that writes what it reads: what has no right answer is left out, and named.

Its generator ignores the seed, which the report names, too.
"""

from pathlib import Path

from tests.experiment.conftest import ignore_seed
from tests.experiment.laboratory import carry_out, reasons, runs_of
from wirelab.analysis import analyse


def test_reads_that_the_mix_itself_changes_are_left_out(study: Path) -> None:
    ignore_seed(study.parent / "domain")
    outcome = carry_out(study, "good", "steady", design="mixing")
    cautions = {each.title: each.detail for each in analyse(outcome.bundle).cautions}

    assert reasons(outcome.bundle) == []
    warnings = cautions["Verification reported warnings"]
    assert warnings.startswith("the generator writes the same rows for every --seed, so another")
    assert (
        "read: 3 of 10 parameter sets of read_all are left out of some_counted:"
        " its own writes change their correct answers" in warnings
    )


def test_a_mix_that_reads_only_what_it_writes_is_not_measured(study: Path) -> None:
    ignore_seed(study.parent / "domain")
    file = study / "study.toml"
    file.write_text(f"data_seed = 1\n{file.read_text()}")
    outcome = carry_out(study, "good", "steady", design="all_counted")

    assert [each.workload for each in outcome.refused] == ["all_counted"]
    assert "3 of 3 parameter sets of read" in outcome.refused[0].reason
    assert {run.status for run in runs_of(outcome.bundle, "good")} == {"skipped"}
    assert not any("--seed" in each.reason for each in outcome.bundle.findings)
