"""Threats to validity: each is found where it is, and none where nothing is wrong."""

import json
import re
import shutil
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.support.bundles.circumstances import QUIET, Circumstances
from tests.support.bundles.models import STUDY, models_of
from tests.support.bundles.reasons import BUSY, IT_DIED, wrong
from tests.support.bundles.small import (
    OF_COMPARE,
    broken_rules,
    kinds,
    render_texts,
    small,
    stretched,
    study_with,
    the,
    write_small,
)
from tests.support.bundles.synthetic import (
    copy_of,
    edit_results,
    edit_runs,
    edit_sessions,
    leave_running,
)
from tests.support.bundles.until_decided import FabricatedStudy
from tests.support.wording import assert_worded
from wirelab.analysis import Analysis, analyse
from wirelab.analysis.cautions.disturbance import Disturbed
from wirelab.analysis.cautions.estimates import Drifted, FewSamples, MethodsDisagree
from wirelab.analysis.cautions.generator import (
    GeneratorBusy,
    GeneratorLagged,
    LittleNotClosed,
    SessionsReopened,
    SomeFailed,
)
from wirelab.analysis.cautions.runs import (
    Incomplete,
    ManyBlocksLost,
    RunsDoNotCount,
    TooFewBlocks,
)
from wirelab.analysis.cautions.settling import (
    MixCutShort,
    NotSettled,
    SettlingUnknown,
    ShortWindows,
)
from wirelab.analysis.cautions.turns import StolenTimeChanges
from wirelab.analysis.cautions.verification import VerificationRefused, VerificationWarned
from wirelab.analysis.figures.settling import unsettled
from wirelab.bundle import SLICES, Bundle, RunRecord
from wirelab.bundle.run_reasons import RunReason
from wirelab.statistics import Settling
from wirelab.verify import Finding
from wirelab.verify.findings.finding_reasons import Differs, UnusualRefusal
from wirelab.verify.servers.obstacles import Obstacle


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """Eight runs in two blocks."""
    return write_small(tmp_path_factory.mktemp("tiny"), blocks=2)


@pytest.fixture
def spoiled(tiny: Bundle, tmp_path: Path) -> Bundle:
    """A copy for a test to spoil."""
    return copy_of(tiny, tmp_path / "bundle")


def test_a_good_bundle_has_no_cautions_and_breaks_no_rule(
    three: Bundle, analysis: Analysis
) -> None:
    small_one = analyse(three)

    assert kinds(small_one) == {FewSamples}
    assert not small_one.disturbance.is_notable
    assert broken_rules(analysis) == ""


@pytest.mark.parametrize(
    ("values", "found", "severity"),
    [
        ({"engine/busy_share": 0.93}, GeneratorBusy, "serious"),
        (
            {"offered_rate_per_s": 100.0, "latency_us/lag/p99": 5000.0},
            *(GeneratorLagged, "minor"),
        ),
        ({"little_closure": 0.8}, LittleNotClosed, "serious"),
        ({"counts/failed": 1}, SomeFailed, "minor"),
        ({"reopened_sessions": 3}, SessionsReopened, "minor"),
    ],
)
def test_a_problem_in_a_single_run_is_found(
    spoiled: Bundle, values: dict[str, object], found: type[Any], severity: str
) -> None:
    def change(target: dict[str, Any]) -> None:
        for path, value in values.items():
            *tables, key = path.split("/")
            reduce(dict.__getitem__, tables, target)[key] = value

    chosen = spoiled.block_records()[0].runs[0].run.id
    edit_results(spoiled, change, where=lambda run: run.run.id == chosen)

    caution = the(found, analyse(spoiled))

    assert (caution.runs, caution.severity) == (1, severity)


def test_a_busy_machine_is_reported_once_and_names_no_contender(spoiled: Bundle) -> None:
    shares = {"steal_share": 0.2, "other_share": 0.4, "frequency_change_share": 0.2}
    edit_sessions(spoiled, lambda session: session.update(shares))
    analysis = analyse(spoiled)

    found = the(Disturbed, analysis).disturbance
    seen = (found.stolen_share, found.other_share, found.clock_change_share)
    assert seen == pytest.approx((0.2, 0.4, 0.2))
    assert analysis.validity.faulty == ()
    assert_worded(analysis.procedure.conditions["other programs"])


def test_stolen_time_invalidates_no_run_and_is_summarised(tmp_path: Path) -> None:
    analysis = small(tmp_path, Circumstances(stolen_permutations=0.4, stolen_share=0.5))

    assert analysis.validity.valid == analysis.validity.planned
    assert analysis.disturbance.stolen_share == pytest.approx(0.3, abs=0.1)
    assert analysis.disturbance.worst_stolen_share == pytest.approx(0.5)
    # Whoever had the turn took longer: the comparison does not care.
    assert StolenTimeChanges not in kinds(analysis)
    assert all(pair.verdict and pair.verdict.words.startswith("clearly") for pair in analysis.pairs)


def test_a_pair_about_which_two_methods_disagree_shows_its_blocks(tmp_path: Path) -> None:
    steady = write_small(tmp_path, Circumstances(start_noise=0.0, block_noise=0.0))

    def factor(run: RunRecord) -> float:
        if run.run.cell.contender != "grpc-grpcio":
            return 1.0
        return 0.3 if run.run.block == 6 else 1.38

    analysis = stretched(steady, tmp_path / "spoiled", factor)

    (found,) = the(MethodsDisagree, analysis).pairs
    assert found.startswith("gRPC vs REST")
    lines = [pair.line for pair in analysis.pairs]
    shown = next(line for line in lines if line.startswith("gRPC vs REST"))
    assert re.search(r" · blocks: (0\.9\d×, ){5}0\.2\d×$", shown)
    assert not any(" · blocks: " in line for line in lines if line.startswith("GraphQL vs REST"))


def test_servers_that_had_not_settled_are_named(spoiled: Bundle) -> None:
    block = spoiled.block_records()[0]
    moved = next(run for run in block.runs if not run.run.cell.twin)
    path = spoiled.path / block.run_folder(moved) / SLICES
    table = pd.read_parquet(path)
    chosen = table["run_id"] == moved.run.id
    table.loc[chosen, "median_us"] = np.linspace(2000.0, 1000.0, int(chosen.sum()))
    table.to_parquet(path, index=False)

    analysis = analyse(spoiled)

    assert the(NotSettled, analysis).runs == 1
    (moving,) = (
        each for each in analysis.procedure.settled if each.runs.get(Settling.NO_STEADY_STATE)
    )
    assert moving.reasons[0].startswith("block 1: falls by ")
    (line,) = unsettled(analysis.procedure.settled)
    assert line == f"{moving.label} at “{moving.setting}”, {moving.reasons[0]}"
    assert f"<li>{line}</li>" in render_texts(analysis)


def test_runs_too_short_to_judge_do_not_show_whether_servers_had_settled(
    tiny: Bundle, tmp_path: Path
) -> None:
    analysis = small(tmp_path, QUIET, blocks=2, permutations=19)

    assert SettlingUnknown not in kinds(analyse(tiny))
    assert the(SettlingUnknown, analysis).course == "slices"


def test_a_comparison_is_advised_to_raise_its_budget(tmp_path: Path) -> None:
    study = study_with(tmp_path, OF_COMPARE)
    options: dict[str, Any] = {"blocks": 2, "permutations": 19}
    for folder in ("own", "compared"):
        (tmp_path / folder).mkdir()

    own = small(tmp_path / "own", QUIET, **options)
    compared = small(tmp_path / "compared", QUIET, path=study, **options)

    assert [the(SettlingUnknown, each).has_budget for each in (own, compared)] == [False, True]
    advice = "narrowest intervals in the same time"
    advised = [advice in each.procedure.conditions for each in (own, compared)]
    assert advised == [True, False]


TO_MEASURE_MORE = ("--budget", "measure longer", "more blocks", "at least 6 blocks")


@pytest.mark.parametrize(
    ("reason", "more", "remedy"),
    [
        (IT_DIED, True, ""),
        (wrong(), False, "correct"),
        (wrong().model_copy(update={"obstacle": Obstacle(403)}), False, ""),
    ],
)
def test_more_measurement_is_advised_unless_answers_were_wrong(
    tmp_path: Path, reason: RunReason, *, more: bool, remedy: str
) -> None:
    spoiled = write_small(tmp_path, path=study_with(tmp_path, OF_COMPARE), permutations=19)
    lost = spoiled.block_records()[0].runs[0].run.cell.contender
    edit_runs(
        spoiled,
        lambda run: run.update(status="invalid", reasons=[reason.model_dump(mode="json")]),
        where=lambda run: run.run.cell.contender == lost and run.run.block > 3,
    )

    found = analyse(spoiled)

    details = [caution.detail for caution in found.cautions]
    advised = [text for text in details if any(each in text for each in TO_MEASURE_MORE)]
    lines = [pair.line for pair in found.pairs if lost in (pair.a.contender, pair.b.contender)]
    assert [bool(advised), any("measure" in line for line in lines)] == [more, more]
    assert lines
    caution = the(RunsDoNotCount, found)
    assert caution.remedy == remedy
    assert [group.reasons for group in caution.groups] == [(reason,)]


QUEUE = {"design": "scaling", "workloads": ("product",)}
MIX = {"design": "paper", "workloads": ("interactions",)}


@pytest.mark.parametrize(
    ("kind", "design", "requests", "is_named"),
    [
        (ShortWindows, QUEUE, 200, True),
        (ShortWindows, QUEUE, 700, False),
        (MixCutShort, MIX, 71, True),
        (MixCutShort, MIX, 72, False),
    ],
)
def test_windows_in_which_a_queue_is_still_forming_or_a_mix_is_not_complete_are_named(
    tmp_path: Path,
    kind: type[ShortWindows | MixCutShort],
    design: dict[str, Any],
    requests: int,
    is_named: bool,
) -> None:
    analysis = small(
        tmp_path,
        QUIET,
        path=STUDY.parent / "muppaneni",
        loads=("hundred-users",),
        models=models_of("rest-fastapi", "grpc-aio"),
        requests=requests,
        blocks=1,
        **design,
    )

    assert (kind in kinds(analysis)) == is_named
    if kind is ShortWindows and is_named:
        found = the(ShortWindows, analysis)
        assert {place.label for place in found.places} >= {"gRPC"}
        assert found.fewest == pytest.approx(2.0)


def test_conditions_contain_no_starts_and_databases_of_servers_that_already_run(
    three: Bundle, tmp_path: Path
) -> None:
    bundle = copy_of(three, tmp_path / "bundle")
    started = analyse(bundle).procedure.conditions
    leave_running(bundle, "fresh_start", "restored_store")

    running = analyse(bundle).procedure.conditions

    assert running.keys() < started.keys()
    assert_worded(
        "\n".join(
            f"{key}: {text}; of running servers: {running.get(key)}"
            for key, text in started.items()
            if running.get(key) != text
        )
    )


def test_drift_over_the_session_is_found(tmp_path: Path) -> None:
    found = the(Drifted, small(tmp_path, Circumstances(drift=0.1), blocks=8))

    assert found.correlation == pytest.approx(1.0)
    assert found.change_ratio > 0.5
    assert found.is_paired


def test_few_blocks_and_few_samples_are_found(few_analysis: Analysis) -> None:
    few = the(FewSamples, few_analysis)
    assert the(TooFewBlocks, few_analysis).severity == "serious"
    assert (few.requests, few.percentiles) == (200, ("p95", "p99"))
    assert_worded(broken_rules(few_analysis))


def test_runs_that_do_not_count_are_reported_with_their_reason(faulty: Bundle) -> None:
    found = the(RunsDoNotCount, analyse(faulty))

    assert (found.runs, found.severity) == (20, "serious")
    (group,) = found.groups
    assert (group.runs, group.blocks, group.reasons) == (20, 16, (BUSY,))


def test_an_unfinished_study_is_reported(few: Bundle, tmp_path: Path) -> None:
    unfinished = copy_of(few, tmp_path / "bundle")
    for record in unfinished.block_records()[5:]:
        folder = unfinished.path / "blocks" / record.folder_name
        folder.rename(folder.with_name(f".partial-{folder.name}"))

    analysis = analyse(unfinished)

    assert analysis.validity.missing == 3 * 6
    assert the(Incomplete, analysis).missing == 3 * 6
    assert_worded(broken_rules(analysis))


def test_a_repeated_block_is_counted_and_only_its_last_attempt_counts(spoiled: Bundle) -> None:
    block = spoiled.block_records()[0]
    first = spoiled.path / "blocks" / block.folder_name
    again = shutil.copytree(first, first.with_name(f"{first.name}.attempt-2"))
    record = json.loads((first / "block.json").read_text())
    (again / "block.json").write_text(json.dumps(record | {"attempt": 2}))
    record["runs"][0] |= {"status": "invalid", "reasons": [IT_DIED.model_dump(mode="json")]}
    (first / "block.json").write_text(json.dumps(record))

    analysis = analyse(spoiled)

    assert analysis.disturbance.repeated_blocks == 1
    assert analysis.validity.faulty == ()
    assert all(row.summary.runs == 2 for each in analysis.settings for row in each.rows)


def test_findings_of_the_verification_are_included(spoiled: Bundle) -> None:
    differs: dict[str, Any] = {"contender": "soap-lxml", "operation": "read", "path": "/name"}
    odd = UnusualRefusal(remark="peculiar")
    spoiled.write_findings(
        [
            Finding(severity="error", reason=Differs(), **differs),
            Finding(severity="warning", contender="rest-flask", reason=odd),
        ]
    )

    found = analyse(spoiled)

    (error,) = the(VerificationRefused, found).findings
    assert (error.contender, error.path) == ("soap-lxml", "/name")
    (warning,) = the(VerificationWarned, found).findings
    assert (warning.contender, str(warning.reason)) == ("REST", "peculiar")


@pytest.mark.parametrize(("lost", "is_named"), [((2, 3), True), ((), False)])
def test_a_comparison_that_lost_more_than_a_fifth_of_its_blocks_is_named(
    tmp_path: Path, lost: tuple[int, ...], is_named: bool
) -> None:
    study = FabricatedStudy(tmp_path, lost={"grpc-grpcio": lost})
    study.measure()

    found = [each for each in analyse(study.bundle).cautions if isinstance(each, ManyBlocksLost)]

    assert bool(found) is is_named
    for each in found:
        assert {(few, of) for _, few, of in each.pairs} == {(2, 6)}
        assert all("gRPC" in name for name, *_ in each.pairs)
